//! The handle of products. Its methods stand with their rules: reading and changing in `product/`,
//! lists in `listing/`, search in `search/`, variants in `variant/`, files in `file/`, and
//! deletion, which other aggregates take part in, in `removal`.

use super::caches::CatalogCaches;
use super::query_cache::Now;
use crate::context::Context;

/// The shop's products.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::catalog::{NewProduct, ProductFilter, ProductSort};
///
/// let new = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
/// shop.products().create(&Actor::System, new, None).await?;
///
/// let filter = ProductFilter { sort: ProductSort::PriceAsc, ..ProductFilter::default() };
/// let page = shop.products().list(filter).await?;
/// let candle = shop.products().get_by_slug(page.data[0].slug.as_str()).await?;
/// assert_eq!((candle.name.as_str(), candle.stock), ("Vela de Lavanda", 10));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Products<'a> {
    pub(crate) cx: &'a Context,
    pub(super) caches: &'a CatalogCaches,
}

impl<'a> Products<'a> {
    pub(crate) fn new(cx: &'a Context, caches: &'a CatalogCaches) -> Self {
        Self { cx, caches }
    }

    pub(super) fn now(&self) -> Now<'_> {
        Now { generations: self.cx.generations(), clock: self.cx.clock() }
    }
}
