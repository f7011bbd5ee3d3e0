//! The catalogue as marketplaces and comparison sites list it: each product, or each
//! of its variants.

use futures_util::stream::{self, Stream};

use super::Products;
use super::image::Images;
use super::variant::{self, Variant, VariantValue};
use crate::config::Config;
use crate::error::Result;
use crate::fiscal::Gtin;
#[cfg(feature = "nfe")]
use crate::fiscal::Production;
use crate::id::ProductId;
use crate::money::Money;
use crate::storage::{Row, Tx, params};
use crate::value::{Slug, Weight};

/// Products of one piece: what is in memory at a time.
const PIECE: i64 = 100;
/// The longest identifier that marketplaces take.
const LONGEST_ID: usize = 50;

/// Something that can be bought: a product without variants, or a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedItem {
    /// Its article number; where it has none, or one of more than 50 characters, the product's slug
    /// or its own id. At most 50 characters.
    pub id: String,
    /// Of a variant the same for all of its product, found like [`Self::id`].
    pub group: Option<String>,
    /// The product's name, of a variant with what sets it apart.
    pub title: String,
    /// Plain text; the name where staff wrote none.
    pub description: String,
    /// The address of the product's page.
    pub link: String,
    /// The addresses of its pictures, the main one first.
    pub images: Vec<String>,
    /// Whether there is a unit of it.
    pub in_stock: bool,
    /// What it costs.
    pub price: Money,
    /// What it used to cost, where that was more.
    pub compare_price: Option<Money>,
    /// The shop's name, where the shop makes the product; of a product that it only sells the shop
    /// does not know the brand.
    pub brand: Option<String>,
    /// The number of its bar code. One that is said of a product with variants is no variant's.
    pub gtin: Option<Gtin>,
    /// The number that its maker gave it: its article number, where the shop makes the product.
    pub mpn: Option<String>,
    /// The category that shoppers find it in.
    pub category: Option<String>,
    /// What sets a variant apart.
    pub options: Vec<VariantValue>,
    /// With packaging.
    pub weight: Option<Weight>,
}

/// A product with what items are made of.
struct Listed {
    pk: i64,
    id: ProductId,
    slug: Slug,
    name: String,
    description: String,
    price: Money,
    compare_price: Option<Money>,
    sku: Option<String>,
    stock: i64,
    weight: Option<Weight>,
    images: Images,
    category: Option<String>,
    gtin: Option<Gtin>,
    is_resold: Option<bool>,
    variant_required: bool,
}

impl Products<'_> {
    /// What is on sale, as marketplaces list it, oldest products first. A product that has variants
    /// is listed in those. A piece is read when it is asked for, each in a transaction of its own,
    /// so it takes the same memory however many products there are.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use futures_util::TryStreamExt;
    /// use shop_core::actor::Actor;
    /// use shop_core::catalog::NewProduct;
    ///
    /// let new = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
    /// shop.products().create(&Actor::System, new, None).await?;
    ///
    /// let items = shop.products().feed().try_concat().await?;
    /// assert_eq!((items[0].id.as_str(), items[0].in_stock), ("vela-de-lavanda", true));
    /// # Ok(())
    /// # });
    /// ```
    pub fn feed(&self) -> impl Stream<Item = Result<Vec<FeedItem>>> + Send + use<> {
        stream::try_unfold((self.cx.clone(), 0), |(cx, after)| async move {
            let job = move |tx: &mut dyn Tx| following(tx, after);
            let piece = cx.db().read_public("product.feed", job).await?;
            let Some(last) = piece.last().map(|(product, _)| product.pk) else { return Ok(None) };
            let config = cx.config();
            let items =
                piece.into_iter().map(|(product, variants)| product.items(variants, config));
            let items = items.collect::<Result<Vec<_>>>()?.concat();
            Ok(Some((items, (cx, last))))
        })
    }
}

