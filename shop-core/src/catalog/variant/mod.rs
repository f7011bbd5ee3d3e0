//! Variants: what a product can be had as, each with its own price and stock. Options of kinds of
//! variation ([`super::VariantTypes`]) tell them apart.

mod store;

use serde::{Deserialize, Serialize};

pub(crate) use self::store::insert;
pub(super) use self::store::{copy, erase, of_product};
use super::product::Products;
use super::sheet::touch;
use crate::actor::Actor;
use crate::audit;
use crate::cart;
use crate::context::Work;
use crate::error::Result;
use crate::id::{ProductId, VariantId, VariantOptionId};
use crate::lane;
use crate::money::Money;
use crate::revision::Revision;
use crate::stock;
use crate::storage::Tx;
use crate::value::{
    Price, StockLevel, Text, compare_price, not_null, nullable, nullable_compare_price,
};

/// A variant of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// Its own id.
    pub id: VariantId,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Its own units.
    pub stock: i64,
    /// The shop's own article number.
    pub sku: Option<String>,
    /// What sets it apart.
    pub values: Vec<VariantValue>,
}

/// One of the things that set a variant apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VariantValue {
    /// The kind of variation, e.g. "Tamanho".
    pub variant_type: String,
    /// Its option, e.g. "200 g".
    pub value: String,
}

/// A variant as staff see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdminVariant {
    /// Its own id.
    pub id: VariantId,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Its own units.
    pub stock: i64,
    /// The shop's own article number, unique over products and variants.
    pub sku: Option<String>,
    /// What sets it apart.
    pub values: Vec<AdminVariantValue>,
}

/// One of the things that set a variant apart, with the option behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdminVariantValue {
    /// Its own id, made of the variant's and the option's.
    pub id: String,
    /// The option's id.
    pub variant_option_id: VariantOptionId,
    /// The option.
    pub variant_option: ChosenOption,
}

/// An option that a variant has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChosenOption {
    /// What shoppers choose, e.g. "200 g".
    pub value: String,
    /// Its kind.
    pub variant_type: ChosenType,
}

/// The kind of an option that a variant has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChosenType {
    /// What shoppers call it, e.g. "Tamanho".
    pub name: String,
}

/// A variant to be added to a product.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewVariant {
    /// What it costs.
    pub price: Price,
    /// What it used to cost; 0 is no such price.
    #[serde(default, deserialize_with = "compare_price")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Price>,
    /// Its first count.
    pub stock: StockLevel,
    /// The shop's own article number.
    #[serde(default)]
    pub sku: Option<Text<1, 64>>,
    /// What sets it apart: one option of each kind of variation at most.
    pub values: Vec<NewVariantValue>,
}

/// An option that a new variant takes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewVariantValue {
    /// The option's id.
    pub variant_option_id: VariantOptionId,
}

/// What staff change of a variant; fields that are absent stay.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PatchVariant {
    /// What it costs.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Price"))]
    pub price: Option<Price>,
    /// What it used to cost; null or 0 clears it.
    #[serde(
        default,
        deserialize_with = "nullable_compare_price",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Option<Price>>,
    /// Its units, as somebody counted them.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "StockLevel"))]
    pub stock: Option<StockLevel>,
    /// The shop's own article number; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub sku: Option<Option<Text<1, 64>>>,
    /// All that sets it apart from now on.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<NewVariantValue>"))]
    pub values: Option<Vec<NewVariantValue>>,
}

/// What a revision of a variant covers, and the audit log compares.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sheet {
    price: Money,
    compare_price: Option<Money>,
    sku: Option<String>,
    /// Option ids, sorted.
    options: Vec<VariantOptionId>,
}

/// What the audit log keeps of a variant.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Audited<'a> {
    product_id: &'a ProductId,
    #[serde(flatten)]
    sheet: &'a Sheet,
    stock: i64,
}

impl AdminVariant {
    /// The state of what staff say about it, for a later [`Products::update_variant`]. Its stock is
    /// no part of it.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when it cannot be written as JSON.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(&Sheet::of(self))
    }

    fn option_ids(&self) -> Vec<VariantOptionId> {
        sorted(self.values.iter().map(|value| &value.variant_option_id))
    }
}

fn sorted<'a>(ids: impl Iterator<Item = &'a VariantOptionId>) -> Vec<VariantOptionId> {
    let mut ids: Vec<VariantOptionId> = ids.cloned().collect();
    ids.sort();
    ids
}

impl From<AdminVariant> for Variant {
    fn from(of_admin: AdminVariant) -> Self {
        let AdminVariant { id, price, compare_price, stock, sku, values } = of_admin;
        let public = |value: AdminVariantValue| VariantValue {
            variant_type: value.variant_option.variant_type.name,
            value: value.variant_option.value,
        };
        let values = values.into_iter().map(public).collect();
        Self { id, price, compare_price, stock, sku, values }
    }
}

