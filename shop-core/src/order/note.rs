//! What staff, or the shop itself, wrote about an order; never shown to the customer.

use super::{OrderId, Orders, store};
use crate::account;
use crate::actor::Actor;
use crate::api_key;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::lane;
use crate::storage::{Tx, params};
use crate::value::Text;

/// An internal note.
#[apply(answer!)]
pub struct OrderNote {
    /// A number that counts up, as text.
    pub id: String,
    /// The text, 1 to 1000 characters.
    pub note: String,
    /// The author: a person's, an API key's or a program's name; `Loja` for the operator on the
    /// command line; `Sistema` for the shop itself.
    pub author: String,
    /// When it was written.
    pub created_at: Timestamp,
}

/// A note to be added (`POST /api/admin/orders/{id}/notes`).
#[apply(input!)]
pub struct NewOrderNote {
    /// The text, 1 to 1000 characters.
    pub note: Text<1, 1000>,
}

impl Orders<'_> {
    /// Adds an internal note to an order.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn add_note(&self, by: &Actor, id: &OrderId, new: NewOrderNote) -> Result<OrderNote> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            store::must_exist(tx, &id)?;
            write(tx, &at, &by, &id, new.note.as_str())
        };
        self.cx.db().write(lane::ORDERS, "order.add_note", job).await
    }
}

/// Writes a note under its author's name.
pub(crate) fn write(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &OrderId,
    note: &str,
) -> Result<OrderNote> {
    let author = match by {
        Actor::Admin(id) => account::name_of(tx, id)?.unwrap_or_else(|| "Equipe".to_owned()),
        Actor::Key(id) => api_key::name_of(tx, id)?.unwrap_or_else(|| "API".to_owned()),
        Actor::Host(name) => name.to_string(),
        Actor::System => "Loja".to_owned(),
    };
    let id: i64 = tx.value(
        "INSERT INTO order_note (order_id, author, body, created_at) VALUES ($1, $2, $3, $4)
         RETURNING id",
        params![order, &author, note, at.now()],
    )?;
    // What it says is not repeated in the log: it may be about the customer.
    audit::record(tx, at, by, "order.note", order.as_str(), &(), &())?;
    let (id, note) = (id.to_string(), note.to_owned());
    Ok(OrderNote { id, note, author, created_at: at.now() })
}

/// Writes a note of the shop itself. It has no personal data, for it outlives the customer's
/// account.
pub(crate) fn add_own(tx: &mut dyn Tx, at: &Work, order: &OrderId, note: &str) -> Result<()> {
    tx.run(
        "INSERT INTO order_note (order_id, author, body, created_at, by_shop)
         VALUES ($1, 'Sistema', $2, $3, 1)",
        params![order, note, at.now()],
    )
}

/// All notes of an order, oldest first.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<OrderNote>> {
    tx.all(
        "SELECT id, body, author, created_at FROM order_note WHERE order_id = $1 ORDER BY id",
        params![order],
        |row| {
            Ok(OrderNote {
                id: row.get::<i64>(0)?.to_string(),
                note: row.get(1)?,
                author: row.get(2)?,
                created_at: row.get(3)?,
            })
        },
    )
}

/// Deletes what staff wrote about an order.
pub(super) fn delete_of_staff(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.run("DELETE FROM order_note WHERE order_id = $1 AND by_shop = 0", params![order])
}
