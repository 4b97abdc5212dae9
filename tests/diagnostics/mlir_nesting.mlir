func.func @main() {
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
"scf.execute_region"() ({
scf.yield
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
  return
}
