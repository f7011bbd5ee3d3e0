//! Products (`/api/v1/products`).

use shop_core::Error;
use shop_core::catalog::{
    CategoryRef, CreatedProduct, Image, NewImage, NewProduct, NewProductVariant, Product,
    ProductPatch, ProductRecord, ProductRecordFilter,
};
use shop_core::clock::Timestamp;
use shop_core::id::{CategoryId, ProductId};
use shop_core::page::CursorPage;
use shop_core::value::{
    InvalidValue, Length, OptionalText, Slug, StockLevel, Text, Weight, not_null, nullable,
};

use super::variants::{V1NewVariant, V1Variant};
use super::{AmountText, ComparePriceText, PriceText};
use crate::routes::prelude::*;

/// What `If-Match` leaves out of a product and a variant.
pub(super) const UNITS_APART: &str = "\
    `If-Match` covers what staff say, not the units: no sale makes a tag old, and `stock` is set \
    whatever was sold since the tag was read. Programs that must not overwrite a sale say what \
    changed, by `delta` of `POST /api/webhooks/stock`.";

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(ProductsRead, Method::GET, "/api/v1/products", "v1ListProducts", list)
            .about("Products, the latest first, page by page or from cursor to cursor"),
        key(ProductsRead, Method::GET, "/api/v1/products/{id}", "v1GetProduct", get)
            .about("A product, on sale or not"),
        key(ProductsWrite, Method::POST, "/api/v1/products", "v1CreateProduct", create)
            .about("Add a product; its slug gets a number where it is taken")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken, Code::SkuTaken]),
        key(ProductsWrite, Method::PATCH, "/api/v1/products/{id}", "v1UpdateProduct", update)
            .about("Change what the body names of a product")
            .details(UNITS_APART)
            .fails(&[Code::ImportUnderWay, Code::SlugTaken, Code::SkuTaken]),
        key(ProductsWrite, Method::DELETE, "/api/v1/products/{id}", "v1DeleteProduct", delete)
            .about("Delete a product for good; orders keep what they say of it")
            .fails(&[Code::ImportUnderWay]),
    ]
}

/// A product as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct V1Product {
    id: ProductId,
    name: String,
    slug: String,
    /// The shop's own article number.
    sku: Option<String>,
    price: AmountText,
    /// What it used to cost.
    compare_price: Option<AmountText>,
    /// Units of the product itself that are left.
    stock: i64,
    /// Whether it is on sale.
    active: bool,
    /// Whether the shop puts it forward.
    featured: bool,
    /// In kilograms, with packaging.
    weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    height: Option<Length>,
    /// When it last changed; stock that is set is a change, sales and returned units are none.
    updated_at: Timestamp,
    category: Option<CategoryRef>,
    images: Vec<V1Image>,
    variants: Vec<V1Variant>,
}

/// A picture of a product.
#[derive(Debug, Serialize, JsonSchema)]
struct V1Image {
    url: String,
    /// What it shows.
    alt: String,
}

/// A product to be added.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct V1NewProduct {
    /// What shoppers call it.
    name: Text<2, 200>,
    /// Its name in addresses; made of `name` where it is left out.
    slug: Option<Slug>,
    /// Plain text.
    description: Option<OptionalText<20_000>>,
    price: PriceText,
    /// What it used to cost; 0 is no such price.
    compare_price: Option<ComparePriceText>,
    /// The first count of its own units.
    stock: StockLevel,
    /// The shop's own article number.
    sku: Option<Text<1, 64>>,
    /// In kilograms, with packaging.
    weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    height: Option<Length>,
    category_id: Option<CategoryId>,
    /// Whether the shop puts it forward.
    #[serde(default)]
    featured: bool,
    /// Whether it is on sale at once, unless this is false.
    active: Option<bool>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    images: Vec<NewImage>,
    /// Its variants; kinds of variation and options that the shop does not have yet are made too.
    #[serde(default)]
    #[schemars(length(max = 200))]
    variants: Vec<V1NewVariant>,
}

