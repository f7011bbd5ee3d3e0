//! A customer, as staff see one: the account with its addresses and orders.

use super::customer_search::CustomerCount;
use crate::account::{self, Account, Address, Customers, Known, SetActive, by_id};
use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId};
use crate::lane;
use crate::money::Money;
use crate::order::OrderStatus;
use crate::revision::Revision;
use crate::storage::{Tx, params, read_columns};

/// How many of a customer's orders are shown.
const ORDERS_SHOWN: i64 = 50;

/// What was paid for orders `o` and was neither refunded nor charged back. Payments say so,
/// whatever the orders' status says.
pub(super) const TOTAL_SPENT: &str =
    "CAST(coalesce(sum((SELECT sum(p.captured - p.refunded - p.charged_back) FROM payment p
                        WHERE p.order_id = o.id AND p.status = 'PAID')), 0) AS BIGINT)";

/// A customer with the latest orders.
#[apply(answer!)]
pub struct Customer {
    /// The account.
    #[serde(flatten)]
    pub account: Account,
    /// Counts of what belongs to the account.
    #[serde(rename = "_count")]
    pub count: CustomerCount,
    /// What was paid for the orders, without what was refunded or charged back.
    pub total_spent: Money,
    /// The address book.
    pub addresses: Vec<Address>,
    /// The latest 50 orders, latest first.
    pub orders: Vec<CustomerOrder>,
}

/// An order, as its customer's page shows it.
#[apply(answer!)]
pub struct CustomerOrder {
    /// The order's id.
    pub id: OrderId,
    /// The number that people use.
    pub order_number: String,
    /// The order's state.
    pub status: OrderStatus,
    /// What it comes to.
    pub total: Money,
    /// When it was placed.
    pub created_at: Timestamp,
}

impl Customers<'_> {
    /// An account with its orders.
    ///
    /// # Errors
    /// [`Entity::Account`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &AccountId) -> Result<Customer> {
        let id = id.clone();
        self.cx.db().read("customer.get", move |tx| find(tx, &id)).await
    }

    /// Suspends an account or lets it in again. With a suspension all its sessions are over, and
    /// they stay so.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Conflict::OwnAccount`](crate::error::Conflict::OwnAccount) for an
    /// administrator's own account; [`Conflict::LastAdmin`](crate::error::Conflict::LastAdmin) for
    /// the last account that can run the shop;
    /// [`Conflict::Changed`](crate::error::Conflict::Changed) where the account is not as the
    /// caller saw it.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_active(
        &self,
        by: &Actor,
        id: &AccountId,
        wanted: SetActive,
        expected: Option<Revision>,
    ) -> Result<Customer> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            account::set_active(tx, &at, &by, &id, wanted.active, expected.as_ref())?;
            find(tx, &id)
        };
        self.cx.db().write(lane::CUSTOMERS, "customer.set_active", job).await
    }
}

fn find(tx: &mut dyn Tx, id: &AccountId) -> Result<Customer> {
    let Known { account, .. } = by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    let (orders, total_spent) = order_totals(tx, id)?;
    Ok(Customer {
        account,
        count: CustomerCount { orders },
        total_spent,
        addresses: account::addresses(tx, id)?,
        orders: latest_orders(tx, id)?,
    })
}

fn order_totals(tx: &mut dyn Tx, id: &AccountId) -> Result<(i64, Money)> {
    let sql = format!("SELECT count(*), {TOTAL_SPENT} FROM orders o WHERE o.account_id = $1");
    Ok(tx.find(&sql, params![id])?.unwrap_or_default())
}

fn latest_orders(tx: &mut dyn Tx, id: &AccountId) -> Result<Vec<CustomerOrder>> {
    tx.list(
        "SELECT id, number, status, total, created_at FROM orders
         WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
        params![id, ORDERS_SHOWN],
    )
}

read_columns!(CustomerOrder: id, order_number, status, total, created_at);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn a_customer_is_shown_without_looking_at_others_orders() {
        let job = move |tx: &mut dyn Tx| {
            order_totals(tx, &"x".into())?;
            latest_orders(tx, &"x".into()).map(drop)
        };
        let plan = explain::plan(job).await;
        assert!(plan.len() > 1, "{plan:?}");
        assert_eq!(explain::costly(&plan, &[]), [""; 0], "{plan:#?}");
    }
}
