//! An order, as staff sees and changes one: with its customer, payments, history and notes.

use std::collections::HashMap;

use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{AccountId, OrderId};
#[cfg(feature = "nfe")]
use crate::invoicing;
use crate::lane;
use crate::order::{self, Order, OrderActor, OrderNote, OrderPatch, OrderStatus, Orders};
use crate::order_return::{self, OrderReturn};
use crate::payment::{PaymentAttempt, Refund, store as payment_store};
use crate::revision::Revision;
use crate::shipment::{self, Shipment};
use crate::shipping::packing::{self, PackedParcel};
use crate::storage::{PLACES, Tx, list_placed, params, read_columns};
use crate::value::{Cpf, Email, OptionalText};

/// Who ordered.
#[apply(answer!)]
pub struct OrderCustomer {
    /// The account.
    pub id: AccountId,
    /// The person's name, as it is now.
    pub name: String,
    /// The e-mail, as it is now.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub email: Email,
    /// The phone, if the account has one.
    pub phone: Option<String>,
    /// The taxpayer number, if the account has one.
    pub cpf: Option<Cpf>,
    /// Whether it is a guest's, without a password.
    pub guest: bool,
}

/// An order with all that staff know about it.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
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
    /// The goods that come back, oldest return first.
    pub returns: Vec<OrderReturn>,
    /// Every status that it was moved to, oldest first.
    pub history: Vec<OrderMove>,
    /// What staff wrote about it, oldest first.
    pub internal_notes: Vec<OrderNote>,
    /// The parcels that it was quoted with; none for orders that are older than packing, and for
    /// those that need more than 1,000.
    pub packing: Vec<PackedParcel>,
    /// Its parcels with their labels, also those that were given up.
    pub shipments: Vec<Shipment>,
}

/// A move of an order to another status.
#[apply(answer!)]
pub struct OrderMove {
    /// Where it was moved to.
    pub status: OrderStatus,
    /// By whom: `PAYMENT` (the money came), `SWEEPER` (it did not), `CARRIER` (its parcels were
    /// posted or arrived), `CUSTOMER`, `STAFF`, `KEY` (a program) or `SYSTEM` (the operator, on the
    /// command line).
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub actor: OrderActor,
    /// The id of the account or API key.
    pub actor_id: Option<String>,
    /// The person's name, as it is now, the API key's, or the program's.
    pub actor_name: Option<String>,
    /// What was said about it.
    pub note: Option<String>,
    /// When it was moved.
    pub created_at: Timestamp,
}

impl Orders<'_> {
    /// An order with all that staff know about it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_detail(&self, id: &OrderId) -> Result<OrderDetail> {
        let id = id.clone();
        self.cx.db().read("order.detail", move |tx| detail(tx, &id)).await
    }

    /// Changes an order: moves it from any status to any, sets its tracking code and carrier, and
    /// mends its address as long as no invoice and no label says another. Units go back to the
    /// shelf or are taken again as the status demands, in the same transaction; the status that the
    /// order already has changes nothing, and a note that comes with it becomes an internal note. A
    /// tracking code that comes with SHIPPED stands in the mail that says so.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where the order is not as the
    /// caller saw it; [`crate::error::Conflict::AddressFixed`] for the address of an order that has
    /// an invoice or a label, or was delivered; [`crate::error::Refusal::InsufficientStock`] when a
    /// cancelled order cannot have its units again.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &OrderId,
        change: OrderPatch,
        expected: Option<Revision>,
    ) -> Result<OrderDetail> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let order = order::find(tx, &id)?.ok_or(Error::NotFound(Entity::Order))?;
            order.revision()?.check(expected.as_ref())?;
            if change.address.is_some() {
                Conflict::AddressFixed.unless(!shipment::says_address(tx, &id)?)?;
                #[cfg(feature = "nfe")]
                Conflict::AddressFixed.unless(!invoicing::says_address(tx, &id)?)?;
            }
            order::apply(tx, &at, &by, &order, &change)?;
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
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_status(
        &self,
        id: &OrderId,
        status: OrderStatus,
        note: Option<OptionalText<1000>>,
    ) -> Result<Order> {
        let change = OrderPatch { status: Some(status), note, ..OrderPatch::default() };
        self.update(&Actor::System, id, change, None).await.map(|detail| detail.order)
    }
}

fn detail(tx: &mut dyn Tx, id: &OrderId) -> Result<OrderDetail> {
    let order = order::find(tx, id)?.ok_or(Error::NotFound(Entity::Order))?;
    Ok(OrderDetail {
        user: customer(tx, &order.user_id)?,
        payments: payment_store::of_order(tx, id)?,
        refunds: payment_store::refund::of_order(tx, id)?,
        returns: order_return::of_order(tx, id)?,
        history: history(tx, id)?,
        internal_notes: order::notes(tx, id)?,
        packing: packing::of_order(tx, id)?.unwrap_or_default().parcels,
        shipments: shipment::of_order(tx, id)?.into_iter().map(|it| it.shipment).collect(),
        order,
    })
}

/// Who an order or a return is of.
pub(super) fn customer(tx: &mut dyn Tx, id: &AccountId) -> Result<OrderCustomer> {
    let found = customers(tx, std::slice::from_ref(id))?.remove(id);
    found.ok_or_else(|| Error::internal("an order without an account"))
}

/// Those of these customers that there are.
pub(super) fn customers(
    tx: &mut dyn Tx,
    ids: &[AccountId],
) -> Result<HashMap<AccountId, OrderCustomer>> {
    let sql =
        format!("SELECT id, name, email, phone, cpf, guest FROM account WHERE id IN ({})", *PLACES);
    let found: Vec<OrderCustomer> = list_placed(tx, &sql, ids)?;
    Ok(found.into_iter().map(|customer| (customer.id.clone(), customer)).collect())
}

read_columns!(OrderCustomer: id, name, email, phone, cpf, guest);

fn history(tx: &mut dyn Tx, id: &OrderId) -> Result<Vec<OrderMove>> {
    tx.list(
        "SELECT h.status, h.actor, h.actor_id,
                CASE h.actor WHEN 'SYSTEM' THEN h.actor_id ELSE COALESCE(who.name, program.name) END,
                h.note, h.created_at
         FROM order_history h LEFT JOIN account who ON who.id = h.actor_id
         LEFT JOIN api_key program ON program.id = h.actor_id
         WHERE h.order_id = $1 ORDER BY h.id",
        params![id],
    )
}

read_columns!(OrderMove: status, actor, actor_id, actor_name, note, created_at);
