//! The documents hold: what they show can be run, parsed or found.

mod api;
mod block;
mod book;
mod config;
mod deploy;
mod features;
mod package;
mod references;
mod shell;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use shop_core::config::{ProgramConfig, Sources};
use shop_server::config::ServerConfig;

use crate::core::fixture::JWT_SECRET;

use self::block::{Block, Kind};

/// The top of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A document and its blocks.
struct Document {
    /// As people call it, e.g. `docs/events.md`.
    name: String,
    blocks: Vec<Block>,
}

/// README and everything in `docs/`.
fn documents() -> Vec<Document> {
    let in_docs = fs::read_dir(root().join("docs")).expect("docs/").map(|entry| {
        let name = entry.expect("an entry").file_name();
        format!("docs/{}", name.to_str().expect("UTF-8"))
    });
    let names = in_docs.filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"));
    let mut names: Vec<String> = names.chain(["README.md".to_owned()]).collect();
    names.sort();
    let document = |name: String| Document { blocks: block::all(&name, &read(&name)), name };
    names.into_iter().map(document).collect()
}

/// Each block of a kind, with where it stands.
fn blocks(kind: Kind) -> Vec<(String, Block)> {
    let of_document = |document: Document| {
        let Document { name, blocks } = document;
        let place = move |block: Block| (format!("{name}:{}", block.line), block);
        blocks.into_iter().filter(move |block| block.kind == kind).map(place)
    };
    documents().into_iter().flat_map(of_document).collect()
}

#[test]
fn settings_in_documents_are_settings() {
    for (place, block) in blocks(Kind::Settings) {
        // It stands in the environment.
        let secret = ("SHOP_JWT_SECRET".to_owned(), JWT_SECRET.to_owned());
        let overrides = vec![secret];
        let parsed = ServerConfig::load(&Sources { file: None, toml: block.text, overrides });
        assert!(parsed.is_ok(), "{place}: {}", parsed.expect_err("an error"));
    }
}

#[test]
fn json_in_documents_is_json() {
    for (place, block) in blocks(Kind::Json) {
        let parsed = serde_json::from_str::<serde_json::Value>(&block.text);
        assert!(parsed.is_ok(), "{place}: {}", parsed.expect_err("an error"));
    }
}

/// What a program writes into its manifest names features that there are.
#[test]
fn manifests_in_documents_name_features_that_there_are() {
    for package in ["shop-core", "shop-server"] {
        let manifest: toml::Table =
            read(&format!("{package}/Cargo.toml")).parse().expect("a manifest");
        let known: BTreeSet<&str> =
            manifest["features"].as_table().expect("features").keys().map(String::as_str).collect();
        for (place, block) in blocks(Kind::Manifest) {
            let table: toml::Table =
                block.text.parse().unwrap_or_else(|it| panic!("{place}: {it}"));
            let dependencies = table.get("dependencies").and_then(toml::Value::as_table);
            let shop = dependencies.unwrap_or(&table).get(package);
            let named = shop.and_then(|shop| shop.get("features")).and_then(toml::Value::as_array);
            for feature in named.into_iter().flatten() {
                let feature = feature.as_str().expect("a name");
                assert!(known.contains(feature), "{place}: {package} has no feature {feature}");
            }
        }
    }
}

/// Rust in a document is an excerpt of a program under `examples/`, which is compiled and run.
#[test]
fn rust_in_documents_stands_in_an_example() {
    let examples = [
        "embed",
        "axum_app",
        "desktop",
        "custom_carrier",
        "webhook_receiver",
        "bulk_import",
        "host_app/src/lib",
        "host_app/tests/sale",
    ];
    let programs = examples.map(|name| squeezed(&read(&format!("examples/{name}.rs"))));
    for (place, block) in blocks(Kind::Rust) {
        let excerpt = squeezed(&block.text);
        let found = programs.iter().any(|program| program.contains(&excerpt));
        assert!(found, "{place}: stands in no program under examples/");
    }
}

/// A text without its indentation and its empty lines.
fn squeezed(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Links between documents lead somewhere.
#[test]
fn links_lead_to_files_that_there_are() {
    for Document { name, .. } in documents() {
        let text = read(&name);
        let folder = root().join(&name).parent().expect("a folder").to_path_buf();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            let is_file = !path.is_empty() && !path.contains("://") && !path.starts_with("mailto:");
            assert!(!is_file || folder.join(path).exists(), "{name}: {link} leads nowhere");
        }
    }
}
