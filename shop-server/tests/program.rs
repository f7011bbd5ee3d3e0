//! The program answers. What it does is tried by `tests/it`; that there is a test here lets
//! `cargo test --workspace` build the program at once, with the dependencies that it builds anyway.

use std::process::Command;

#[test]
fn the_program_says_its_version() {
    let said = Command::new(env!("CARGO_BIN_EXE_shop-server")).arg("--version").output();
    let said = String::from_utf8(said.expect("runs").stdout).expect("UTF-8");
    assert_eq!(said.trim(), concat!("shop-server ", env!("CARGO_PKG_VERSION")));
}
