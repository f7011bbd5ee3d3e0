//! How a product comes to be.

use serde::{Deserialize, Serialize};

use super::load::get;
use super::state::{ProductState, audit};
use super::{Product, store};
use crate::actor::Actor;
use crate::catalog::edit::edit_once;
use crate::catalog::image::{self, Images, NewImage};
use crate::catalog::search::learn::{LearnedWords, learn};
use crate::catalog::slug::candidates;
use crate::catalog::variant::{self, AdminVariant, NewProductVariant};
use crate::catalog::{Products, category, sku};
use crate::context::Work;
use crate::error::Result;
use crate::id::{CategoryId, ProductId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::stock;
use crate::storage::Tx;
use crate::value::{
    InvalidValue, Length, OptionalText, Price, Slug, StockLevel, Text, Weight, compare_price,
};

/// A product to be added (`POST /api/admin/products`).
#[apply(input!)]
#[derive(PartialEq, Eq, Serialize)]
pub struct NewProduct {
    /// What shoppers call it.
    pub name: Text<2, 200>,
    /// Its name in addresses; gets a number behind it where it is taken.
    pub slug: Slug,
    /// Plain text.
    #[serde(default)]
    pub description: Option<OptionalText<20_000>>,
    /// What it costs.
    pub price: Price,
    /// What it used to cost; 0 is no such price.
    #[serde(default, deserialize_with = "compare_price")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Price>,
    /// The first count of its own units.
    pub stock: StockLevel,
    /// The shop's own article number.
    #[serde(default)]
    pub sku: Option<Text<1, 64>>,
    /// In kilograms, with packaging.
    #[serde(default)]
    pub weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Length>,
    /// The category it stands in.
    #[serde(default)]
    pub category_id: Option<CategoryId>,
    /// Whether the shop puts it forward.
    #[serde(default)]
    pub featured: bool,
    /// Whether it is on sale at once.
    #[serde(default = "on_sale")]
    pub active: bool,
    /// Its pictures, at most 20.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 20)))]
    pub images: Vec<NewImage>,
    /// Whether it is sold in its variants only, never by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub variant_required: bool,
    /// The variants that are made with it, at most 200.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = variant::MAX_VARIANTS)))]
    pub variants: Vec<NewProductVariant>,
}

fn on_sale() -> bool {
    true
}

impl NewProduct {
    /// A product on sale with a name, a price and units, its slug made of its name, and nothing
    /// else yet; set the other fields on it.
    ///
    /// # Errors
    /// When the name has too few letters to make a slug of.
    pub fn new(name: Text<2, 200>, price: Price, stock: StockLevel) -> Result<Self, InvalidValue> {
        Ok(Self {
            slug: Slug::from_name(name.as_str())?,
            name,
            description: None,
            price,
            compare_price: None,
            stock,
            sku: None,
            weight: None,
            length: None,
            width: None,
            height: None,
            category_id: None,
            featured: false,
            active: true,
            images: Vec::new(),
            variant_required: false,
            variants: Vec::new(),
        })
    }

    /// A product that is sold in these variants only, e.g. sizes; the price is the one that lists
    /// show.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::actor::Actor;
    /// use shop_core::catalog::{NewProduct, NewProductVariant};
    /// use shop_core::value::Price;
    ///
    /// let price: Price = "59.90".parse()?;
    /// let mut sizes = Vec::new();
    /// for (size, units) in [("P", 3), ("M", 5), ("G", 4)] {
    ///     let option = ("Tamanho".parse()?, size.parse()?);
    ///     sizes.push(NewProductVariant::new(price, units.try_into()?, option));
    /// }
    /// let shirt = NewProduct::in_variants("Camiseta".parse()?, price, sizes)?;
    /// let shirt = shop.products().create(&Actor::System, shirt, None).await?.product;
    /// assert_eq!(shirt.variants[1].values[0].value, "M");
    /// assert_eq!(shirt.variants[1].stock, 5);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// When the name has too few letters to make a slug of.
    pub fn in_variants(
        name: Text<2, 200>,
        price: Price,
        variants: Vec<NewProductVariant>,
    ) -> Result<Self, InvalidValue> {
        let product = Self::new(name, price, StockLevel::clamped(0))?;
        Ok(Self { variant_required: true, variants, ..product })
    }
}

/// The answer to [`Products::create`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CreatedProduct {
    /// The product as it was made.
    pub product: Product,
    /// Its variants with the ids of their options.
    pub variants: Vec<AdminVariant>,
    /// Whether this repeats the first answer to the same idempotency key, without a second product.
    pub replayed: bool,
}

