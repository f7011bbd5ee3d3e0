//! What engines do not share.

/// What an engine says in its own words; everything else is the same SQL text.
#[derive(Debug)]
pub struct Dialect {
    /// The engine's name, also the suffix of migrations that are only its own.
    pub name: &'static str,
    /// Whether each statement is a round trip to another process, so that one that does more is
    /// better than two.
    pub is_remote: bool,
    /// Type names and table options of migrations, by placeholder (`{int}`, `{serial}`, `{end}`).
    pub types: &'static [(&'static str, &'static str)],
    /// The next number of a table's `{serial}` column, to stand in a statement. In SQLite it is
    /// given out again until a row has it.
    pub next_id: fn(table: &str) -> String,
    /// A query for the `pk` of the rows of a full-text index that match the pattern `$1`, latest
    /// first. The index is a table of the schema.
    pub text_search: fn(index: &str) -> String,
    /// The pattern of that query for words that must all occur.
    pub search_pattern: fn(words: &[SearchWord]) -> String,
    /// The same for an index that has a column `state` beside its words, and only for rows of that
    /// state.
    pub state_pattern: fn(words: &[SearchWord], state: Option<&str>) -> String,
}

impl Dialect {
    /// A statement that makes tables, with the engine's own types and options in the places of
    /// [`Dialect::types`].
    pub(crate) fn fill_in(&self, sql: &str) -> String {
        let filled = |text: String, (place, own): &(&str, &str)| text.replace(place, own);
        self.types.iter().fold(sql.to_owned(), filled)
    }
}

/// A word to search for, without accents and in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchWord {
    /// Any word that begins so.
    Beginning(String),
    /// Any of these whole words.
    OneOf(Vec<String>),
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl SearchWord {
    /// A query for all of the words, in an engine's own signs.
    pub(super) fn join(
        words: &[Self],
        quoted: impl Fn(&str) -> String,
        beginning: &str,
        or: &str,
        and: &str,
    ) -> String {
        let term = |word: &Self| match word {
            Self::Beginning(word) => format!("{}{beginning}", quoted(word)),
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                format!("({})", words.join(or))
            }
        };
        words.iter().map(term).collect::<Vec<_>>().join(and)
    }
}
