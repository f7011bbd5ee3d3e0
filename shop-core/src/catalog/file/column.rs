//! The columns of a file of products.

use crate::value::wire_enum;

wire_enum! {
    /// The columns of a file, in the order in which they are written; read in any order.
    pub(super) enum Column {
        Slug = "slug",
        Name = "name",
        Description = "description",
        Variant = "variant",
        Price = "price",
        ComparePrice = "compare_price",
        Sku = "sku",
        Stock = "stock",
        WeightKg = "weight_kg",
        LengthCm = "length_cm",
        WidthCm = "width_cm",
        HeightCm = "height_cm",
        Category = "category",
        CategoryName = "category_name",
        Active = "active",
        Featured = "featured",
        VariantRequired = "variant_required",
        Images = "images",
        Ncm = "ncm",
        Cest = "cest",
        CfopInState = "cfop_in_state",
        CfopOutOfState = "cfop_out_of_state",
        Csosn = "csosn",
        Origin = "origin",
        Gtin = "gtin",
        Unit = "unit",
        Production = "production",
    }
}

impl Column {
    /// Whether a variant's row may say something there.
    pub(super) fn is_of_variants(self) -> bool {
        matches!(
            self,
            Self::Slug
                | Self::Variant
                | Self::Price
                | Self::ComparePrice
                | Self::Sku
                | Self::Stock
                | Self::WeightKg
                | Self::LengthCm
                | Self::WidthCm
                | Self::HeightCm
        )
    }
}
