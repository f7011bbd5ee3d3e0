//! How long pending migrations take: what they go through of the tables that are there, at a rate
//! that was measured.

use crate::error::Result;
use crate::storage::{Dialect, MigrationStep, Tx};

/// Bytes of tables that migrations went through in a second, on two cores and a disk that others
/// used as well (docs/performance.md). What a table's indexes weigh is in it.
const BYTES_PER_SECOND: i64 = 40_000_000;

/// Whole seconds, 0 for less than one.
pub(super) fn seconds(tx: &mut dyn Tx, pending: &[MigrationStep]) -> Result<u64> {
    let size = size_query(tx.dialect());
    let mut bytes: i64 = 0;
    for step in pending {
        for name in walked(&step.sql) {
            bytes += tx.value::<i64>(size, &[name.as_str().into()])?;
        }
    }
    Ok(u64::try_from(bytes / BYTES_PER_SECOND).unwrap_or_default())
}

/// How large a table is by its name, without indexes; 0 where there is none.
fn size_query(dialect: &Dialect) -> &'static str {
    match dialect.name {
        "sqlite" => "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = $1 AND aggregate = 1",
        _ => {
            "SELECT CAST(coalesce(sum(pg_relation_size(oid)), 0) AS bigint) FROM pg_class
             WHERE relname = CAST($1 AS name)
               AND relnamespace = CAST(current_schema() AS regnamespace)"
        }
    }
}

/// What may be a table that the statements of a migration go through, once for each time that they
/// do: those that change or copy rows, make an index, or check what is there.
fn walked(sql: &str) -> Vec<String> {
    let code = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n");
    let (mut names, mut in_body) = (Vec::new(), false);
    for statement in code.split(';') {
        let words = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        // What a trigger or a function says runs later.
        let delimiters = statement.matches("$$").count();
        if in_body {
            in_body = delimiters == 0 && words != ["END"];
            continue;
        }
        in_body = delimiters == 1 || (words.contains(&"TRIGGER") && words.contains(&"BEGIN"));
        let starts = words.first().copied().unwrap_or_default();
        let only_names =
            matches!(words[..], ["CREATE", "TRIGGER" | "FUNCTION" | "TABLE" | "VIEW", ..]);
        let changes = matches!(starts, "UPDATE" | "INSERT" | "DELETE" | "CREATE") && !only_names;
        let checks = words.contains(&"CHECK") || words.contains(&"DROP");
        if changes || (starts == "ALTER" && checks) {
            let pairs = words.windows(2).filter(|pair| names_a_table(pair[0]));
            names.extend(pairs.map(|pair| pair[1].to_owned()));
        }
    }
    names
}

/// Whether a table's name follows this word. (`content` names the table of a full-text index.)
fn names_a_table(word: &str) -> bool {
    matches!(word, "UPDATE" | "FROM" | "JOIN" | "ON" | "TABLE" | "content")
}

#[cfg(test)]
mod tests {
    use super::walked;

    #[test]
    fn statements_on_rows_count_and_bodies_of_triggers_do_not() {
        let sql = "CREATE TABLE a (x REFERENCES b (x)); -- UPDATE c
            UPDATE d SET x = 1 FROM e JOIN f ON f.x = e.x;
            CREATE INDEX i ON d (x); ALTER TABLE g ADD COLUMN y; ALTER TABLE h DROP COLUMN y;
            CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE k SET x = 1; DELETE FROM l; END;
            CREATE FUNCTION p() AS $$ BEGIN UPDATE k SET x = 1; END $$;
            CREATE VIRTUAL TABLE s USING fts5 (content = 'm'); DELETE FROM n";
        let tables: Vec<String> = walked(sql).into_iter().filter(|it| it.len() == 1).collect();
        assert_eq!(tables, ["d", "e", "f", "f", "d", "h", "s", "m", "n"]);
    }
}
