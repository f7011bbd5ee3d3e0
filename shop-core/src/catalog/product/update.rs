//! How staff change a product.

use super::load::get;
use super::state::{AuditedState, ProductState, audit};
use super::{Product, store};
use crate::actor::Actor;
use crate::catalog::image::{self, NewImage};
use crate::catalog::{Products, edit};
use crate::context::Work;
use crate::error::Result;
use crate::id::{CategoryId, ProductId};
use crate::revision::Revision;
use crate::stock;
use crate::storage::Tx;
use crate::value::{
    Length, OptionalText, Price, Slug, StockLevel, Text, Weight, nullable_compare_price,
};

/// What staff change of a product; fields that are absent stay (`PATCH /api/admin/products/{id}`).
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "PatchProduct"))]
pub struct ProductPatch {
    /// What shoppers call it.
    pub name: Option<Text<2, 200>>,
    /// Its name in addresses, which no other product may have.
    pub slug: Option<Slug>,
    /// Plain text; null empties it.
    pub description: Option<Option<OptionalText<20_000>>>,
    /// What it costs.
    pub price: Option<Price>,
    #[own_form]
    /// What it used to cost; null or 0 clears it.
    #[serde(
        default,
        deserialize_with = "nullable_compare_price",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Option<Price>>,
    /// Its own units, as they were counted.
    pub stock: Option<StockLevel>,
    /// The shop's own article number; null clears it.
    pub sku: Option<Option<Text<1, 64>>>,
    /// In kilograms, with packaging; null clears it.
    pub weight: Option<Option<Weight>>,
    /// The first side in centimetres, packed for sending; null clears it.
    pub length: Option<Option<Length>>,
    /// The second side in centimetres, packed for sending; null clears it.
    pub width: Option<Option<Length>>,
    /// The third side in centimetres, packed for sending; null clears it.
    pub height: Option<Option<Length>>,
    /// The category it stands in; null takes it out of any.
    pub category_id: Option<Option<CategoryId>>,
    /// Whether the shop puts it forward.
    pub featured: Option<bool>,
    /// Whether it is on sale.
    pub active: Option<bool>,
    /// Whether it is sold in its variants only, never by itself.
    pub variant_required: Option<bool>,
    /// All its pictures from now on, at most 20.
    #[cfg_attr(feature = "schema", schemars(length(max = 20)))]
    pub images: Option<Vec<NewImage>>,
}

impl Products<'_> {
    /// Changes what the patch names, in the state that the caller saw ([`Product::revision`]),
    /// where one is given. Another count of units is booked as a movement.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`crate::error::Conflict`] for a slug or an SKU that something
    /// else has, and when the product changed meanwhile; [`crate::Error::Invalid`] when there is no
    /// such category or there are too many pictures.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &ProductId,
        patch: ProductPatch,
        expected: Option<Revision>,
    ) -> Result<Product> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = get(tx, &id)?;
            found.revision()?.check(expected.as_ref())?;
            let before = (&ProductState::of(&found), found.stock);
            apply(tx, &at, &by, &id, before, &patch)?;
            get(tx, &id)
        };
        edit(self.cx, "product.update", job).await
    }
}

/// Changes what the patch names of a product that is so.
///
/// # Errors
/// As [`Products::update`].
pub(in crate::catalog) fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ProductId,
    (before, units): AuditedState<'_>,
    patch: &ProductPatch,
) -> Result<()> {
    let after = before.patched(at, patch)?;
    let counted = patch.stock.map_or(units, StockLevel::get);
    let moved = stock::set(tx, at, id, id.as_str(), counted, by.into())?;
    if after == *before && moved.is_none() {
        return Ok(());
    }
    store::save(tx, at, id, before, &after)?;
    stock::announce(tx, at, moved.as_slice())?;
    let states = (Some((before, units)), Some((&after, counted)));
    audit(tx, at, by, "product.update", id, states.0, states.1)
}

impl ProductState {
    /// The state that a patch makes of this one.
    pub(in crate::catalog) fn patched(&self, at: &Work, patch: &ProductPatch) -> Result<Self> {
        let text = |text: &Option<OptionalText<20_000>>| {
            text.as_ref().map_or(String::new(), ToString::to_string)
        };
        let name = patch.name.as_ref().map_or(self.name.clone(), ToString::to_string);
        let images = match &patch.images {
            Some(new) => {
                image::check_count(new)?;
                self.images.replaced(at, &name, new)?
            }
            None => self.images.clone(),
        };
        Ok(Self {
            slug: patch.slug.clone().unwrap_or_else(|| self.slug.clone()),
            description: patch.description.as_ref().map_or(self.description.clone(), text),
            price: patch.price.map_or(self.price, Price::get),
            compare_price: patch.compare_price.map_or(self.compare_price, |p| p.map(Price::get)),
            sku: match &patch.sku {
                Some(sku) => sku.as_ref().map(ToString::to_string),
                None => self.sku.clone(),
            },
            weight: patch.weight.unwrap_or(self.weight),
            length: patch.length.unwrap_or(self.length),
            width: patch.width.unwrap_or(self.width),
            height: patch.height.unwrap_or(self.height),
            featured: patch.featured.unwrap_or(self.featured),
            active: patch.active.unwrap_or(self.active),
            variant_required: patch.variant_required.unwrap_or(self.variant_required),
            category_id: patch.category_id.clone().unwrap_or(self.category_id.clone()),
            images,
            name,
        })
    }
}
