//! Cells that hold more than one thing, and cells that look like something else.

use crate::spreadsheet::FORMULA;
use crate::value::{InvalidValue, Slug, Text};

/// A kind of variation and the option of it that a variant has.
pub(super) type Choice = (Text<1, 60>, Text<1, 60>);

/// What sets a variant apart, e.g. `Tamanho=200 g; Cor=Azul`. What stands for itself follows a `\`.
pub(super) fn write_choices<'a>(choices: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pairs = choices.map(|(kind, option)| format!("{}={}", escaped(kind), escaped(option)));
    pairs.collect::<Vec<String>>().join("; ")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '=' | ';') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Reads what [`write_choices`] writes.
pub(super) fn read_choices(text: &str) -> Result<Vec<Choice>, InvalidValue> {
    let mut choices = Vec::new();
    let (mut kind, mut part) = (None, String::new());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => part.extend(rest.next()),
            '=' if kind.is_none() => kind = Some(std::mem::take(&mut part)),
            ';' => choices.push(choice(kind.take(), &std::mem::take(&mut part))?),
            _ => part.push(c),
        }
    }
    choices.push(choice(kind, &part)?);
    let repeated = |(index, (kind, _)): (usize, &Choice)| {
        choices[..index].iter().any(|(other, _)| is_same_kind(other.as_str(), kind.as_str()))
    };
    if choices.iter().enumerate().any(repeated) {
        return Err(InvalidValue::RepeatedType);
    }
    Ok(choices)
}

/// Whether two names are those of one kind of variation: as everywhere in the shop, one of another
/// spelling (`Tamanho`, `TAMANHO`) has the same slug.
pub(super) fn is_same_kind(one: &str, other: &str) -> bool {
    let slug = |name| Slug::from_name(name).ok();
    one == other || slug(one).is_some_and(|it| Some(it) == slug(other))
}

fn choice(kind: Option<String>, option: &str) -> Result<Choice, InvalidValue> {
    let kind = kind.ok_or(InvalidValue::Choice)?;
    Ok((kind.parse()?, option.parse()?))
}

/// A text for a cell. What already looks guarded is guarded once more, so that [`unguarded`] finds
/// every text again.
pub(super) fn guarded(text: &str) -> String {
    if text.starts_with('\'') { format!("'{text}") } else { text.to_owned() }
}

/// A text without the `'` that keeps spreadsheet programs from taking it for a formula.
pub(super) fn unguarded(cell: &str) -> &str {
    let inner = cell.strip_prefix('\'');
    inner.filter(|inner| inner.starts_with(FORMULA) || inner.starts_with('\'')).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spreadsheet::is_formula;

    proptest! {
        #[test]
        fn what_sets_a_variant_apart_is_read_as_it_was_written(
            kinds in proptest::collection::btree_map("[^\\s\\pC][^\\pC]{0,20}", "[^\\s\\pC][^\\pC]{0,20}", 1..4),
        ) {
            let trimmed: Vec<(&str, &str)> =
                kinds.iter().map(|(kind, option)| (kind.trim(), option.trim())).collect();
            let is_repeated = |(index, (kind, _)): (usize, &(&str, &str))| {
                trimmed[..index].iter().any(|(other, _)| is_same_kind(other, kind))
            };
            prop_assume!(!trimmed.iter().enumerate().any(is_repeated));
            // Characters that cannot be seen are no name.
            let is_name = |text: &str| text.parse::<Text<1, 60>>().is_ok();
            prop_assume!(trimmed.iter().all(|(kind, option)| is_name(kind) && is_name(option)));
            let read = read_choices(&write_choices(trimmed.iter().copied())).expect("choices");
            let read: Vec<(&str, &str)> =
                read.iter().map(|(kind, option)| (kind.as_str(), option.as_str())).collect();
            prop_assert_eq!(read, trimmed);
        }

        #[test]
        fn every_text_is_found_again_behind_its_guard(text in "['=+@a5 -]{0,6}") {
            let cell = guarded(&text);
            let written = if is_formula(&cell) { format!("'{cell}") } else { cell };
            prop_assert_eq!(unguarded(&written), text);
        }
    }

    #[test]
    fn half_a_choice_is_none() {
        for bad in
            ["Azul", "Cor=", "=Azul", "Cor=Azul;", "Cor=Azul; Cor=Verde", "Cor=Azul; COR=Verde"]
        {
            assert!(read_choices(bad).is_err(), "{bad}");
        }
        assert_eq!(read_choices(" Cor = Azul=claro ").expect("one")[0].1.as_str(), "Azul=claro");
    }
}
