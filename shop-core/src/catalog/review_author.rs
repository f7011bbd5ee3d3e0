//! Reviews by whom they are from, for whoever asks what the shop knows of him.

use serde::Serialize;

use crate::area;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{AccountId, ProductId, ReviewId};
use crate::storage::Tx;

/// A review as its author gets it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedReview {
    /// Its id.
    pub id: ReviewId,
    /// What it is about.
    pub product_id: ProductId,
    /// 1 to 5.
    pub rating: i64,
    /// A few words, if there are any.
    pub title: Option<String>,
    /// The text.
    pub body: String,
    /// The name it is shown under.
    pub author: String,
    /// `pending`, `approved` or `rejected`.
    pub status: String,
    /// When it was written.
    pub created_at: Timestamp,
}

/// Every review of an account, oldest first.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<ExportedReview>> {
    tx.all(
        "SELECT id, product_id, rating, title, body, author, status, created_at FROM review
         WHERE account_id = $1 ORDER BY created_at, id",
        &[account.into()],
        |row| {
            Ok(ExportedReview {
                id: row.get(0)?,
                product_id: row.get(1)?,
                rating: row.get(2)?,
                title: row.get(3)?,
                body: row.get(4)?,
                author: row.get(5)?,
                status: row.get(6)?,
                created_at: row.get(7)?,
            })
        },
    )
}

/// The reviews stay, for they are about the product; whose they are does not.
pub(crate) fn anonymise(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.execute("UPDATE review SET author = 'Cliente' WHERE account_id = $1", &[account.into()])?;
    Ok(())
}
