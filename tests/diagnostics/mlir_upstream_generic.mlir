"toy.func"() ({
  "toy.return"() : () -> ()
}) {sym_name = "main"} : () -> ()
