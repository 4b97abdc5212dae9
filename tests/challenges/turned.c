#include <stdlib.h>

static double *turned(const double *a, double n) {
  double *x = malloc(4 * sizeof *x);
  for (int i = 0; i < 4; i++) x[i] = a[i];
  while (n > 0) {
    double *y = malloc(4 * sizeof *y);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) y[i * 2 + j] = x[j * 2 + i] + a[i * 2 + j];
    free(x);
    x = y;
    n = n - 1;
  }
  return x;
}

int main(void) {
  const double a[4] = {1, 2, 3, 4};
  double *x = turned(a, 0);
  print(x, 2, 2);
  free(x);
  x = turned(a, 1000);
  print(x, 2, 2);
  free(x);
  print(a, 2, 2);
}
