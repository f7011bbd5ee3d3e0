//! An order as staff see and change it.

use serde::{Deserialize, Serialize};

use super::note::{self, OrderNote};
use super::{
    AccountId, Change, MovedBy, Order, OrderId, OrderStatus, Orders, change_status, store,
};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::lane;
use crate::payment::{self, PaymentAttempt, Refund};
use crate::revision::Revision;
use crate::storage::{Row, Tx};
use crate::value::{Cpf, OptionalText, Text, not_null, nullable};

/// Who ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrderCustomer {
    /// The account.
    pub id: AccountId,
    /// The person's name, as it is now.
    pub name: String,
    /// The e-mail, as it is now.
    pub email: String,
    /// The phone, if the person told it.
    pub phone: Option<String>,
    /// The taxpayer number, if the person told it.
    pub cpf: Option<Cpf>,
}

/// An order with all that staff know about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderDetail {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// Who ordered.
    pub user: OrderCustomer,
    /// Every attempt to pay it, oldest first.
    pub payments: Vec<PaymentAttempt>,
    /// The money that went back, oldest first.
    pub refunds: Vec<Refund>,
    /// Every status that it was moved to, oldest first.
    pub history: Vec<OrderMove>,
    /// What staff wrote about it, oldest first.
    pub internal_notes: Vec<OrderNote>,
}

/// A move of an order to another status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderMove {
    /// Where it was moved to.
    pub status: OrderStatus,
    /// By whom: `PAYMENT` (the money came), `SWEEPER` (it did not), `STAFF`, `KEY` (a program) or
    /// `SYSTEM` (who has the machine).
    pub actor: String,
    /// Which person or program.
    pub actor_id: Option<String>,
    /// The person's name, as it is now.
    pub actor_name: Option<String>,
    /// What was said about it.
    pub note: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// What staff change of an order; what is absent stays (`PATCH /api/admin/orders/{id}`).
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpdateOrder {
    /// Where it moves to; from any to any (decision 3).
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OrderStatus"))]
    pub status: Option<OrderStatus>,
    /// Kept with the move; without a status, or with the one that the order has, it becomes an
    /// internal note. Staff only.
    pub note: Option<OptionalText<1000>>,
    /// By which the carrier finds the parcel; null forgets it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub tracking_code: Option<Option<Text<1, 60>>>,
    /// Who carries the parcel; null forgets it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Option<Text<1, 60>>>,
}

/// What a revision of an order covers, and what the audit log keeps of a change.
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

impl Order {
    /// The state that staff see and change: status, tracking code and carrier.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(&Managed::of(self))
    }
}

impl Orders<'_> {
    /// An order with all that staff know about it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn detail(&self, id: &OrderId) -> Result<OrderDetail> {
        let id = id.clone();
        self.cx.db().lookup("order.detail", move |tx| detail(tx, &id)).await
    }

    /// Any customer's order.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn find(&self, id: &OrderId) -> Result<Order> {
        let id = id.clone();
        let found = self.cx.db().lookup("order.find", move |tx| store::find(tx, &id)).await?;
        found.ok_or(Error::NotFound(Entity::Order))
    }

    /// Changes an order: moves it from any status to any (decision 3), keeps how its parcel is
    /// found. Units go back to the shelf or are taken again as the status demands, in the same
    /// transaction; the status that the order already has changes nothing, and a note that comes with it becomes an
    /// internal note. A tracking code that
    /// comes with SHIPPED stands in the mail that says so.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where the order is not as the
    /// caller saw it; [`crate::error::Refusal::InsufficientStock`] when a cancelled order cannot
    /// have its units again.
    pub async fn update(
        &self,
        by: &Actor,
        id: &OrderId,
        change: UpdateOrder,
        seen: Option<Revision>,
    ) -> Result<OrderDetail> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let order = store::find(tx, &id)?.ok_or(Error::NotFound(Entity::Order))?;
            order.revision()?.check(seen.as_ref())?;
            apply(tx, &at, &by, &order, &change)?;
            detail(tx, &id)
        };
        let detail = self.cx.db().write(lane::ORDERS, "order.update", job).await?;
        self.cx.mail_written();
        Ok(detail)
    }

    /// Moves an order in the shop's own name; staff use [`Orders::update`].
    ///
    /// # Errors
    /// As [`Orders::update`].
    pub async fn set_status(
        &self,
        id: &OrderId,
        status: OrderStatus,
        note: Option<OptionalText<1000>>,
    ) -> Result<Order> {
        let change = UpdateOrder { status: Some(status), note, ..UpdateOrder::default() };
        self.update(&Actor::System, id, change, None).await.map(|detail| detail.order)
    }
}

fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &Order,
    change: &UpdateOrder,
) -> Result<()> {
    let mut now = order.clone();
    let text = |text: &Option<Text<1, 60>>| text.as_ref().map(ToString::to_string);
    if let Some(code) = &change.tracking_code {
        now.tracking_code = text(code);
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
    let (before, after) = (Managed::of(order), Managed::of(&now));
    audit::record(tx, at, by, "order.update", order.id.as_str(), &before, &after)
}

fn detail(tx: &mut dyn Tx, id: &OrderId) -> Result<OrderDetail> {
    let order = store::find(tx, id)?.ok_or(Error::NotFound(Entity::Order))?;
    let user = customer(tx, &order.user_id)?;
    Ok(OrderDetail {
        user: user.ok_or_else(|| Error::internal("an order of nobody"))?,
        payments: payment::attempts(tx, id)?,
        refunds: payment::refunds(tx, id)?,
        history: history(tx, id)?,
        internal_notes: note::of_order(tx, id)?,
        order,
    })
}

fn customer(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<OrderCustomer>> {
    let sql = "SELECT id, name, email, phone, cpf FROM account WHERE id = $1";
    tx.one(sql, &[id.into()], |row| read_customer(row, 0))
}

/// Reads who ordered from five columns.
pub(super) fn read_customer(row: &dyn Row, first: usize) -> Result<OrderCustomer> {
    Ok(OrderCustomer {
        id: row.get(first)?,
        name: row.get(first + 1)?,
        email: row.get(first + 2)?,
        phone: row.get(first + 3)?,
        cpf: row.get(first + 4)?,
    })
}

fn history(tx: &mut dyn Tx, id: &OrderId) -> Result<Vec<OrderMove>> {
    tx.all(
        "SELECT h.status, h.actor, h.actor_id, who.name, h.note, h.created_at
         FROM order_history h LEFT JOIN account who ON who.id = h.actor_id
         WHERE h.order_id = $1 ORDER BY h.id",
        &[id.into()],
        |row| {
            Ok(OrderMove {
                status: row.get(0)?,
                actor: row.get(1)?,
                actor_id: row.get(2)?,
                actor_name: row.get(3)?,
                note: row.get(4)?,
                created_at: row.get(5)?,
            })
        },
    )
}
