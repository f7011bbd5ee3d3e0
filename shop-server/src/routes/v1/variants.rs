//! Variants of products (`/api/v1/products/{id}/variants`).

use shop_core::catalog::{
    AdminVariant, NamedOption, NewProductVariant, Variant, VariantPatch, VariantValue,
};
use shop_core::id::{ProductId, VariantId};
use shop_core::value::{Length, StockLevel, Text, Weight, not_null, nullable};

use super::products::UNITS_APART;
use super::{AmountText, ComparePriceText, PriceText};
use crate::routes::prelude::*;

const ALL: &str = "/api/v1/products/{id}/variants";
const ONE: &str = "/api/v1/products/{id}/variants/{variantId}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(ProductsWrite, Method::POST, ALL, "v1CreateVariant", create)
            .about("Add a variant to a product; options that the shop does not have yet are made")
            .fails(&[Code::ImportUnderWay, Code::VariantExists, Code::SkuTaken]),
        key(ProductsWrite, Method::PATCH, ONE, "v1UpdateVariant", update)
            .about("Change what the body names of a variant")
            .details(UNITS_APART)
            .fails(&[Code::ImportUnderWay, Code::SkuTaken]),
        key(ProductsWrite, Method::DELETE, ONE, "v1DeleteVariant", delete)
            .about("Delete a variant for good; orders keep what they say of it")
            .fails(&[Code::ImportUnderWay]),
    ]
}

/// What a product can be had as.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct V1Variant {
    id: VariantId,
    /// The shop's own article number.
    sku: Option<String>,
    price: AmountText,
    /// What it used to cost.
    compare_price: Option<AmountText>,
    /// Its own units that are left.
    stock: i64,
    /// In kilograms, with packaging; as the product where it is null.
    weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    height: Option<Length>,
    /// What sets it apart.
    values: Vec<VariantValue>,
}

/// A variant to be added.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct V1NewVariant {
    price: PriceText,
    /// What it used to cost; 0 is no such price.
    compare_price: Option<ComparePriceText>,
    /// Its first count.
    stock: StockLevel,
    /// The shop's own article number.
    sku: Option<Text<1, 64>>,
    /// In kilograms, with packaging; as the product where it is left out.
    weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    height: Option<Length>,
    /// What sets it apart: one option of each kind of variation at most.
    values: Vec<NamedOption>,
}

impl From<V1NewVariant> for NewProductVariant {
    fn from(new: V1NewVariant) -> Self {
        Self {
            price: new.price.0,
            compare_price: new.compare_price.and_then(|ComparePriceText(price)| price),
            stock: new.stock,
            sku: new.sku,
            weight: new.weight,
            length: new.length,
            width: new.width,
            height: new.height,
            values: new.values,
        }
    }
}

/// What a program changes of a variant; fields that are absent stay.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
struct V1PatchVariant {
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PriceText")]
    price: Option<PriceText>,
    /// What it used to cost; null or 0 clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    compare_price: Option<Option<ComparePriceText>>,
    /// Its own units that are left.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StockLevel")]
    stock: Option<StockLevel>,
    /// The shop's own article number; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    sku: Option<Option<Text<1, 64>>>,
    /// In kilograms, with packaging; null takes the product's.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    weight: Option<Option<Weight>>,
    /// The first side in centimetres, packed for sending; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    length: Option<Option<Length>>,
    /// The second side in centimetres, packed for sending; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    width: Option<Option<Length>>,
    /// The third side in centimetres, packed for sending; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    height: Option<Option<Length>>,
}

impl From<V1PatchVariant> for VariantPatch {
    fn from(patch: V1PatchVariant) -> Self {
        Self {
            price: patch.price.map(|PriceText(price)| price),
            compare_price: patch
                .compare_price
                .map(|compare| compare.and_then(|ComparePriceText(price)| price)),
            stock: patch.stock,
            sku: patch.sku,
            weight: patch.weight,
            length: patch.length,
            width: patch.width,
            height: patch.height,
            values: None,
        }
    }
}

impl From<Variant> for V1Variant {
    fn from(variant: Variant) -> Self {
        Self {
            id: variant.id,
            sku: variant.sku,
            price: AmountText(variant.price),
            compare_price: variant.compare_price.map(AmountText),
            stock: variant.stock,
            weight: variant.weight,
            length: variant.length,
            width: variant.width,
            height: variant.height,
            values: variant.values,
        }
    }
}

/// What programs read of a variant, with the state that `If-Match` names.
fn shown(variant: AdminVariant) -> Result<Versioned<V1Variant>> {
    let revision = variant.revision()?;
    Ok(Versioned(Variant::from(variant).into(), revision))
}

async fn create(
    call: Call<Key<ProductsWrite>>,
    Id(id): Id<ProductId>,
    Json(new): Json<V1NewVariant>,
) -> Result<Versioned<Created<V1Variant>>> {
    let products = call.shop().products();
    let made = products.create_named_variant(&call.actor(), &id, new.into()).await?;
    let Versioned(variant, revision) = shown(made)?;
    Ok(Versioned(Created(variant), revision))
}

async fn update(
    call: Call<Key<ProductsWrite>>,
    Id(id): Id<ProductId>,
    Id(variant_id): Id<VariantId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<V1PatchVariant>,
) -> Result<Versioned<V1Variant>> {
    let (by, patch) = (call.actor(), patch.into());
    let products = call.shop().products();
    shown(products.update_variant(&by, &id, &variant_id, patch, expected).await?)
}

async fn delete(
    call: Call<Key<ProductsWrite>>,
    Id(id): Id<ProductId>,
    Id(variant_id): Id<VariantId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().products().delete_variant(&call.actor(), &id, &variant_id, expected).await?;
    Ok(Message::new("Variante excluída"))
}
