//! Variants: what a product can be had as, each with its own price and stock, and the kinds of
//! variation ("Tamanho") with their options ("200 g") that tell variants apart.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::create::claim_sku;
use super::product::Products;
use crate::error::{Conflict, Entity, Error, FieldErrors, Result};
use crate::id::{Moment, ProductId, VariantId, VariantOptionId, VariantTypeId};
use crate::money::Money;
use crate::shop::Shop;
use crate::stock;
use crate::storage::Tx;
use crate::value::{Price, Slug, StockLevel, Text};

/// A variant of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VariantValue {
    /// The kind of variation, e.g. "Tamanho".
    pub variant_type: String,
    /// Its option, e.g. "200 g".
    pub value: String,
}

/// A kind of variation with its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VariantType {
    /// Its own id.
    pub id: VariantTypeId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    pub slug: String,
    /// Its place among the kinds.
    pub order: i64,
    /// What a variant can be, in order.
    pub options: Vec<VariantOption>,
}

/// An option of a kind of variation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VariantOption {
    /// Its own id.
    pub id: VariantOptionId,
    /// What shoppers choose, e.g. "200 g".
    pub value: String,
    /// Its place among the options.
    pub order: i64,
}

/// A variant to be added to a product.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewVariant {
    /// What it costs.
    pub price: Price,
    /// What it used to cost.
    #[serde(default)]
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

/// A kind of variation to be added.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewVariantType {
    /// What shoppers call it.
    pub name: Text<1, 60>,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its place among the kinds.
    #[serde(default)]
    pub order: u32,
}

/// An option to be added to a kind of variation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewVariantOption {
    /// What shoppers choose.
    pub value: Text<1, 60>,
    /// Its place among the options.
    #[serde(default)]
    pub order: u32,
}

/// The kinds of variation that the shop knows.
#[derive(Debug, Clone, Copy)]
pub struct VariantTypes<'a> {
    shop: &'a Shop,
}

impl<'a> VariantTypes<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// All kinds with their options, in the shop's order.
    pub async fn list(&self) -> Result<Vec<VariantType>> {
        self.shop.db().read("variant_type.list", list_types).await
    }

    /// Adds a kind, without options.
    ///
    /// # Errors
    /// [`Conflict::Slug`] when another has its slug.
    pub async fn create(&self, new: NewVariantType) -> Result<VariantType> {
        let at = self.shop.moment();
        let job = move |tx: &mut dyn Tx| insert_type(tx, &at, &new);
        self.shop.db().write("variant_type.create", job).await
    }

    /// Adds an option to a kind; one that is there already is answered as it is.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such kind.
    pub async fn add_option(
        &self,
        kind: &VariantTypeId,
        new: NewVariantOption,
    ) -> Result<VariantOption> {
        let (at, kind) = (self.shop.moment(), kind.clone());
        let job = move |tx: &mut dyn Tx| insert_option(tx, &at, &kind, &new);
        self.shop.db().write("variant_option.create", job).await
    }
}

impl Products<'_> {
    /// Adds a variant to a product.
    ///
    /// # Errors
    /// [`Error::NotFound`] without the product, [`Conflict::Sku`] when something else has its SKU,
    /// [`Error::Invalid`] when an option does not exist or two are of the same kind.
    pub async fn add_variant(&self, product: &ProductId, new: NewVariant) -> Result<Variant> {
        let (at, product) = (self.shop.moment(), product.clone());
        let job = move |tx: &mut dyn Tx| insert(tx, &at, &product, &new);
        self.shop.db().write("variant.create", job).await
    }
}

pub(super) fn of_product(tx: &mut dyn Tx, product: &ProductId) -> Result<Vec<Variant>> {
    let mut variants: Vec<Variant> = Vec::new();
    tx.query(
        "SELECT v.id, v.price, v.compare_price, s.quantity, v.sku, t.name, o.value
         FROM variant v JOIN stock s ON s.item_id = v.id
         LEFT JOIN variant_value vv ON vv.variant_id = v.id
         LEFT JOIN variant_option o ON o.id = vv.variant_option_id
         LEFT JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.product_id = $1 ORDER BY v.position, v.id, t.position, t.name",
        &[product.into()],
        &mut |row| {
            let id = row.text(0)?.unwrap_or_default();
            if variants.last().is_none_or(|last| last.id.as_str() != id) {
                variants.push(Variant {
                    id: id.into(),
                    price: row.get(1)?,
                    compare_price: row.get(2)?,
                    stock: row.get(3)?,
                    sku: row.get(4)?,
                    values: Vec::new(),
                });
            }
            let kind: Option<String> = row.get(5)?;
            if let (Some(last), Some(variant_type)) = (variants.last_mut(), kind) {
                last.values.push(VariantValue { variant_type, value: row.get(6)? });
            }
            Ok(())
        },
    )?;
    Ok(variants)
}

