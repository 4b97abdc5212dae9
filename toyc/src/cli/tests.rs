use super::*;
use crate::subcommands;

fn options(arguments: &[&str]) -> Options {
    let arguments = std::iter::once("toyc").chain(arguments.iter().copied());
    match subcommands::parse(arguments.map(Into::into)).unwrap() {
        subcommands::Command::Compile(options) => *options,
        _ => panic!("not a compilation"),
    }
}

#[test]
fn emit_has_one_dash_or_two_and_upstreams_names() {
    for arguments in [["x.toy", "-emit=mlir"].as_slice(), &["x.toy", "-emit", "toy"]] {
        assert_eq!(options(arguments).emit, Stage::Toy);
    }
    assert_eq!(options(&["--emit=mlir-llvm", "x.toy"]).emit, Stage::MlirLlvm);
    assert_eq!(options(&["-emit=mlir-affine", "x.toy"]).emit, Stage::Loops);
}

#[test]
fn the_last_optimization_level_wins() {
    assert_eq!(options(&["x.toy"]).optimization_level(), 0);
    assert_eq!(options(&["x.toy", "-opt"]).optimization_level(), 2);
    assert_eq!(options(&["x.toy", "-opt", "-O1"]).optimization_level(), 1);
    assert_eq!(options(&["x.toy", "-O3", "-opt"]).optimization_level(), 2);
    assert_eq!(options(&["x.toy", "-O3", "-O0"]).optimization_level(), 0);
}

#[test]
fn the_order_of_options_about_warnings_counts() {
    use Setting::*;
    let of = |arguments: &str| options(&arguments.split(' ').collect::<Vec<_>>()).levels;
    let (a, b) = (codes::UNUSED_VARIABLE, codes::SHADOWING);
    for (arguments, settings) in [
        ("x.toy", [].as_slice()),
        ("x.toy -W no-unused-variable -D shadowing", &[Allow(a), Deny(b)]),
        ("-Wno-unused-variable x.toy -Dshadowing", &[Allow(a), Deny(b)]),
        ("-W no-W0101 x.toy -D W0104", &[Allow(a), Deny(b)]),
        ("-D shadowing x.toy -W no-shadowing", &[Deny(b), Allow(b)]),
        ("-W no-shadowing -D shadowing x.toy", &[Allow(b), Deny(b)]),
        ("-w x.toy -W shadowing -w", &[AllowAll]),
        ("-w -w x.toy -W shadowing", &[AllowAll, Warn(b)]),
        ("-Wall -Werror x.toy", &[WarnAll, Errors]),
        ("-Wno-all -Wno-error x.toy", &[AllowAll, NoErrors]),
        ("-Werror=shadowing x.toy", &[Deny(b)]),
        ("-D warnings x.toy -w", &[Errors, AllowAll]),
    ] {
        assert_eq!(of(arguments), Levels::new(settings.iter().copied()), "{arguments}");
    }
}

#[test]
fn languages() {
    assert_eq!(options(&["-x=mlir", "-"]).language, Some(Language::Mlir));
    assert_eq!(options(&["-x", "toy", "-"]).language, Some(Language::Toy));
}
