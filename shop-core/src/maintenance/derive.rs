//! What an engine derives from rows by triggers: made anew after the rows were moved without them.

use crate::error::Result;
use crate::storage::Tx;

/// Fills what an engine derives from rows, and sets where it numbers on.
pub(super) fn derive(tx: &mut dyn Tx) -> Result<()> {
    if tx.dialect().name == "sqlite" {
        return DERIVED_BY_SQLITE.iter().try_for_each(|sql| tx.run(sql, &[]));
    }
    DERIVED_BY_POSTGRES.iter().try_for_each(|sql| tx.run(sql, &[]))?;
    // SQLite goes on from the greatest number by itself.
    let numbered = tx.list::<(String, String)>(
        "SELECT CAST(table_name AS text), CAST(column_name AS text) FROM information_schema.columns
         WHERE table_schema = current_schema() AND is_identity = 'YES'",
        &[],
    )?;
    for (table, column) in numbered {
        let go_on = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
               coalesce(max({column}), 1), max({column}) IS NOT NULL) FROM {table}"
        );
        tx.value::<i64>(&go_on, &[])?;
    }
    Ok(())
}

/// The full-text indexes, as migrations and triggers fill them.
const DERIVED_BY_SQLITE: &[&str] = &[
    "INSERT INTO product_search (rowid, name, description)
     SELECT pk, name, description FROM product WHERE active = 1",
    "INSERT INTO product_name_search (rowid, name) SELECT pk, name FROM product WHERE active = 1",
    "INSERT INTO product_any_name_search (rowid, name) SELECT pk, name FROM product",
    "INSERT INTO customer_search (rowid, name, email, state)
     SELECT e.pk, a.name, a.email, CASE a.active WHEN 1 THEN 'active' ELSE 'suspended' END
     FROM customer_entry e JOIN account a ON a.id = e.account_id",
];

const DERIVED_BY_POSTGRES: &[&str] = &[
    "INSERT INTO product_search (pk, name_words, words)
     SELECT pk, shop_words(name), shop_words(name || ' ' || description)
     FROM product WHERE active = 1",
    "INSERT INTO product_any_name_search (pk, words) SELECT pk, shop_words(name) FROM product",
    "INSERT INTO customer_search (pk, words)
     SELECT e.pk, customer_words(a.name, a.email, a.active)
     FROM customer_entry e JOIN account a ON a.id = e.account_id",
];
