//! JSON as text: looked at without building anything of it.

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// How many objects and lists may stand in each other, the outermost counted.
const MAX_DEPTH: usize = 64;

/// Whether a text is nested deeper than any program needs. What is kept as it came is handed out
/// again, and few readers take more than some hundred levels.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Hands over each member of a JSON object, in its order; names may be repeated.
pub(crate) fn each_member<'j>(object: &'j str, each: impl FnMut(String, &'j str)) {
    // A text that is no object has no members.
    drop(serde_json::Deserializer::from_str(object).deserialize_map(Members(each)));
}

/// Hands over each item of a JSON list, with its place.
pub(crate) fn each_item<'j>(list: &'j str, each: impl FnMut(usize, &'j str)) {
    // A text that is no list has no items.
    drop(serde_json::Deserializer::from_str(list).deserialize_seq(Items(each)));
}

/// How many items a JSON list has, counted up to `most`.
pub(crate) fn count_items(list: &str, most: u64) -> u64 {
    // Ends with an error where there are more.
    let mut counted = 0;
    let count = Count { most, counted: &mut counted };
    drop(serde_json::Deserializer::from_str(list).deserialize_seq(count));
    counted
}

struct Members<F>(F);

impl<'j, F: FnMut(String, &'j str)> Visitor<'j> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'j>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<String, &'j RawValue>()? {
            (self.0)(name, value.get());
        }
        Ok(())
    }
}

struct Items<F>(F);

impl<'j, F: FnMut(usize, &'j str)> Visitor<'j> for Items<F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'j>>(mut self, mut list: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = list.next_element::<&'j RawValue>()? {
            (self.0)(place, item.get());
            place += 1;
        }
        Ok(())
    }
}

struct Count<'c> {
    most: u64,
    counted: &'c mut u64,
}

impl<'j> Visitor<'j> for Count<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut list: A) -> Result<(), A::Error> {
        while *self.counted < self.most && list.next_element::<IgnoredAny>()?.is_some() {
            *self.counted += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_up_to_what_is_asked_for() {
        assert_eq!(count_items("[]", 3), 0);
        assert_eq!(count_items("[1,[2,3]]", 3), 2);
        // What comes later is not looked at.
        assert_eq!(count_items("[1,2,3,4,nothing", 3), 3);
    }

    #[test]
    fn sixty_four_levels_are_not_too_deep_and_one_more_is() {
        let lists = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!is_too_deep(&lists(64)));
        assert!(is_too_deep(&lists(65)));
        assert!(is_too_deep(&"{\"a\":".repeat(100_000)));
        let side_by_side = format!("[{}]", vec!["[]"; 1000].join(","));
        assert!(!is_too_deep(&side_by_side));
    }

    #[test]
    fn brackets_in_texts_are_no_levels() {
        let brackets = "[".repeat(1000);
        assert!(!is_too_deep(&format!(r#"{{"a":"{brackets}","b\"{brackets}":"\\"}}"#)));
        assert!(is_too_deep(&format!(r#"{{"a":"\\",{brackets}"#)));
    }
}
