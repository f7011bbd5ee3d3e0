//! The messages about fields that have a number in them, each worded once.

use std::fmt::Display;

/// A number with what it counts: `1 item`, `2 itens`.
pub fn counted(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number is too small.
pub fn at_least(least: impl Display) -> String {
    format!("Deve ser maior ou igual a {}", local(&least))
}

/// A number is too large.
pub fn at_most(most: impl Display) -> String {
    format!("Deve ser menor ou igual a {}", local(&most))
}

/// A list is too short.
pub fn min_items(least: u64) -> String {
    format!("Deve ter no mínimo {}", counted(least, "item", "itens"))
}

/// A list is too long.
pub fn max_items(most: u64) -> String {
    format!("Deve ter no máximo {}", counted(most, "item", "itens"))
}

/// A text is too short.
pub fn min_characters(least: u64) -> String {
    format!("Deve ter no mínimo {}", counted(least, "caractere", "caracteres"))
}

/// A text is too long.
pub fn max_characters(most: u64) -> String {
    format!("Deve ter no máximo {}", counted(most, "caractere", "caracteres"))
}

/// A number as people in Brazil write it, with a comma.
fn local(number: &impl Display) -> String {
    number.to_string().replace('.', ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(min_items(1), "Deve ter no mínimo 1 item");
        assert_eq!(max_items(2), "Deve ter no máximo 2 itens");
        assert_eq!(min_characters(1), "Deve ter no mínimo 1 caractere");
        assert_eq!(max_characters(0), "Deve ter no máximo 0 caracteres");
        assert_eq!(at_least(0.5), "Deve ser maior ou igual a 0,5");
        assert_eq!(at_most(100), "Deve ser menor ou igual a 100");
    }
}
