//! `docs/configuration.md` names every setting there is, with its variable and its default.

use std::collections::BTreeMap;

use shop_core::config::{ProgramConfig, Sources};
use shop_server::config::ServerConfig;

use super::read;

/// What stands in the column of defaults where there is no value to show.
const IN_WORDS: [&str; 9] = [
    "none",
    "a sample",
    "made and kept in the database",
    "from `listen`",
    "as `mail.from`",
    "the card's own",
    "the state's own",
    "`outbox` beside the SQLite file",
    "`uploads` beside the SQLite file",
];

/// A row of the table.
struct Row {
    variable: String,
    default: String,
}

fn rows() -> BTreeMap<String, Row> {
    let text = read("docs/configuration.md");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let [key, variable, default, _] = cells[..] else { panic!("not four cells: {line}") };
        let bare = |cell: &str| cell.trim_matches('`').to_owned();
        Some((bare(key), Row { variable: bare(variable), default: default.to_owned() }))
    });
    rows.collect()
}

#[test]
fn every_setting_is_documented_with_its_variable() {
    let mut rows = rows();
    let settings = ServerConfig::settings(&Sources::default()).expect("no settings");
    assert!(settings.len() > 70, "found only {settings:?}");
    for key in settings.into_iter().map(|setting| setting.key) {
        let row = rows.remove(key).unwrap_or_else(|| panic!("{key} is not documented"));
        let variable = format!("SHOP_{}", key.to_uppercase().replace('.', "__"));
        assert_eq!(row.variable, variable, "{key}");
    }
    assert!(rows.is_empty(), "documented, but no setting: {:?}", rows.keys());
}

/// A default that is set by hand changes nothing.
#[test]
fn documented_defaults_are_the_defaults() {
    let without = format!("{:?}", ServerConfig::load(&Sources::default()).expect("no settings"));
    for (key, Row { variable, default }) in rows() {
        let value = default.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
        let Some(value) = value else {
            assert!(IN_WORDS.contains(&default.as_str()), "{key}: {default:?} is no default");
            continue;
        };
        let overrides = vec![(variable, value.to_owned())];
        let with = ServerConfig::load(&Sources { overrides, ..Sources::default() });
        let with = with.unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(format!("{with:?}"), without, "{key}");
    }
}
