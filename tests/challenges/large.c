static double a[10000], x[10000];

int main(void) {
  for (int i = 0; i < 10000; i++) a[i] = 1.5;
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      x[i * 100 + j] = a[j * 100 + i] * a[i * 100 + j] + a[i * 100 + j];
  print(x, 100, 100);
}
