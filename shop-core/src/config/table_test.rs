//! Holds a table of settings against the struct that it is for.

use std::fmt::Debug;

use serde::de::DeserializeOwned;

use super::keys::{Key, Kind};
use super::values::set;

/// Panics where a table and its struct differ: in names, in defaults, or in what is secret.
pub(crate) fn hold<C: DeserializeOwned + Default + Debug>(
    keys: impl Iterator<Item = &'static Key>,
) {
    let keys: Vec<&Key> = keys.collect();
    let mut fields = fields::<C>("");
    let mut names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    fields.sort();
    names.sort_unstable();
    assert_eq!(names, fields, "the table has every field and no other");
    let set: Vec<_> = keys.iter().filter_map(|key| Some((*key, key.default?))).collect();
    let default = format!("{:?}", C::default());
    assert_eq!(with::<C>(&set).as_ref(), Ok(&default), "the defaults are those that hold");
    for key in &keys {
        let field = key.name.rsplit('.').next().unwrap_or_default();
        let is_unset = key.default.is_some() || default.contains(&format!("{field}: None"));
        assert!(is_unset, "{} has a default that is not written down", key.name);
        hold_secret::<C>(key);
    }
}

/// A secret's value is not shown by `Debug`, any other text is.
fn hold_secret<C: DeserializeOwned + Debug>(key: &Key) {
    let probe = "ProbeOf32BytesThatStandsNowhereElse!";
    let is_secret = match key.kind {
        Kind::Text => false,
        Kind::Secret => true,
        Kind::Integer(..) | Kind::Boolean | Kind::List => return,
    };
    match with::<C>(&[(key, probe)]) {
        Ok(debug) => assert_eq!(is_secret, !debug.contains(probe), "{}", key.name),
        Err(_) => assert!(!is_secret, "{} is no secret: it takes no text", key.name),
    }
}

/// What `Debug` says of a configuration of which these keys alone are set.
fn with<C: DeserializeOwned + Debug>(pairs: &[(&Key, &str)]) -> Result<String, String> {
    let mut table = toml::Table::new();
    for (key, value) in pairs {
        let text = || toml::Value::String((*value).to_owned());
        let value = match key.kind {
            Kind::Text | Kind::Secret => text(),
            Kind::Integer(..) => value.parse().map_or_else(|_| text(), toml::Value::Integer),
            Kind::Boolean => value.parse().map_or_else(|_| text(), toml::Value::Boolean),
            Kind::List => value.split(", ").filter(|it| !it.is_empty()).collect::<Vec<_>>().into(),
        };
        set(&mut table, key.name, value);
    }
    let config: C = table.try_into().map_err(|error: toml::de::Error| error.to_string())?;
    Ok(format!("{config:?}"))
}

/// The fields of a struct and of the structs in it: the parser names those that it knows.
fn fields<C: DeserializeOwned>(path: &str) -> Vec<String> {
    let mut table = toml::Table::new();
    set(&mut table, &format!("{path}no_such_field"), 1.into());
    let error = table.try_into::<C>().err().map(|error| error.to_string()).unwrap_or_default();
    let known = error.split_once("unknown field").and_then(|(_, it)| it.split_once(", expected"));
    let Some((_, known)) = known else { return vec![path.trim_end_matches('.').to_owned()] };
    // Behind the first line it says in which section.
    let names = known.lines().next().unwrap_or_default().split('`').skip(1).step_by(2);
    names.flat_map(|name| fields::<C>(&format!("{path}{name}."))).collect()
}
