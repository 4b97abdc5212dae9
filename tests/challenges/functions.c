static void product(const double *a, const double *b, double *out, int rows, int columns) {
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < rows; j++)
      out[i * rows + j] = a[j * columns + i] * b[j * columns + i];
}

static void twice(const double *x, double *out, int rows, int columns) {
  product(x, x, out, rows, columns);
}

int main(void) {
  double a[6] = {1, 2, 3, 4, 5, 6}, b[6], t[6], c[6];
  for (int i = 0; i < 6; i++) b[i] = a[i] + 1;
  product(a, b, c, 2, 3);
  print(c, 3, 2);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) t[i * 2 + j] = a[j * 3 + i];
  twice(t, c, 3, 2);
  print(c, 2, 3);
  for (int i = 0; i < 6; i++) c[i] = a[i] + a[i];
  print(c, 2, 3);
  printf("%f ", 3.0 * 4.0);
}