impl V1NewProduct {
    fn into_product(self) -> Result<NewProduct> {
        let nameless = |wrong: InvalidValue| Error::field("slug", wrong);
        let mut product = NewProduct::new(self.name, self.price.0, self.stock).map_err(nameless)?;
        product.slug = self.slug.unwrap_or(product.slug);
        Ok(NewProduct {
            description: self.description,
            compare_price: self.compare_price.and_then(|ComparePriceText(price)| price),
            sku: self.sku,
            weight: self.weight,
            length: self.length,
            width: self.width,
            height: self.height,
            category_id: self.category_id,
            featured: self.featured,
            active: self.active.unwrap_or(true),
            images: self.images,
            variants: self.variants.into_iter().map(NewProductVariant::from).collect(),
            ..product
        })
    }
}

/// What a program changes of a product; fields that are absent stay.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
struct V1PatchProduct {
    /// What shoppers call it.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Text<2, 200>")]
    name: Option<Text<2, 200>>,
    /// Plain text; null empties it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    description: Option<Option<OptionalText<20_000>>>,
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PriceText")]
    price: Option<PriceText>,
    /// What it used to cost; null or 0 clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    compare_price: Option<Option<ComparePriceText>>,
    /// Units of the product itself that are left.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StockLevel")]
    stock: Option<StockLevel>,
    /// The shop's own article number; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    sku: Option<Option<Text<1, 64>>>,
    /// In kilograms, with packaging; null clears it.
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
    /// The category it stands in; null takes it out of any.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    category_id: Option<Option<CategoryId>>,
    /// Whether it is on sale.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    active: Option<bool>,
    /// Whether the shop puts it forward.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    featured: Option<bool>,
}

impl From<V1PatchProduct> for ProductPatch {
    fn from(patch: V1PatchProduct) -> Self {
        Self {
            name: patch.name,
            description: patch.description,
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
            category_id: patch.category_id,
            active: patch.active,
            featured: patch.featured,
            ..Self::default()
        }
    }
}

impl V1Product {
    pub(super) fn of(product: ProductRecord) -> Result<Self> {
        let image = |Image { url, alt, .. }| V1Image { url, alt };
        Ok(Self {
            images: product.images.to_vec()?.into_iter().map(image).collect(),
            variants: product.variants.into_iter().map(V1Variant::from).collect(),
            id: product.id,
            name: product.name,
            slug: product.slug.to_string(),
            sku: product.sku,
            price: AmountText(product.price),
            compare_price: product.compare_price.map(AmountText),
            stock: product.stock,
            active: product.active,
            featured: product.featured,
            weight: product.weight,
            length: product.length,
            width: product.width,
            height: product.height,
            updated_at: product.updated_at,
            category: product.category,
        })
    }
}

async fn list(
    call: Call<Key<ProductsRead>>,
    Query(filter): Query<ProductRecordFilter>,
) -> Result<CursorPage<V1Product>> {
    call.shop().products().list_records(filter).await?.try_map(V1Product::of)
}

/// What programs read of a product, with the state that `If-Match` names.
fn shown(product: Product) -> Result<Versioned<V1Product>> {
    let revision = product.revision()?;
    Ok(Versioned(V1Product::of(product.into())?, revision))
}

async fn get(call: Call<Key<ProductsRead>>, Id(id): Id<ProductId>) -> Result<Versioned<V1Product>> {
    shown(call.shop().products().get(&id).await?)
}

async fn create(
    call: Call<Key<ProductsWrite>>,
    Repeat(key): Repeat,
    Json(new): Json<V1NewProduct>,
) -> Result<Versioned<Replayed<Created<V1Product>>>> {
    let new = new.into_product()?;
    let CreatedProduct { product, replayed, .. } =
        call.shop().products().create(&call.actor(), new, key).await?;
    let Versioned(product, revision) = shown(product)?;
    Ok(Versioned(Replayed(Created(product), replayed), revision))
}

async fn update(
    call: Call<Key<ProductsWrite>>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<V1PatchProduct>,
) -> Result<Versioned<V1Product>> {
    let (by, patch) = (call.actor(), patch.into());
    let product = call.shop().products().update(&by, &id, patch, expected).await?;
    shown(product)
}

async fn delete(
    call: Call<Key<ProductsWrite>>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().products().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Produto excluído"))
}
