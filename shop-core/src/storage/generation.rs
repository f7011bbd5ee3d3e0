//! Counters by which caches notice that what they hold has changed.

use std::sync::atomic::{AtomicU64, Ordering};

/// A part of the data that caches watch. What no cache holds (accounts, orders, ..) has no area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Products, categories, variants and reviews, and what else the site shows.
    Catalog,
    /// How many units there are.
    Stock,
    /// The counters of orders, which each order that is placed or moved changes.
    Sales,
}

impl Area {
    /// Every area there is.
    pub const ALL: [Self; 3] = [Self::Catalog, Self::Stock, Self::Sales];

    /// Its name, for other servers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Stock => "stock",
            Self::Sales => "sales",
        }
    }

    /// The area that a changing statement touches. Deriving it from the statement's own text means
    /// that no aggregate can forget to say so.
    pub fn of(sql: &str) -> Option<Self> {
        let mut words = sql.split_ascii_whitespace();
        let table = match words.next()? {
            "UPDATE" => words.next(),
            "INSERT" | "DELETE" => words.nth(1),
            _ => None,
        }?;
        match table.split('(').next()? {
            "stock" => Some(Self::Stock),
            "order_day" => Some(Self::Sales),
            "product" | "category" | "variant" | "variant_type" | "variant_option"
            | "variant_value" | "review" | "site_setting" => Some(Self::Catalog),
            _ => None,
        }
    }
}

/// One counter an area. An engine raises it after its commit and before it answers, so nobody who
/// saw his own write succeed is served from before it.
#[derive(Debug, Default)]
pub struct Generations {
    catalog: AtomicU64,
    stock: AtomicU64,
    sales: AtomicU64,
}

impl Generations {
    /// The area's counter now. Read it before the data that is to be kept under it.
    pub fn of(&self, area: Area) -> u64 {
        self.counter(area).load(Ordering::Acquire)
    }

    /// Everything kept for this area is from before some change.
    pub fn raise(&self, area: Area) {
        self.counter(area).fetch_add(1, Ordering::Release);
    }

    /// Somebody else changed we do not know what.
    pub fn raise_all(&self) {
        for area in Area::ALL {
            self.raise(area);
        }
    }

    fn counter(&self, area: Area) -> &AtomicU64 {
        match area {
            Area::Catalog => &self.catalog,
            Area::Stock => &self.stock,
            Area::Sales => &self.sales,
        }
    }
}

/// The areas that a transaction changed.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touched {
    catalog: bool,
    stock: bool,
    sales: bool,
}

#[cfg(any(feature = "postgres", feature = "sqlite"))]
impl Touched {
    pub(super) fn note(&mut self, sql: &str) {
        match Area::of(sql) {
            Some(Area::Catalog) => self.catalog = true,
            Some(Area::Stock) => self.stock = true,
            Some(Area::Sales) => self.sales = true,
            None => {}
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.catalog |= other.catalog;
        self.stock |= other.stock;
        self.sales |= other.sales;
    }

    pub(super) fn raise(self, generations: &Generations) {
        for area in self.areas() {
            generations.raise(area);
        }
    }

    pub(super) fn areas(self) -> impl Iterator<Item = Area> {
        let touched =
            [(self.catalog, Area::Catalog), (self.stock, Area::Stock), (self.sales, Area::Sales)];
        touched.into_iter().filter_map(|(touched, area)| touched.then_some(area))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_follows_from_the_statement() {
        assert_eq!(Area::of("UPDATE stock SET quantity = 1"), Some(Area::Stock));
        assert_eq!(Area::of("INSERT INTO product(id) VALUES ($1)"), Some(Area::Catalog));
        assert_eq!(Area::of("\n  DELETE FROM review WHERE id = $1"), Some(Area::Catalog));
        assert_eq!(Area::of("INSERT INTO site_setting (key)"), Some(Area::Catalog));
        assert_eq!(Area::of("INSERT INTO setting (key)"), None);
        assert_eq!(Area::of("INSERT INTO stock_movement (id) VALUES ($1)"), None);
        assert_eq!(Area::of("UPDATE order_day SET last = last + 1"), Some(Area::Sales));
        assert_eq!(Area::of("SELECT 1"), None);
    }
}
