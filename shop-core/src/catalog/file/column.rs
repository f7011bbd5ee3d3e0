//! The columns of a file of products.

/// The columns of a file, in the order in which they are written; read in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Slug,
    Name,
    Description,
    Variant,
    Price,
    ComparePrice,
    Sku,
    Stock,
    WeightKg,
    Category,
    CategoryName,
    Active,
    Featured,
    Images,
}

impl Column {
    pub(super) const ALL: [Self; 14] = [
        Self::Slug,
        Self::Name,
        Self::Description,
        Self::Variant,
        Self::Price,
        Self::ComparePrice,
        Self::Sku,
        Self::Stock,
        Self::WeightKg,
        Self::Category,
        Self::CategoryName,
        Self::Active,
        Self::Featured,
        Self::Images,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Slug => "slug",
            Self::Name => "name",
            Self::Description => "description",
            Self::Variant => "variant",
            Self::Price => "price",
            Self::ComparePrice => "compare_price",
            Self::Sku => "sku",
            Self::Stock => "stock",
            Self::WeightKg => "weight_kg",
            Self::Category => "category",
            Self::CategoryName => "category_name",
            Self::Active => "active",
            Self::Featured => "featured",
            Self::Images => "images",
        }
    }

    /// Whether a variant's row may say something there.
    pub(super) fn is_of_variants(self) -> bool {
        matches!(
            self,
            Self::Slug | Self::Variant | Self::Price | Self::ComparePrice | Self::Sku | Self::Stock
        )
    }
}
