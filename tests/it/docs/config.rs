//! `docs/configuration.md` names every setting there is, with its variable and its default.

use std::collections::BTreeMap;

use shop_core::Config;

use super::read;

/// What stands in the column of defaults where there is no value to show.
const IN_WORDS: [&str; 7] = [
    "none",
    "a sample",
    "made and kept in the database",
    "from `listen`",
    "as `mail.from`",
    "the card's own",
    "the state's own",
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

/// The keys below a prefix, by what the parser says that it knows.
fn keys(prefix: &str) -> Vec<String> {
    let Err(error) = Config::parse(&format!("{prefix}no_such_key = 1"), []) else {
        panic!("{prefix}no_such_key is taken for a setting");
    };
    let error = error.to_string();
    let Some((_, known)) =
        error.split_once("unknown field").and_then(|(_, it)| it.split_once(", expected"))
    else {
        // No table: the prefix is a setting itself.
        return vec![prefix.trim_end_matches('.').to_owned()];
    };
    let names = known.split('`').skip(1).step_by(2);
    names.flat_map(|name| keys(&format!("{prefix}{name}."))).collect()
}

#[test]
fn every_setting_is_documented_with_its_variable() {
    let mut rows = rows();
    let keys = keys("");
    assert!(keys.len() > 70, "found only {keys:?}");
    for key in keys {
        let row = rows.remove(&key).unwrap_or_else(|| panic!("{key} is not documented"));
        let variable = format!("SHOP_{}", key.to_uppercase().replace('.', "__"));
        assert_eq!(row.variable, variable, "{key}");
    }
    assert!(rows.is_empty(), "documented, but no setting: {:?}", rows.keys());
}

/// A default that is set by hand changes nothing.
#[test]
fn documented_defaults_are_the_defaults() {
    let none: [(String, String); 0] = [];
    let without = format!("{:?}", Config::parse("", none).expect("no settings"));
    for (key, Row { variable, default }) in rows() {
        let value = default.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
        let Some(value) = value else {
            assert!(IN_WORDS.contains(&default.as_str()), "{key}: {default:?} is no default");
            continue;
        };
        let with = Config::parse("", [(variable, value.to_owned())]);
        let with = with.unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(format!("{with:?}"), without, "{key}");
    }
}
