//! Stock as staff and programs read and set it: items by id, article number or slug, with a
//! movement in the ledger, a line in the audit log, and the product marked as changed.
//!
//! Units that orders hold have left the stock, so a stock that is set is what is left to be sold.

mod apply;
mod item;

pub use self::apply::{StockDelta, StockOutcome, StockSet, StockSync, StockUpdate, SyncItem};
pub use self::item::{ItemStock, StockCount};
use crate::context::Context;

/// The units of products and variants: [`Shop::stock`](crate::Shop::stock).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
///
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// shop.stock().set(&Actor::System, &candle.id, None, 7.try_into()?, None).await?;
/// assert_eq!(shop.products().get(&candle.id).await?.stock, 7);
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Stocks<'a> {
    pub(crate) cx: &'a Context,
}
