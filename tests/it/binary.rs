//! The real binaries, as processes.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Where a binary of the workspace is. Cargo builds no binaries of other packages for a test, so it
/// is asked for them, once.
pub(crate) fn path(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(build).join(name)
}

fn build() -> PathBuf {
    // target/<profile>/deps/it-..
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.ancestors().nth(2).expect("a target folder").to_path_buf();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "shop-cli", "--package", "shop-server"])
        .args(["--profile", profile])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")])
        .status()
        .expect("cargo");
    assert!(built.success(), "the binaries do not build");
    folder
}
