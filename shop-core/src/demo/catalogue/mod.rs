//! The demonstration shop's catalogue: what a fresh installation can be filled with.
//!
//! The content is constant data rather than a file read at run time, so the compiler checks its
//! shape, the binary needs nothing beside it, and two seeded shops are always identical. The
//! texts are Brazilian Portuguese because they are shop content, not interface strings.
//!
//! The products stand in one file per category; this one has the categories and the kinds of
//! variation that they share.

mod decorative;
mod diffusers;
mod gifts;
mod product;
mod scented;
mod spa;
mod sprays;

use self::decorative::DECORATIVE;
use self::diffusers::DIFFUSERS;
use self::gifts::GIFTS;
pub(super) use self::product::{
    DemoCategory, DemoProduct, DemoVariant, DemoVariantType, Scent, Shape,
};
use self::scented::SCENTED;
use self::spa::SPA;
use self::sprays::SPRAYS;

/// The shelves, in menu order.
pub(crate) const CATEGORIES: &[DemoCategory] = &[
    DemoCategory {
        slug: "velas-aromaticas",
        name: "Velas Aromáticas",
        description: "Velas de cera vegetal derramadas à mão em pequenos lotes, com pavio de \
                      algodão e perfume que chega à casa inteira.",
    },
    DemoCategory {
        slug: "velas-decorativas",
        name: "Velas Decorativas",
        description: "Pilares, castiçais, velas esculpidas e rechauds que enfeitam a mesa \
                      mesmo quando estão apagados.",
    },
    DemoCategory {
        slug: "difusores",
        name: "Difusores de Varetas",
        description: "Perfume contínuo, sem chama e sem tomada: é só virar as varetas de vez \
                      em quando.",
    },
    DemoCategory {
        slug: "home-sprays",
        name: "Home Sprays",
        description: "Águas perfumadas para ambientes, cortinas, almofadas e roupa de cama, \
                      com efeito imediato.",
    },
    DemoCategory {
        slug: "sabonetes-e-spa",
        name: "Sabonetes & Spa",
        description: "Sabonetes vegetais de processo a frio, sais de banho e velas de massagem \
                      para transformar o banho em pausa.",
    },
    DemoCategory {
        slug: "kits-e-presentes",
        name: "Kits & Presentes",
        description: "Combinações prontas em caixa rígida com laço e cartão escrito à mão, \
                      para presentear sem pensar duas vezes.",
    },
];

/// The variant dimensions the products draw their options from.
pub(crate) const VARIANT_TYPES: &[DemoVariantType] = &[
    DemoVariantType { slug: "tamanho", name: "Tamanho", options: &["120 g", "200 g", "400 g"] },
    DemoVariantType { slug: "volume", name: "Volume", options: &["100 ml", "250 ml", "500 ml"] },
    DemoVariantType {
        slug: "aroma",
        name: "Aroma",
        options: &["Lavanda", "Baunilha", "Capim-santo", "Rosa", "Algodão"],
    },
    DemoVariantType {
        slug: "cor",
        name: "Cor",
        options: &["Branco", "Terracota", "Verde-sálvia", "Rosa-chá"],
    },
];

/// Every product, one slice per category in the order of [`CATEGORIES`].
pub(crate) const PRODUCTS: &[&[DemoProduct]] =
    &[SCENTED, DECORATIVE, DIFFUSERS, SPRAYS, SPA, GIFTS];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn products() -> impl Iterator<Item = &'static DemoProduct> {
        PRODUCTS.iter().copied().flatten()
    }

    fn assert_unique<'a>(values: impl Iterator<Item = &'a str>) {
        let mut seen = HashSet::new();
        for value in values {
            assert!(seen.insert(value), "{value} occurs twice");
        }
    }

    #[test]
    fn slugs_are_unique_and_safe_in_an_address() {
        assert_unique(CATEGORIES.iter().map(|category| category.slug));
        assert_unique(VARIANT_TYPES.iter().map(|kind| kind.slug));
        assert_unique(products().map(|product| product.slug));
        let shelves = CATEGORIES.iter().map(|category| category.slug);
        let kinds = VARIANT_TYPES.iter().map(|kind| kind.slug);
        for slug in shelves.chain(kinds).chain(products().map(|product| product.slug)) {
            let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!slug.is_empty() && slug.chars().all(allowed), "{slug}");
        }
    }

    #[test]
    fn skus_are_unique_over_products_and_variants() {
        assert_unique(products().flat_map(|product| {
            let variants = product.variants.iter().map(|variant| variant.sku);
            std::iter::once(product.sku).chain(variants)
        }));
    }

    #[test]
    fn each_slice_holds_one_category_in_menu_order() {
        assert_eq!(PRODUCTS.len(), CATEGORIES.len());
        for (slice, category) in PRODUCTS.iter().zip(CATEGORIES) {
            assert!(slice.iter().all(|product| product.category == category.slug));
        }
    }

    #[test]
    fn every_variant_takes_an_option_of_its_type_once() {
        for product in products() {
            assert_unique(product.variants.iter().map(|variant| variant.option));
            for variant in product.variants {
                let kind = VARIANT_TYPES.iter().find(|kind| kind.slug == variant.variant_type);
                let known = kind.is_some_and(|kind| kind.options.contains(&variant.option));
                assert!(known, "{}: no option {}", variant.sku, variant.option);
            }
        }
    }

    #[test]
    fn a_product_with_variants_shows_their_lowest_price_and_total_stock() {
        for product in products().filter(|product| !product.variants.is_empty()) {
            let lowest = product.variants.iter().map(|variant| variant.price_cents).min();
            let total: i64 = product.variants.iter().map(|variant| variant.stock).sum();
            assert_eq!(lowest, Some(product.price_cents), "{}", product.slug);
            assert_eq!(total, product.stock, "{}", product.slug);
        }
    }

    #[test]
    fn the_catalogue_shows_every_situation_a_shop_has_to_handle() {
        let count = |test: fn(&DemoProduct) -> bool| products().filter(|p| test(p)).count();
        assert_eq!(products().count(), 44);
        assert!(count(|p| (2..=4).contains(&p.variants.len())) >= 12);
        assert!((1..=2).contains(&count(|p| p.stock == 0)));
        assert!(count(|p| p.featured) >= 4);
        assert!(count(|p| p.compare_price_cents.is_some()) >= 4);
        assert!(products().all(|p| (1990..=28990).contains(&p.price_cents)));
        let discounted = |p: &DemoProduct| p.compare_price_cents.is_none_or(|c| c > p.price_cents);
        assert!(products().all(discounted));
    }
}
