//! Puts the hand-written catalogue on the shelves.

use std::collections::HashMap;

use super::catalogue::{CATEGORIES, DemoProduct, DemoVariant, PRODUCTS, VARIANT_TYPES};
use super::fixed;
use super::people::{Reviewer, Reviews, review, summarise};
use super::picture::picture;
use crate::catalog::{
    LearnedWords, NewCategory, NewImage, NewProduct, NewVariant, NewVariantOption, NewVariantType,
    NewVariantValue, add, add_category, add_option, add_variant, add_variant_type,
};
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::{CategoryId, VariantOptionId};
use crate::lane;
use crate::money::Money;
use crate::shop::Shop;
use crate::storage::Tx;
use crate::value::{Price, Weight};

/// The hand-written products, in menu order.
pub(super) fn products() -> impl Iterator<Item = &'static DemoProduct> {
    PRODUCTS.iter().copied().flatten()
}

/// Draws every product's pictures and keeps them; two for each product, in the products' order.
pub(super) async fn pictures(shop: &Shop) -> Result<Vec<[NewImage; 2]>> {
    let mut pictures = Vec::new();
    for product in products() {
        let front = keep_picture(shop, product, 0, true).await?;
        pictures.push([front, keep_picture(shop, product, 1, false).await?]);
    }
    Ok(pictures)
}

async fn keep_picture(
    shop: &Shop,
    product: &DemoProduct,
    angle: u8,
    is_primary: bool,
) -> Result<NewImage> {
    let name: crate::media::MediaName = fixed(&format!("demo-{}-{angle}.svg", product.slug))?;
    let url = fixed(&name.path())?;
    let svg = picture(product.scent, product.shape, product.name, angle);
    shop.media().put(name, svg.into_bytes()).await?;
    Ok(NewImage { url, alt: None, is_primary, order: None })
}

/// What products are put together from: ids by slug, and by variant type and option.
#[derive(Debug, Default)]
pub(super) struct Shelves {
    pub(super) categories: Vec<(&'static str, CategoryId)>,
    pub(super) options: HashMap<(&'static str, &'static str), VariantOptionId>,
}

/// Makes the categories, variant types and options.
pub(super) fn build(tx: &mut dyn Tx, at: &Work) -> Result<Shelves> {
    let mut shelves = Shelves::default();
    for category in CATEGORIES {
        let new = NewCategory {
            name: fixed(category.name)?,
            slug: Some(fixed(category.slug)?),
            description: Some(fixed(category.description)?),
            image: None,
            active: true,
        };
        shelves.categories.push((category.slug, add_category(tx, at, &new)?.id));
    }
    for (order, kind) in (0..).zip(VARIANT_TYPES) {
        let new = NewVariantType { name: fixed(kind.name)?, slug: fixed(kind.slug)?, order };
        let id = add_variant_type(tx, at, &new)?.id;
        for (order, option) in (0..).zip(kind.options) {
            let new = NewVariantOption { value: fixed(option)?, order };
            let option_id = add_option(tx, at, &id, &new)?.id;
            shelves.options.insert((kind.slug, option), option_id);
        }
    }
    Ok(shelves)
}

/// Fills the shop in one transaction.
pub(super) async fn fill(
    shop: &Shop,
    pictures: Vec<[NewImage; 2]>,
    reviewers: Vec<Reviewer>,
) -> Result<()> {
    let at = shop.context().work();
    let job = move |tx: &mut dyn Tx| {
        let shelves = build(tx, &at)?;
        let mut known = LearnedWords::new();
        for (number, (product, pictures)) in products().zip(&pictures).enumerate() {
            let new = new_product(product, pictures, &shelves)?;
            let (id, _) = add(tx, &at, &new, &mut known)?;
            for variant in product.variants {
                add_variant(tx, &at, &id, &new_variant(variant, &shelves)?)?;
            }
            // Some have no reviews yet, as in life.
            let reviews = Reviews::new(number * 3, (number * 7) % 9);
            summarise(tx, &id, reviews)?;
            review(tx, &at, &id, reviews, &reviewers)?;
        }
        Ok(())
    };
    shop.context().db().write(lane::CATALOG, "demo.shop", job).await
}

fn new_product(
    product: &DemoProduct,
    pictures: &[NewImage],
    shelves: &Shelves,
) -> Result<NewProduct> {
    let category = shelves.categories.iter().find(|(slug, _)| *slug == product.category);
    Ok(NewProduct {
        name: fixed(product.name)?,
        slug: fixed(product.slug)?,
        description: Some(fixed(product.description)?),
        price: price(product.price_cents)?,
        compare_price: product.compare_price_cents.map(price).transpose()?,
        stock: product.stock.try_into().map_err(Error::from_source)?,
        sku: Some(fixed(product.sku)?),
        weight: Some(Weight::from_grams(product.weight_grams)),
        length: None,
        width: None,
        height: None,
        category_id: category.map(|(_, id)| id.clone()),
        featured: product.featured,
        active: true,
        images: pictures.to_vec(),
        variant_required: false,
        variants: Vec::new(),
    })
}

fn new_variant(variant: &DemoVariant, shelves: &Shelves) -> Result<NewVariant> {
    let option = shelves.options.get(&(variant.variant_type, variant.option));
    let value = |id: &VariantOptionId| NewVariantValue { variant_option_id: id.clone() };
    Ok(NewVariant {
        price: price(variant.price_cents)?,
        compare_price: None,
        stock: variant.stock.try_into().map_err(Error::from_source)?,
        sku: Some(fixed(variant.sku)?),
        weight: None,
        length: None,
        width: None,
        height: None,
        values: option.map(value).into_iter().collect(),
    })
}

pub(super) fn price(cents: i64) -> Result<Price> {
    Money::from_cents(cents).try_into().map_err(Error::from_source)
}
