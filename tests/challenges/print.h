#include <stdio.h>

static void print(const double *x, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) printf("%f ", x[i * columns + j]);
    printf("\n");
  }
}
