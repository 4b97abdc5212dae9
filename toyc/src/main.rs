fn main(){ let c = melior::Context::new(); println!("{}", inkwell::support::get_llvm_version().0); drop(c);}
