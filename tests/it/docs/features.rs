//! `docs/embedding.md` says how many crates each feature of the library, and of its server, brings
//! along.

use std::collections::BTreeSet;
use std::process::Command;

use super::{read, root};

/// How many crates a package is made of with this feature alone, itself included.
fn crates(package: &str, feature: &str) -> usize {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--edges", "normal", "--prefix", "none"])
        .args(["--no-default-features", "--features", feature])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let names = text.lines().map(|line| line.trim_end_matches(" (*)"));
    names.collect::<BTreeSet<&str>>().len()
}

/// The features of a package's table, with the crates that it says.
fn table(package: &str) -> Vec<(String, usize)> {
    let text = read("docs/embedding.md");
    let head = format!("| feature of {package} |");
    let table = text.lines().skip_while(|line| !line.starts_with(&head));
    let rows = table.take_while(|line| line.starts_with('|')).filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (feature, crates) = (cells.next()?.trim_matches('`'), cells.next()?.parse().ok()?);
        Some((feature.to_owned(), crates))
    });
    rows.collect()
}

#[test]
fn no_feature_costs_more_than_its_documentation_says() {
    for package in ["shop-core", "shop-server"] {
        let manifest: toml::Table =
            read(&format!("{package}/Cargo.toml")).parse().expect("a manifest");
        let mut features: BTreeSet<&str> =
            manifest["features"].as_table().expect("features").keys().map(String::as_str).collect();
        for (feature, documented) in table(package) {
            let known = features.remove(feature.as_str());
            assert!(known || feature == "none", "{package} has no feature {feature}");
            let found = crates(package, if feature == "none" { "" } else { &feature });
            let few = found + 5 >= documented;
            assert!(found <= documented && few, "{package} {feature}: {found}, not {documented}");
        }
        assert!(features.is_empty(), "{package}: not documented: {features:?}");
    }
}
