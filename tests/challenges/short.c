int main(void) {
  const double a[4] = {1, 2, 3, 4};
  double x[4];
  for (double n = 0; n < 2000; n = n + 1) {
    for (int i = 0; i < 4; i++) x[i] = a[i] * n;
    print(x, 2, 2);
  }
}
