use serde::{Deserialize, Deserializer};

/// Reads a field of a PATCH in which `null` has a meaning of its own: absent is `None` and leaves
/// the value alone, `null` is `Some(None)` and clears it, a value is `Some(Some(value))`.
///
/// The field's type is `Option<Option<T>>`, whose schema allows null, and its attributes are
/// `#[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]`:
/// the last of them keeps the schema from calling null the default, which it is not.
///
/// # Errors
/// When the value is no `T`.
pub fn nullable<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Reads a field of a PATCH that cannot be cleared: absent is `None` and leaves the value alone, a
/// value is `Some(value)`, and `null` is an error.
///
/// The field's type is `Option<T>`, its attributes are
/// `#[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]` and
/// `#[schemars(with = "T")]`, so that its schema does not allow null either.
///
/// # Errors
/// When the value is no `T`.
pub fn not_null<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Takes `null` out of the schema of an `Option`.
#[cfg(feature = "schema")]
pub(crate) fn without_null(schema: &mut schemars::Schema) {
    use serde_json::Value;

    let Some(object) = schema.as_object_mut() else { return };
    for list in ["type", "enum", "anyOf"] {
        let Some(Value::Array(entries)) = object.get_mut(list) else { continue };
        entries
            .retain(|it| !it.is_null() && it != "null" && it.get("type") != Some(&"null".into()));
        if let ("type" | "anyOf", [only]) = (list, entries.as_slice()) {
            let only = only.clone();
            object.remove(list);
            match only {
                // What is said of the field comes before what is said of its type.
                Value::Object(schema) => {
                    for (key, value) in schema {
                        object.entry(key).or_insert(value);
                    }
                }
                name => drop(object.insert(list.to_owned(), name)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Text;

    #[derive(Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things")]
    struct Patch {
        #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
        phone: Option<Option<Text<1, 5>>>,
        #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Text<1, 5>"))]
        name: Option<Text<1, 5>>,
    }

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        let read = |json| serde_json::from_str::<Patch>(json).map(|patch| patch.phone).ok();
        assert_eq!(read("{}"), Some(None));
        assert_eq!(read(r#"{"phone":null}"#), Some(Some(None)));
        assert_eq!(read(r#"{"phone":"12"}"#), Some(Some("12".parse().ok())));
        assert_eq!(read(r#"{"phone":""}"#), None);
    }

    #[test]
    fn what_cannot_be_cleared_takes_no_null() {
        let read = |json| serde_json::from_str::<Patch>(json).map(|patch| patch.name).ok();
        assert_eq!(read("{}"), Some(None));
        assert_eq!(read(r#"{"name":"12"}"#), Some("12".parse().ok()));
        assert_eq!(read(r#"{"name":null}"#), None);
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_schema_allows_null_and_has_no_default() {
        let schema = schemars::schema_for!(Patch);
        let phone = serde_json::json!({
            "type": ["string", "null"], "minLength": 1, "maxLength": 5
        });
        assert_eq!(schema.pointer("/properties/phone"), Some(&phone));
        let name = serde_json::json!({ "type": "string", "minLength": 1, "maxLength": 5 });
        assert_eq!(schema.pointer("/properties/name"), Some(&name));
        assert_eq!(schema.get("required"), None);
    }
}
