//! Customers, as staff sees them: found by name or e-mail, with their orders, and kept out when they
//! must be.

mod search;

use serde::{Deserialize, Serialize};

use self::search::list;
pub(crate) use self::search::matching;
use super::Account;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::id::AccountId;
use crate::page::{Page, PageLimit, PageNumber};
use crate::revision::Revision;
use crate::value::{Email, OptionalText};

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

/// Whether somebody may log in.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetActive {
    /// False suspends the account at once.
    pub active: bool,
}

/// Customers, for staff: [`Shop::customers`](crate::Shop::customers).
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
    pub(crate) cx: &'a Context,
}

impl<'a> Customers<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// The customers that a filter finds. Of what a search finds no more than 10,000 are counted.
    pub async fn list(&self, filter: CustomerFilter) -> Result<Page<CustomerSummary>> {
        self.cx.db().read("customer.list", move |tx| list(tx, &filter)).await
    }
}

impl Account {
    /// The state that staff sees and changes.
    ///
    /// # Errors
    /// [`Error::Internal`](crate::Error::Internal) when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }
}
