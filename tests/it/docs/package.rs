//! What is installed is what the documents show: units, settings, the files of the Debian package,
//! and what the Dockerfile says of this workspace. `tests/package` installs the package itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use shop_core::config::{ProgramConfig, Sources};
use shop_server::config::ServerConfig;

use super::block::Kind;
use super::{blocks, read, root};
use crate::core::fixture::JWT_SECRET;

const OPERATING: &str = "docs/operating.md";

#[test]
fn the_packaged_units_and_settings_are_those_of_the_documents() {
    let folder = root().join("deploy/systemd");
    let units = fs::read_dir(folder).expect("units").map(|unit| {
        let path = unit.expect("a file").path();
        fs::read_to_string(path).expect("a unit")
    });
    let packaged: BTreeSet<String> = units.collect();
    let of_operating = |kind| blocks(kind).into_iter().filter(|(at, _)| at.starts_with(OPERATING));
    let shown: BTreeSet<String> = of_operating(Kind::Unit)
        .map(|(_, block)| block.text.replace("/usr/local/bin/", "/usr/bin/"))
        .collect();
    assert_eq!(packaged, shown);
    let settings = read("deploy/debian/shop.toml");
    let (place, shown) = of_operating(Kind::Settings).next().expect("settings");
    assert!(settings.ends_with(&shown.text), "deploy/debian/shop.toml is not {place}");
}

#[test]
fn files_of_the_debian_package_are_there() {
    let manifest: toml::Table = read("shop-server/Cargo.toml").parse().expect("a manifest");
    let deb = &manifest["package"]["metadata"]["deb"];
    let assets = deb["assets"].as_array().expect("assets");
    let own = root().join("shop-server");
    let mut installed = BTreeSet::new();
    for asset in assets {
        let [source, target] = [0, 1].map(|at| asset[at].as_str().expect("a path"));
        // What is built is there once it is built; `deploy/deb` makes the rest.
        let folder = Path::new(source).parent().expect("a folder");
        let is_built = source.starts_with("target/release/");
        assert!(is_built || own.join(folder).is_dir(), "{source}");
        assert!(is_built || source.contains('*') || own.join(source).is_file(), "{source}");
        if target.ends_with('/') && !source.contains('*') {
            let name = Path::new(source).file_name().and_then(|it| it.to_str()).expect("a name");
            installed.insert(format!("/{target}{name}"));
        }
    }
    for file in deb["conf-files"].as_array().expect("files") {
        assert!(installed.contains(file.as_str().expect("a path")), "{file} in {installed:?}");
    }
    for program in programs(&read("deploy/systemd/shop.service")) {
        assert!(installed.contains(&program), "{program} in {installed:?}");
    }
    let scripts = own.join(deb["maintainer-scripts"].as_str().expect("a folder"));
    for script in ["postinst", "prerm", "postrm"] {
        assert!(scripts.join(script).is_file(), "{script}");
    }
}

/// What a unit starts.
fn programs(unit: &str) -> Vec<String> {
    let starts = unit.lines().filter_map(|line| line.strip_prefix("ExecStart="));
    starts.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_dockerfile_builds_what_there_is_and_sets_what_is_known() {
    let dockerfile = read("deploy/Dockerfile");
    let lines = dockerfile.lines().filter(|line| !line.starts_with('#'));
    let dockerfile = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let workspace: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let words: Vec<&str> = dockerfile.split_whitespace().collect();
    let after = |flag: &str| {
        let pairs = words.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1]);
        pairs.collect::<Vec<_>>()
    };
    let packages = after("-p");
    assert_eq!(packages, ["shop-server", "shop-cli"]);
    for profile in after("--profile") {
        assert!(workspace["profile"].get(profile).is_some(), "{profile}");
        for package in &packages {
            assert!(root().join(package).join("src/main.rs").is_file(), "{package}");
            let built = format!("target/{profile}/{package}");
            assert!(words.contains(&built.as_str()), "{built} is not installed");
        }
    }
    let out = after("-t")[0];
    assert!(words.contains(&format!("{out}/").as_str()), "{out} is not copied");
    let settings = words.iter().filter_map(|word| word.split_once('='));
    let settings = settings.filter(|(name, _)| name.starts_with("SHOP_"));
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    // What the comment at its head says must be given.
    let given = [("SHOP_JWT_SECRET", JWT_SECRET), ("SHOP_BASE_URL", "https://loja.example")];
    let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let overrides: Vec<_> = settings.chain(given).collect();
    let loaded = ServerConfig::load(&Sources { file: None, toml: String::new(), overrides });
    let loaded = loaded.expect("settings");
    assert_eq!(loaded.program.listen.port(), 8080);
}
