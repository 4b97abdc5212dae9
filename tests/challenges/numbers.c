int main(void) {
  (void)print;
  printf("%f ", 1.0);
  printf("%f ", 2.5 * 3 - 1.0 / 4);
  printf("%f ", 1e9);
}