pub(crate) fn insert(
    tx: &mut dyn Tx,
    at: &Moment,
    product: &ProductId,
    new: &NewVariant,
) -> Result<Variant> {
    let found = "SELECT pk FROM product WHERE id = $1";
    let pk: Option<i64> = tx.one(found, &[product.into()], |row| row.get(0))?;
    let pk = pk.ok_or(Error::NotFound(Entity::Product))?;
    check_options(tx, &new.values)?;
    let id: VariantId = at.id();
    let sku = new.sku.as_ref();
    tx.execute(
        "INSERT INTO variant (id, product_id, price, compare_price, sku, position, created_at)
         VALUES ($1, $2, $3, $4, $5,
                 (SELECT coalesce(max(position), -1) + 1 FROM variant WHERE product_id = $2), $6)",
        &[
            (&id).into(),
            product.into(),
            new.price.into(),
            new.compare_price.into(),
            sku.into(),
            at.now().into(),
        ],
    )?;
    claim_sku(tx, sku, id.as_str())?;
    for value in &new.values {
        tx.execute(
            "INSERT INTO variant_value (variant_id, variant_option_id) VALUES ($1, $2)",
            &[(&id).into(), (&value.variant_option_id).into()],
        )?;
    }
    stock::create(tx, at, id.as_str(), pk, true, new.stock.get())?;
    let variants = of_product(tx, product)?;
    variants.into_iter().find(|v| v.id == id).ok_or(Error::NotFound(Entity::Variant))
}

fn check_options(tx: &mut dyn Tx, values: &[NewVariantValue]) -> Result<()> {
    let mut wrong = FieldErrors::default();
    let mut kinds = HashSet::new();
    if values.is_empty() {
        wrong.add("values", "Deve ter ao menos uma opção");
    }
    for (index, value) in values.iter().enumerate() {
        let kind: Option<String> = tx.one(
            "SELECT variant_type_id FROM variant_option WHERE id = $1",
            &[(&value.variant_option_id).into()],
            |row| row.get(0),
        )?;
        let message = match kind {
            None => "Opção não encontrada",
            Some(kind) => {
                if kinds.insert(kind) {
                    continue;
                }
                "Já há uma opção deste tipo"
            }
        };
        wrong.add(format!("values[{index}].variantOptionId"), message);
    }
    wrong.into_result()
}

fn list_types(tx: &mut dyn Tx) -> Result<Vec<VariantType>> {
    let mut types = tx.all(
        "SELECT id, name, slug, position FROM variant_type ORDER BY position, name",
        &[],
        |row| {
            let (id, name, slug, order) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(VariantType { id, name, slug, order, options: Vec::new() })
        },
    )?;
    tx.query(
        "SELECT id, value, position, variant_type_id FROM variant_option ORDER BY position, value",
        &[],
        &mut |row| {
            let kind = row.text(3)?.unwrap_or_default();
            if let Some(found) = types.iter_mut().find(|t| t.id.as_str() == kind) {
                let (id, value, order) = (row.get(0)?, row.get(1)?, row.get(2)?);
                found.options.push(VariantOption { id, value, order });
            }
            Ok(())
        },
    )?;
    Ok(types)
}

pub(crate) fn insert_type(
    tx: &mut dyn Tx,
    at: &Moment,
    new: &NewVariantType,
) -> Result<VariantType> {
    let id: VariantTypeId = at.id();
    tx.one(
        "INSERT INTO variant_type (id, name, slug, position) VALUES ($1, $2, $3, $4)
         ON CONFLICT (slug) DO NOTHING RETURNING id",
        &[(&id).into(), (&new.name).into(), (&new.slug).into(), new.order.into()],
        |_| Ok(()),
    )?
    .ok_or(Error::Conflict(Conflict::Slug))?;
    Ok(VariantType {
        id,
        name: new.name.to_string(),
        slug: new.slug.to_string(),
        order: new.order.into(),
        options: Vec::new(),
    })
}

pub(crate) fn insert_option(
    tx: &mut dyn Tx,
    at: &Moment,
    kind: &VariantTypeId,
    new: &NewVariantOption,
) -> Result<VariantOption> {
    let known = tx.one("SELECT 1 FROM variant_type WHERE id = $1", &[kind.into()], |_| Ok(()))?;
    known.ok_or(Error::NotFound(Entity::Variant))?;
    let id: VariantOptionId = at.id();
    tx.execute(
        "INSERT INTO variant_option (id, variant_type_id, value, position)
         VALUES ($1, $2, $3, $4) ON CONFLICT (variant_type_id, value) DO NOTHING",
        &[(&id).into(), kind.into(), (&new.value).into(), new.order.into()],
    )?;
    let found = tx.one(
        "SELECT id, value, position FROM variant_option WHERE variant_type_id = $1 AND value = $2",
        &[kind.into(), (&new.value).into()],
        |row| Ok(VariantOption { id: row.get(0)?, value: row.get(1)?, order: row.get(2)? }),
    )?;
    found.ok_or(Error::NotFound(Entity::Variant))
}
