//! The file itself. A server of databases sees to these things by itself.

use super::Check;

/// The check that looks at every page.
pub(super) const INTEGRITY: &str = "integrity";

pub(super) const CHECKS: &[Check] = checks! {
    INTEGRITY (0)
        "every page can be read, and indexes agree with their tables":
        {
            sqlite: "SELECT 'file', integrity_check FROM pragma_integrity_check
             WHERE integrity_check <> 'ok'"
        };
    "foreign-keys" (0)
        "what a row belongs to is there":
        {
            sqlite: "SELECT f.\"table\" || ' row ' || coalesce(CAST(f.\"rowid\" AS TEXT), '?'),
               'its ' || f.parent || ' is not there'
             FROM pragma_foreign_key_check f"
        };
};
