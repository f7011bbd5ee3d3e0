//! Customers, as staff sees them: found by name or e-mail, with their orders, and kept out when they
//! must be.

use super::Account;
use crate::context::Context;
use crate::error::Result;
use crate::revision::Revision;

/// Whether a customer may log in.
#[apply(input!)]
#[derive(Copy)]
pub struct SetActive {
    /// False suspends the account at once.
    pub active: bool,
}

/// Customers, for staff: [`Shop::customers`](crate::Shop::customers).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::account::SetActive;
/// use shop_core::actor::Actor;
/// use shop_core::views::CustomerFilter;
///
/// let ana = shop.buyer("Ana").await?;
/// assert_eq!(shop.customers().list(CustomerFilter::default()).await?.data[0].name, "Ana");
/// // Suspends the account and ends its sessions.
/// let suspend = SetActive { active: false };
/// shop.customers().set_active(&Actor::System, &ana.id, suspend, None).await?;
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Customers<'a> {
    pub(crate) cx: &'a Context,
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
