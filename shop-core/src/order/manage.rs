//! An order as staff see and change it.

use serde::Serialize;

use super::{
    Change, MovedBy, NewOrderAddress, Order, OrderAddress, OrderId, OrderStatus, Orders, address,
    change_status, note, store,
};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{OptionalText, Text};

/// What staff change of an order; what is absent stays (`PATCH /api/admin/orders/{id}`).
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "UpdateOrder"))]
pub struct OrderPatch {
    /// The new status; staff may move an order from any status to any.
    pub status: Option<OrderStatus>,
    #[own_form]
    /// Kept with the move; without a status, or with the one that the order has, it becomes an
    /// internal note. Staff only.
    pub note: Option<OptionalText<1000>>,
    /// The carrier's code of the parcel; null clears it.
    pub tracking_code: Option<Option<Text<1, 60>>>,
    /// The carrier of the parcel; null clears it.
    pub carrier: Option<Option<Text<1, 60>>>,
    /// Where it goes, whole, as long as no invoice says another address and it was not delivered.
    /// The price of the shipping stays.
    pub address: Option<NewOrderAddress>,
}

/// What a revision of an order covers.
#[derive(Serialize)]
struct Revised<'a> {
    #[serde(flatten)]
    managed: Managed<'a>,
    address: &'a OrderAddress,
}

/// What staff change by hand, besides the address.
#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Managed<'a> {
    status: OrderStatus,
    tracking_code: Option<&'a str>,
    carrier: Option<&'a str>,
}

impl<'a> Managed<'a> {
    fn of(order: &'a Order) -> Self {
        Self {
            status: order.status,
            tracking_code: order.tracking_code.as_deref(),
            carrier: order.carrier.as_deref(),
        }
    }
}

/// What the audit log keeps of a change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logged<'a> {
    status: OrderStatus,
    tracking_code: Option<String>,
    carrier: Option<&'a str>,
}

impl<'a> From<Managed<'a>> for Logged<'a> {
    fn from(Managed { status, tracking_code, carrier }: Managed<'a>) -> Self {
        Self { status, tracking_code: tracking_code.map(audit::end_of_code), carrier }
    }
}

impl Order {
    /// The state that staff see and change: status, tracking code, carrier and address.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(&Revised { managed: Managed::of(self), address: &self.address })
    }
}

impl Orders<'_> {
    /// Any customer's order.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &OrderId) -> Result<Order> {
        let id = id.clone();
        let found = self.cx.db().read("order.get_any", move |tx| store::find(tx, &id)).await?;
        found.ok_or(Error::NotFound(Entity::Order))
    }
}

/// A code of Correios in capitals and without blanks, as their page finds it, however it was
/// copied. Others are kept as they are.
fn tidy(code: String) -> String {
    let plain: String = code.split_whitespace().collect::<String>().to_ascii_uppercase();
    let is_of_correios = plain.len() == 13
        && plain.char_indices().all(|(at, letter)| match at {
            2..=10 => letter.is_ascii_digit(),
            _ => letter.is_ascii_uppercase(),
        });
    if is_of_correios { plain } else { code }
}

/// Applies what staff change of an order.
pub(crate) fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &Order,
    change: &OrderPatch,
) -> Result<()> {
    let mut now = order.clone();
    if let Some(address) = &change.address {
        now.address = address::mend(tx, at, by, order, address)?;
    }
    let text = |text: &Option<Text<1, 60>>| text.as_ref().map(ToString::to_string);
    if let Some(code) = &change.tracking_code {
        now.tracking_code = text(code).map(tidy);
    }
    if let Some(carrier) = &change.carrier {
        now.carrier = text(carrier);
    }
    if (&now.tracking_code, &now.carrier) != (&order.tracking_code, &order.carrier) {
        let (code, carrier) = (now.tracking_code.as_deref(), now.carrier.as_deref());
        store::set_tracking(tx, &order.id, code, carrier, at.now())?;
    }
    let note = change.note.as_ref().map(OptionalText::as_str).filter(|note| !note.is_empty());
    match change.status.filter(|to| *to != order.status) {
        Some(to) => {
            let change = Change { to, by: MovedBy::Staff(by), note };
            now = change_status(tx, at, &now, &change)?;
        }
        None => {
            if let Some(text) = note {
                note::write(tx, at, by, &order.id, text)?;
            }
        }
    }
    if Managed::of(order) == Managed::of(&now) {
        return Ok(());
    }
    let (before, after) = (Logged::from(Managed::of(order)), Logged::from(Managed::of(&now)));
    audit::record(tx, at, by, "order.update", order.id.as_str(), &before, &after)
}