fn following(tx: &mut dyn Tx, after: i64) -> Result<Vec<(Listed, Vec<Variant>)>> {
    let sql = "SELECT p.pk, p.id, p.slug, p.name, p.description, p.price, p.compare_price, p.sku,
                      s.quantity, p.weight_grams, p.images, c.name, f.gtin,
                      coalesce(f.production, g.production), p.variant_required
               FROM (SELECT pk AS piece_pk FROM product WHERE pk > $1 AND active = 1
                     ORDER BY pk LIMIT $2) hit
               CROSS JOIN product p CROSS JOIN stock s
               LEFT JOIN category c ON c.id = p.category_id AND c.active = 1
               LEFT JOIN product_fiscal f ON f.product_id = p.id
               LEFT JOIN category_fiscal g ON g.category_id = p.category_id
               WHERE p.pk = hit.piece_pk AND s.item_id = p.id ORDER BY p.pk";
    let mut products = Vec::new();
    tx.query(sql, params![after, PIECE], &mut |row| {
        products.push(read(row)?);
        Ok(())
    })?;
    let mut variants = variant::of_products(tx, products.iter().map(|product| &product.id))?;
    let with_variants = |product: Listed| {
        let variants = variants.remove(&product.id).unwrap_or_default();
        (product, variants)
    };
    Ok(products.into_iter().map(with_variants).collect())
}

fn read(row: &dyn Row) -> Result<Listed> {
    Ok(Listed {
        pk: row.get(0)?,
        id: row.get(1)?,
        slug: row.get(2)?,
        name: row.get(3)?,
        description: row.get(4)?,
        price: row.get(5)?,
        compare_price: row.get(6)?,
        sku: row.get(7)?,
        stock: row.get(8)?,
        weight: row.get(9)?,
        images: row.get(10)?,
        category: row.get(11)?,
        gtin: row.text(12)?.and_then(|gtin| gtin.parse().ok()),
        is_resold: row.text(13)?.map(|production| production == "RESALE"),
        variant_required: row.get(14)?,
    })
}

impl Listed {
    fn items(self, variants: Vec<Variant>, config: &Config) -> Result<Vec<FeedItem>> {
        if self.variant_required && variants.is_empty() {
            return Ok(Vec::new());
        }
        let made_here = !self.is_resold.unwrap_or(resells(config));
        let name = config.mail.from.name.clone();
        let images = self.images.main_first()?.into_iter();
        let common = FeedItem {
            id: identifier(self.sku.as_deref(), self.slug.as_str(), self.id.as_str()),
            group: None,
            description: if self.description.trim().is_empty() {
                self.name.clone()
            } else {
                self.description
            },
            title: self.name,
            link: config.product_url(&self.slug),
            images: images.map(|image| config.absolute_url(&image.url)).collect(),
            in_stock: self.stock > 0,
            price: self.price,
            compare_price: self.compare_price.filter(|before| *before > self.price),
            brand: name.filter(|_| made_here),
            gtin: self.gtin,
            mpn: self.sku.filter(|_| made_here),
            category: self.category,
            options: Vec::new(),
            weight: self.weight,
        };
        if variants.is_empty() {
            return Ok(vec![common]);
        }
        Ok(variants.into_iter().map(|variant| common.variant(variant, made_here)).collect())
    }
}

impl FeedItem {
    /// A variant of the product that this is.
    fn variant(&self, variant: Variant, made_here: bool) -> Self {
        let Variant { id, price, compare_price, stock, sku, weight, values, .. } = variant;
        let options: Vec<&str> = values.iter().map(|it| it.value.as_str()).collect();
        Self {
            id: identifier(sku.as_deref(), id.as_str(), id.as_str()),
            group: Some(self.id.clone()),
            title: if options.is_empty() {
                self.title.clone()
            } else {
                format!("{} - {}", self.title, options.join(", "))
            },
            in_stock: stock > 0,
            price,
            compare_price: compare_price.filter(|before| *before > price),
            gtin: None,
            mpn: sku.filter(|_| made_here),
            options: values,
            weight: weight.or(self.weight),
            ..self.clone()
        }
    }
}

/// Whether the shop sells what others make, as far as its settings know.
#[cfg_attr(
    not(feature = "nfe"),
    expect(unused_variables, reason = "only invoices ask where goods come from")
)]
fn resells(config: &Config) -> bool {
    #[cfg(feature = "nfe")]
    let resells = config.nfe.defaults.production == Production::Resale;
    #[cfg(not(feature = "nfe"))]
    let resells = false;
    resells
}

fn identifier(sku: Option<&str>, slug: &str, id: &str) -> String {
    let wished = sku.into_iter().chain([slug]);
    let short = |name: &&str| name.chars().count() <= LONGEST_ID;
    wished.into_iter().find(short).unwrap_or(id).to_owned()
}
