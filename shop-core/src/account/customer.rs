//! Customers, as staff sees them: found by name or e-mail, with their orders, and kept out when
//! they must be.

use super::Account;
use crate::context::Context;

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

revised! {
    /// The state that staff sees and changes.
    Account |it| it;
}
