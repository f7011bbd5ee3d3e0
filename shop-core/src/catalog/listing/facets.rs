//! How many products each choice of a filter would leave, all other filters kept.

use std::str::FromStr;

use super::index::{CategoryChoice, Index, Wanted};
use super::index_cache::IndexCache;
use crate::catalog::category::{self, CategoryRef};
use crate::error::Result;
use crate::money::Money;
use crate::storage::Tx;
use crate::value::words::fold;
use crate::value::{InvalidValue, deserialize_by_from_str, inline_schema};

/// So many ranges of prices at most.
const MAX_RANGES: i64 = 7;

/// Which facets are asked for: `category`, `price` and `inStock`, with commas between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FacetNames {
    /// How many products stand in each category.
    pub category: bool,
    /// How many there are in each range of prices.
    pub price: bool,
    /// How many are in stock.
    pub in_stock: bool,
}

impl FromStr for FacetNames {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut names = Self::default();
        for name in text.split(',').map(str::trim) {
            match name {
                "category" => names.category = true,
                "price" => names.price = true,
                "inStock" => names.in_stock = true,
                _ => return Err(InvalidValue::Facets),
            }
        }
        Ok(names)
    }
}

deserialize_by_from_str!(FacetNames);

inline_schema!(FacetNames, {
    "type": "string", "format": "product-facets", "maxLength": 100,
    "description": "Facets to count: `category`, `price` and `inStock`, with commas between."
});

/// How many products each choice would leave, of the facets that were asked for: the count of a
/// category is the total of the same list in that category.
#[apply(answer!)]
pub struct ProductFacets {
    /// The active categories in which there are some, by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Vec<CategoryFacet>>,
    /// What they cost; also left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceFacet>,
    /// How many of them are in stock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_stock: Option<StockFacet>,
}

/// A category as a choice.
#[apply(answer!)]
pub struct CategoryFacet {
    /// The category; its slug is the filter's `category`.
    #[serde(flatten)]
    pub category: CategoryRef,
    /// Products that it would leave.
    pub count: i64,
}

/// What the products cost that all filters but the price's leave.
#[apply(answer!)]
pub struct PriceFacet {
    /// The lowest price.
    pub min: Money,
    /// The highest price.
    pub max: Money,
    /// Ranges of whole reais in which there are products, from the lowest on, at most seven.
    pub ranges: Vec<PriceRangeFacet>,
}

/// A range of prices as a choice.
#[apply(answer!)]
pub struct PriceRangeFacet {
    /// The filter's `minPrice`.
    pub min_price: Money,
    /// The filter's `maxPrice`.
    pub max_price: Money,
    /// Products that the range would leave.
    pub count: i64,
}

/// Whether products are in stock, as a choice.
#[apply(answer!)]
pub struct StockFacet {
    /// Products that are left with `inStock=true`.
    pub available: i64,
    /// Products that are left without it.
    pub all: i64,
}

/// Reads how many of the products each choice of some facets would leave.
pub(super) fn facets(
    tx: &mut dyn Tx,
    index: &IndexCache,
    wanted: &Wanted,
    names: FacetNames,
) -> Result<ProductFacets> {
    let on_sale = if names.category { category::refs_on_sale(tx)? } else { Vec::new() };
    Ok(index.with(|index| count(index, wanted, names, on_sale)))
}

fn count(
    index: &Index,
    wanted: &Wanted,
    names: FacetNames,
    on_sale: Vec<CategoryRef>,
) -> ProductFacets {
    let category = names.category.then(|| by_category(index, wanted, on_sale));
    let price = if names.price { by_price(index, wanted) } else { None };
    let in_stock = names.in_stock.then(|| StockFacet {
        available: index.total(&Wanted { in_stock: true, ..wanted.clone() }),
        all: index.total(&Wanted { in_stock: false, ..wanted.clone() }),
    });
    ProductFacets { category, price, in_stock }
}

fn by_category(index: &Index, wanted: &Wanted, on_sale: Vec<CategoryRef>) -> Vec<CategoryFacet> {
    let counts = index.by_category(&Wanted { category: CategoryChoice::Any, ..wanted.clone() });
    let facets = on_sale.into_iter().filter_map(|category| {
        let count = counts.get(&category.id).copied().filter(|count| *count > 0)?;
        Some(CategoryFacet { category, count })
    });
    let mut facets: Vec<CategoryFacet> = facets.collect();
    facets.sort_by_cached_key(|facet| (fold(&facet.category.name), facet.category.id.clone()));
    facets
}

fn by_price(index: &Index, wanted: &Wanted) -> Option<PriceFacet> {
    let wanted = Wanted { min_price: None, max_price: None, ..wanted.clone() };
    let prices = index.prices_of(&wanted);
    let (min, max) = (*prices.first()?, *prices.last()?);
    let step = step(min, max);
    let ranges = prices.chunk_by(|one, next| one / step == next / step).map(|chunk| {
        let from = chunk[0] / step * step;
        PriceRangeFacet {
            min_price: Money::from_cents(from),
            max_price: Money::from_cents(from + step - 1),
            count: i64::try_from(chunk.len()).unwrap_or(i64::MAX),
        }
    });
    let ranges = ranges.collect();
    Some(PriceFacet { min: Money::from_cents(min), max: Money::from_cents(max), ranges })
}

/// How wide a range is, in cents: the least of 1, 2, 5, 10, 20.. reais that needs few enough.
fn step(min: i64, max: i64) -> i64 {
    let mut steps = (2..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_i64.pow(power)));
    steps.find(|step| max / step - min / step < MAX_RANGES).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_of_round_amounts_and_few() {
        assert_eq!(step(990, 990), 100);
        assert_eq!(step(0, 699), 100);
        assert_eq!(step(0, 700), 200);
        assert_eq!(step(1990, 24_990), 5000);
        assert_eq!(step(0, Money::MAX.cents()) / 100 % 10, 0);
    }

    #[test]
    fn facets_have_names() {
        assert_eq!(
            "inStock, price".parse(),
            Ok(FacetNames { price: true, in_stock: true, category: false })
        );
        for wrong in ["", "colour", "price,", "instock"] {
            assert_eq!(wrong.parse::<FacetNames>(), Err(InvalidValue::Facets), "{wrong}");
        }
    }
}