impl Products<'_> {
    /// A product's variants, in their order.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] without the product.
    pub async fn variants(&self, product: &ProductId) -> Result<Vec<AdminVariant>> {
        let product = product.clone();
        let job = move |tx: &mut dyn Tx| {
            store::product_pk(tx, &product)?;
            store::of_admin(tx, &product)
        };
        self.cx.db().read("variant.list", job).await
    }

    /// Adds a variant to a product.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] without the product, [`crate::error::Conflict`] when something else has
    /// its SKU or the product has a variant of the same options, [`crate::Error::Invalid`] when an option
    /// does not exist or two are of the same kind.
    pub async fn add_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        new: NewVariant,
    ) -> Result<AdminVariant> {
        let (by, at, product) = (by.clone(), self.cx.work(), product.clone());
        let job = move |tx: &mut dyn Tx| {
            let made = store::insert(tx, &at, &product, &new)?;
            touch(tx, &at, product.as_str())?;
            let (sheet, stock) = (&Sheet::of(&made), made.stock);
            let audited = Audited { product_id: &product, sheet, stock };
            audit::record(tx, &at, &by, "variant.create", made.id.as_str(), &(), &audited)?;
            Ok(made)
        };
        self.cx.db().write(lane::CATALOG, "variant.create", job).await
    }

    /// Changes what the patch names of a variant, in the state that the caller saw, where he says
    /// which. Another count of units is booked as a movement.
    ///
    /// # Errors
    /// As [`Products::add_variant`], and when somebody else changed the variant.
    pub async fn update_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        id: &VariantId,
        patch: PatchVariant,
        expected: Option<Revision>,
    ) -> Result<AdminVariant> {
        let (by, at) = (by.clone(), self.cx.work());
        let (product, id) = (product.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let found = store::find(tx, &product, &id)?;
            found.revision()?.check(expected.as_ref())?;
            apply(tx, &at, &by, &product, &found, &patch)?;
            store::find(tx, &product, &id)
        };
        self.cx.db().write(lane::CATALOG, "variant.update", job).await
    }

    /// Deletes a variant for good. Orders that have it stay as they are.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`].
    pub async fn delete_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        id: &VariantId,
    ) -> Result<()> {
        let (by, at) = (by.clone(), self.cx.work());
        let (product, id) = (product.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let found = store::find(tx, &product, &id)?;
            cart::forget_variant(tx, &product, &id)?;
            store::erase(tx, &at, &id)?;
            touch(tx, &at, product.as_str())?;
            let (sheet, stock) = (&Sheet::of(&found), found.stock);
            let audited = Audited { product_id: &product, sheet, stock };
            audit::record(tx, &at, &by, "variant.delete", id.as_str(), &audited, &())
        };
        self.cx.db().write(lane::CATALOG, "variant.delete", job).await
    }
}

fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    found: &AdminVariant,
    patch: &PatchVariant,
) -> Result<()> {
    let before = Sheet::of(found);
    let after = before.patched(patch);
    let counted = patch.stock.map_or(found.stock, StockLevel::get);
    let moved = stock::set(tx, at, product, found.id.as_str(), counted, by.into())?;
    if after == before && moved.is_none() {
        return Ok(());
    }
    if let Some(values) = &patch.values {
        store::check_options(tx, values)?;
        store::check_combination(tx, product, &after.options, Some(&found.id))?;
    }
    store::update(tx, &found.id, &before, &after)?;
    touch(tx, at, product.as_str())?;
    stock::announce(tx, at, moved.as_slice())?;
    let old = Audited { product_id: product, sheet: &before, stock: found.stock };
    let new = Audited { product_id: product, sheet: &after, stock: counted };
    audit::record(tx, at, by, "variant.update", found.id.as_str(), &old, &new)
}

impl Sheet {
    fn of(variant: &AdminVariant) -> Self {
        Self {
            price: variant.price,
            compare_price: variant.compare_price,
            sku: variant.sku.clone(),
            options: variant.option_ids(),
        }
    }

    fn patched(&self, patch: &PatchVariant) -> Self {
        Self {
            price: patch.price.map_or(self.price, Price::get),
            compare_price: patch.compare_price.map_or(self.compare_price, |p| p.map(Price::get)),
            sku: match &patch.sku {
                Some(sku) => sku.as_ref().map(ToString::to_string),
                None => self.sku.clone(),
            },
            options: match &patch.values {
                Some(values) => sorted(values.iter().map(|value| &value.variant_option_id)),
                None => self.options.clone(),
            },
        }
    }
}
