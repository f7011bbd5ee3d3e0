//! Customers, as staff sees them: found by name or e-mail, with their orders, and kept out when they
//! must be.

mod search;

use serde::{Deserialize, Serialize};

use self::search::list;
pub(crate) use self::search::matching;
use super::{
    Account, AccountExport, Address, Known, address, admin, by_id, privacy, reset,
    sessions_after_change,
};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{AccountId, OrderId};
use crate::lane;
use crate::money::Money;
use crate::order::OrderStatus;
use crate::page::{Page, PageLimit, PageNumber};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{Email, OptionalText};

/// So many of a customer's orders are shown with him.
const ORDERS_SHOWN: i64 = 50;

/// Which customers to list, latest first (`GET /api/admin/customers`).
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CustomerFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// Words of the name or the e-mail, each by its beginning; or the beginning of an e-mail up to
    /// its `@` and beyond.
    pub search: Option<OptionalText<120>>,
    /// Only those who can log in, or only those who are suspended.
    pub active: Option<bool>,
}

/// A customer, as a list shows him.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CustomerSummary {
    /// Of the account.
    pub id: AccountId,
    /// The person's name.
    pub name: String,
    /// As it was entered.
    pub email: Email,
    /// False when suspended.
    pub is_active: bool,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// How much there is of what hangs on him.
    #[serde(rename = "_count")]
    pub count: CustomerCount,
}

/// How much there is of what hangs on a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CustomerCount {
    /// Orders, whatever became of them.
    pub orders: i64,
}

/// A customer with his orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    /// The account.
    #[serde(flatten)]
    pub account: Account,
    /// How much there is of what hangs on him.
    #[serde(rename = "_count")]
    pub count: CustomerCount,
    /// What the orders came to that were paid and stayed so.
    pub total_spent: Money,
    /// The address book.
    pub addresses: Vec<Address>,
    /// The latest 50 orders, latest first.
    pub orders: Vec<CustomerOrder>,
}

/// An order, as its customer's page shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CustomerOrder {
    /// Its id.
    pub id: OrderId,
    /// The number that people use.
    pub order_number: String,
    /// How far it is.
    pub status: OrderStatus,
    /// What it comes to.
    pub total: Money,
    /// When it was placed.
    pub created_at: Timestamp,
}

/// Whether somebody may log in.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetActive {
    /// False suspends the account at once.
    pub active: bool,
}

/// Customers, for staff: [`Shop::customers`].
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::account::{CustomerFilter, SetActive};
/// use shop_core::actor::Actor;
///
/// let ana = shop.buyer("Ana").await?;
/// assert_eq!(shop.customers().list(CustomerFilter::default()).await?.data[0].name, "Ana");
/// // Suspends the account and ends its sessions.
/// let suspend = SetActive { active: false };
/// shop.customers().set_active(&Actor::System, &ana.id, suspend, None).await?;
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Customers<'a> {
    pub(super) cx: &'a Context,
}

impl<'a> Customers<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// The customers that a filter finds. Of what a search finds no more than 10,000 are counted.
    pub async fn list(&self, filter: CustomerFilter) -> Result<Page<CustomerSummary>> {
        self.cx.db().read("customer.list", move |tx| list(tx, &filter)).await
    }

    /// An account with its orders.
    ///
    /// # Errors
    /// [`Entity::Account`].
    pub async fn get(&self, id: &AccountId) -> Result<Customer> {
        let id = id.clone();
        self.cx.db().read("customer.get", move |tx| find(tx, &id)).await
    }

    /// All that the shop keeps about a person, who asked the shop for it. The audit log keeps who
    /// took it along.
    ///
    /// # Errors
    /// [`Entity::Account`].
    pub async fn export_person(&self, by: &Actor, id: &AccountId) -> Result<AccountExport> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let exported = privacy::export(tx, &id, at.now())?;
            audit::record(tx, &at, &by, "customer.export", id.as_str(), &(), &())?;
            Ok(exported)
        };
        self.cx.db().write(lane::CUSTOMERS, "customer.export_person", job).await
    }

    /// Suspends an account or lets it in again. With a suspension all its sessions are over, and
    /// they stay so.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Conflict::OwnAccount`] for who suspends himself;
    /// [`Conflict::LastAdmin`] for the last account that can run the shop;
    /// [`Conflict::Changed`] where the account is not as the caller saw it.
    pub async fn set_active(
        &self,
        by: &Actor,
        id: &AccountId,
        wanted: SetActive,
        seen: Option<Revision>,
    ) -> Result<Customer> {
        if !wanted.active && *by == Actor::Admin(id.clone()) {
            return Err(Error::Conflict(Conflict::OwnAccount));
        }
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let known = by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Account))?;
            known.account.revision()?.check(seen.as_ref())?;
            if known.account.is_active != wanted.active {
                set_active(tx, &at, &by, &known.account, wanted.active)?;
            }
            find(tx, &id)
        };
        self.cx.db().write(lane::CUSTOMERS, "customer.set_active", job).await
    }
}

impl Account {
    /// The state that staff sees and changes.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }
}

fn set_active(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    account: &Account,
    active: bool,
) -> Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Noted {
        is_active: bool,
    }
    let id = &account.id;
    if active {
        activate(tx, at, id)?;
    } else {
        admin::refuse_last(tx, account)?;
        suspend(tx, at, id)?;
        reset::forget_links(tx, id)?;
    }
    let action = if active { "customer.activate" } else { "customer.suspend" };
    let (before, after) = (Noted { is_active: account.is_active }, Noted { is_active: active });
    audit::record(tx, at, by, action, id.as_str(), &before, &after)
}

fn find(tx: &mut dyn Tx, id: &AccountId) -> Result<Customer> {
    let Known { account, .. } = by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    let (orders, total_spent) = order_totals(tx, id)?;
    Ok(Customer {
        account,
        count: CustomerCount { orders },
        total_spent,
        addresses: address::list(tx, id)?,
        orders: latest_orders(tx, id)?,
    })
}

fn order_totals(tx: &mut dyn Tx, id: &AccountId) -> Result<(i64, Money)> {
    let totals = tx.one(
        "SELECT count(*), coalesce(sum(CASE WHEN status IN ('PROCESSING', 'SHIPPED', 'DELIVERED')
           THEN total ELSE 0 END), 0)
         FROM orders WHERE account_id = $1",
        &[id.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(totals.unwrap_or_default())
}

fn latest_orders(tx: &mut dyn Tx, id: &AccountId) -> Result<Vec<CustomerOrder>> {
    tx.all(
        "SELECT id, number, status, total, created_at FROM orders
         WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
        &[id.into(), ORDERS_SHOWN.into()],
        |row| {
            Ok(CustomerOrder {
                id: row.get(0)?,
                order_number: row.get(1)?,
                status: row.get(2)?,
                total: row.get(3)?,
                created_at: row.get(4)?,
            })
        },
    )
}

fn activate(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE account SET active = 1, updated_at = $1 WHERE id = $2",
        &[at.now().into(), id.into()],
    )
    .map(drop)
}

/// The sessions of now must not come back to life with the account.
fn suspend(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE account SET active = 0, updated_at = $1,
           sessions_from = CASE WHEN sessions_from < $2 THEN $2 ELSE sessions_from + 1 END
         WHERE id = $3",
        &[at.now().into(), sessions_after_change(at.now()).into(), id.into()],
    )
    .map(drop)
}
