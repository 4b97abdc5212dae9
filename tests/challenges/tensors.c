int main(void) {
  double a[6] = {1, 2, 3, 4, 5, 6}, b[6], c[6];
  print(a, 2, 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) b[i * 2 + j] = a[j * 3 + i] * 2 - 1;
  print(b, 3, 2);
  for (int i = 0; i < 6; i++) c[i] = a[i] / (a[i] + a[i]) + 10;
  print(c, 2, 3);
}