/// What repeats of a request are answered with.
#[derive(Serialize, Deserialize)]
struct Made {
    product: Product,
    variants: Vec<AdminVariant>,
}

impl Products<'_> {
    /// Adds a product. Its first count is booked as a movement of its stock. With a key, a repeat
    /// gives the first answer again.
    ///
    /// # Errors
    /// [`Conflict::Sku`](crate::error::Conflict::Sku) when something else has its SKU,
    /// [`crate::Error::Invalid`] when there is no such category or there are too many pictures or
    /// variants, [`Conflict::VariantOptions`](crate::error::Conflict::VariantOptions) when two
    /// variants have the same options, and
    /// [`Refusal::IdempotencyKeyReused`](crate::error::Refusal::IdempotencyKeyReused) when the key
    /// was used for another request.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(
        &self,
        by: &Actor,
        new: NewProduct,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedProduct> {
        let request = IdempotentRequest::by(key, by, "product.create", &new)?;
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let (id, _) = add(tx, &at, &new, &mut LearnedWords::new())?;
            let product = get(tx, &id)?;
            let made = Some((&ProductState::of(&product), product.stock));
            audit(tx, &at, &by, "product.create", &id, None, made)?;
            Ok(Made { product, variants: variant::of_admin(tx, &id)? })
        };
        let (Made { product, variants }, replayed) =
            edit_once(self.cx, "product.create", request, job).await?;
        Ok(CreatedProduct { product, variants, replayed })
    }
}

/// Adds a product within a transaction: its id and its `pk`.
pub(crate) fn add(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewProduct,
    learned: &mut LearnedWords,
) -> Result<(ProductId, i64)> {
    add_under(tx, at, new, learned, candidates(&new.slug))
}

/// The same under the first of these slugs that is free.
pub(in crate::catalog) fn add_under(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewProduct,
    learned: &mut LearnedWords,
    slugs: impl Iterator<Item = Slug>,
) -> Result<(ProductId, i64)> {
    category::check(tx, new.category_id.as_ref())?;
    image::check_count(&new.images)?;
    variant::check_count(new.variants.len())?;
    let id: ProductId = at.id();
    let mut state = ProductState::new(at, new)?;
    let pk = store::insert(tx, at, &id, &mut state, slugs)?;
    sku::claim(tx, state.sku.as_deref(), id.as_str())?;
    stock::create(tx, at, id.as_str(), pk, false, new.stock.get())?;
    for (place, each) in new.variants.iter().enumerate() {
        variant::insert_named(tx, at, &id, each)
            .map_err(|error| error.rename_fields(|field| format!("variants[{place}].{field}")))?;
    }
    if state.active {
        learn(tx, &state.name, learned)?;
        learn(tx, &state.description, learned)?;
    }
    Ok((id, pk))
}

impl ProductState {
    fn new(at: &Work, new: &NewProduct) -> Result<Self> {
        Ok(Self {
            name: new.name.to_string(),
            slug: new.slug.clone(),
            description: new.description.as_ref().map_or(String::new(), ToString::to_string),
            price: new.price.get(),
            compare_price: new.compare_price.map(Price::get),
            sku: new.sku.as_ref().map(ToString::to_string),
            weight: new.weight,
            length: new.length,
            width: new.width,
            height: new.height,
            featured: new.featured,
            active: new.active,
            variant_required: new.variant_required,
            category_id: new.category_id.clone(),
            images: Images::of(at, new.name.as_str(), &new.images)?,
        })
    }
}
