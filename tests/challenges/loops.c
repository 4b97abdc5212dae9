static double root(double a) {
  double x = a;
  while (x * x - a > 1e-9) x = (x + a / x) / 2;
  return x;
}

static double larger(double a, double b) { return a < b ? b : a; }

int main(void) {
  (void)print;
  printf("%f ", root(2));
  printf("%f ", larger(root(9), 4));
  printf("%f ", larger(5, 4));
}
