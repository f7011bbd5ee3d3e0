//! The file itself. A server of databases sees to these things by itself.

use super::{Check, Sql};

/// The check that looks at every page.
pub(super) const INTEGRITY: &str = "integrity";

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: INTEGRITY,
        about: "every page can be read, and indexes agree with their tables",
        since: 0,
        sql: Sql::Own(&[(
            "sqlite",
            "SELECT 'file', integrity_check FROM pragma_integrity_check
             WHERE integrity_check <> 'ok'",
        )]),
    },
    Check {
        name: "foreign-keys",
        about: "what a row belongs to is there",
        since: 0,
        sql: Sql::Own(&[(
            "sqlite",
            "SELECT f.\"table\" || ' row ' || coalesce(CAST(f.\"rowid\" AS TEXT), '?'),
               'its ' || f.parent || ' is not there'
             FROM pragma_foreign_key_check f",
        )]),
    },
];
