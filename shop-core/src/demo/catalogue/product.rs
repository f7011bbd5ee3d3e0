//! What a product of the demonstration is described by.

/// A shelf of the shop.
pub(crate) struct DemoCategory {
    pub slug: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

/// A made variant dimension, e.g. "Tamanho".
pub(crate) struct DemoVariantType {
    pub slug: &'static str,
    pub name: &'static str,
    /// Every value the dimension can take, in the order a buyer should see them.
    pub options: &'static [&'static str],
}

/// One purchasable version of a product.
pub(crate) struct DemoVariant {
    /// One of the options of `variant_type`.
    pub option: &'static str,
    /// Slug of the [`DemoVariantType`] this varies.
    pub variant_type: &'static str,
    pub price_cents: i64,
    pub stock: i64,
    pub sku: &'static str,
}

/// One product, with everything the seeder and the illustrator need.
///
/// For a product with variants, `price_cents` is the cheapest variant and `stock` the sum of the
/// variants, so listings that never look at variants still show honest figures.
pub(crate) struct DemoProduct {
    /// Slug of the [`DemoCategory`] it belongs to.
    pub category: &'static str,
    pub slug: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub price_cents: i64,
    /// The former, higher price, shown struck through.
    pub compare_price_cents: Option<i64>,
    pub stock: i64,
    pub sku: &'static str,
    /// Weight with packaging, which is what a freight quote asks for.
    pub weight_grams: i64,
    pub featured: bool,
    pub scent: Scent,
    pub shape: Shape,
    pub variants: &'static [DemoVariant],
}

/// The dominant scent, which decides the colours and the botanical detail of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scent {
    Lavanda,
    Baunilha,
    Canela,
    Jasmim,
    Cedro,
    Bergamota,
    Alecrim,
    CapimSanto,
    FlorDeLaranjeira,
    Sandalo,
    Figo,
    Algodao,
    Rosa,
    Eucalipto,
    Cafe,
    Pitanga,
}

/// The kind of object, which decides what the picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    JarCandle,
    TinCandle,
    PillarCandle,
    BubbleCandle,
    TaperPair,
    TealightSet,
    Melts,
    Diffuser,
    Spray,
    Soap,
    BathSalts,
    GiftBox,
}

/// Builds a variant on one line, which keeps the product tables readable.
pub(crate) const fn variant(
    variant_type: &'static str,
    option: &'static str,
    price_cents: i64,
    stock: i64,
    sku: &'static str,
) -> DemoVariant {
    DemoVariant { option, variant_type, price_cents, stock, sku }
}
