//! What a customer was told about an order by mail.

use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::fulfilment::ShipmentMail;
use crate::id::{MailId, OrderId};
#[cfg(feature = "nfe")]
use crate::invoicing::InvoiceMail;
use crate::mail::{Mailbox, ReadTemplate, read_template};
use crate::order::{self, OrderMail, Orders};
use crate::order_return::ReturnMail;
use crate::storage::{Row, Tx, params};
use crate::value::wire_enum;

/// The mails of one order that are shown, the latest ones.
const SHOWN: i64 = 200;
/// The templates of mails about orders.
const TEMPLATES: &[ReadTemplate] = &[
    read_template::<OrderMail>,
    read_template::<ReturnMail>,
    read_template::<ShipmentMail>,
    #[cfg(feature = "nfe")]
    read_template::<InvoiceMail>,
];

wire_enum! {
    /// How far a mail is.
    pub enum MailState {
        /// It waits for its turn.
        Waiting = "WAITING",
        /// The mail server took it.
        Sent = "SENT",
        /// Its tries failed, and it will be tried again.
        Failing = "FAILING",
        /// It is not tried any more.
        GivenUp = "GIVEN_UP",
    }
}

/// A mail about an order, without its body.
#[apply(answer!)]
pub struct MailOfOrder {
    /// Which one.
    pub id: MailId,
    /// What it tells, e.g. `order-placed`.
    pub kind: String,
    /// Its subject; `null` where another version of the program wrote it.
    pub subject: Option<String>,
    /// To which address.
    pub recipient: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// How far it is.
    pub state: MailState,
    /// When the mail server took it, if it did.
    pub sent_at: Option<Timestamp>,
    /// What went wrong with its last try, in a few words, where it is not sent.
    pub error: Option<String>,
}

impl Orders<'_> {
    /// The mails about an order, oldest first: those that wait, and those that were sent within the
    /// last 90 days.
    ///
    /// Cancel safe: reads only.
    ///
    /// # Errors
    /// [`Entity::Order`].
    pub async fn list_mails(&self, id: &OrderId) -> Result<Vec<MailOfOrder>> {
        let (id, cx) = (id.clone(), self.cx.clone());
        let job = move |tx: &mut dyn Tx| {
            if order::find(tx, &id)?.is_none() {
                return Err(Error::NotFound(Entity::Order));
            }
            tx.all(
                "SELECT id, kind, recipient, recipient_name, letter, created_at, sent_at,
                   next_try_at, last_error
                 FROM (SELECT * FROM mail WHERE order_id = $1 ORDER BY id DESC LIMIT $2) latest
                 ORDER BY id",
                params![&id, SHOWN],
                |row| read(&cx, row),
            )
        };
        self.cx.db().read("order.mails", job).await
    }
}

fn read(cx: &Context, row: &dyn Row) -> Result<MailOfOrder> {
    let to = Mailbox { email: row.get(2)?, name: row.get(3)? };
    let letter: String = row.get(4)?;
    let template = TEMPLATES.iter().find_map(|read| read(&letter));
    let subject = template.map(|mail| mail.render(cx, &to, None).page.subject);
    let (sent_at, next_try_at): (Option<Timestamp>, Option<Timestamp>) = (row.get(6)?, row.get(7)?);
    let error: Option<String> = row.get(8)?;
    let state = match (sent_at, next_try_at, &error) {
        (Some(_), _, _) => MailState::Sent,
        (None, None, _) => MailState::GivenUp,
        (None, Some(_), Some(_)) => MailState::Failing,
        (None, Some(_), None) => MailState::Waiting,
    };
    Ok(MailOfOrder {
        id: row.get(0)?,
        kind: row.get(1)?,
        subject,
        recipient: to.email.to_string(),
        created_at: row.get(5)?,
        state,
        sent_at,
        error: error.filter(|_| sent_at.is_none()),
    })
}
