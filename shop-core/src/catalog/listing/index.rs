//! What lists of products filter and sort by, in memory: some 40 bytes a product.
//!
//! A product has a slot, in the order of the `pk`s. A filter makes a set of slots, one bit each, by
//! one pass over the prices or categories that it asks for; the page is met on the way through the
//! slots in the order that is asked for.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::filter::ProductSort;
use super::slots::{PkSet, SlotSet};
use crate::id::CategoryId;
use crate::money::Money;
use crate::page::PageRequest;

/// What lists know of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedProduct {
    pub(super) pk: i64,
    pub(super) active: bool,
    pub(super) featured: bool,
    pub(super) price: i64,
    pub(super) category: Option<Arc<CategoryId>>,
    pub(super) sold: i64,
    /// Whether there is a unit, of its own or of a variant.
    pub(super) in_stock: bool,
}

/// In which category products are wanted.
#[derive(Debug, Clone, Default)]
pub(super) enum CategoryChoice {
    #[default]
    Any,
    One(CategoryId),
    /// In one that shoppers do not see: nothing is in it.
    NoSuch,
}

/// What a list demands of a product on sale.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    pub(super) category: CategoryChoice,
    pub(super) featured: bool,
    pub(super) in_stock: bool,
    pub(super) min_price: Option<Money>,
    pub(super) max_price: Option<Money>,
    /// Only these.
    pub(super) among: Option<PkSet>,
}

/// The number of a category, so that products carry four bytes of it; 0 is none.
type CategoryNumber = u32;

/// The products, a column for each thing that is known of them.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Rising.
    pks: Vec<i64>,
    active: SlotSet,
    featured: SlotSet,
    in_stock: SlotSet,
    categories: Vec<CategoryNumber>,
    prices: Vec<i64>,
    sold: Vec<i64>,
    by_price: Order,
    by_sold: Order,
    numbers: HashMap<Arc<CategoryId>, CategoryNumber>,
}

impl Index {
    /// An index of products in the order of their `pk`s.
    pub(super) fn new(products: Vec<ListedProduct>) -> Self {
        let mut index = Self::default();
        index.pks.reserve_exact(products.len());
        index.categories.reserve_exact(products.len());
        index.prices.reserve_exact(products.len());
        index.sold.reserve_exact(products.len());
        for product in products {
            index.push(product);
        }
        index.by_price = Order::of(&index.prices);
        index.by_sold = Order::of(&index.sold);
        index
    }

    fn push(&mut self, product: ListedProduct) {
        self.mark(self.pks.len(), &product);
        self.pks.push(product.pk);
        self.prices.push(product.price);
        self.sold.push(product.sold);
        let number = self.number(product.category);
        self.categories.push(number);
    }

    fn mark(&mut self, slot: usize, product: &ListedProduct) {
        self.active.set(slot, product.active);
        self.featured.set(slot, product.featured);
        self.in_stock.set(slot, product.in_stock);
    }

    fn number(&mut self, category: Option<Arc<CategoryId>>) -> CategoryNumber {
        let Some(category) = category else { return 0 };
        let next = CategoryNumber::try_from(self.numbers.len() + 1).unwrap_or(CategoryNumber::MAX);
        *self.numbers.entry(category).or_insert(next)
    }

    /// Products that it has room for; those that were deleted have kept theirs.
    pub(super) fn len(&self) -> usize {
        self.pks.len()
    }

    /// Takes what a product is now. False where it belongs between others that are known already:
    /// the whole must be read again.
    pub(super) fn put(&mut self, product: ListedProduct) -> bool {
        match self.pks.binary_search(&product.pk) {
            Ok(slot) => self.replace(slot, product),
            Err(slot) if slot == self.pks.len() => {
                self.push(product);
                self.by_price.insert(&self.prices);
                self.by_sold.insert(&self.sold);
            }
            Err(_) => return false,
        }
        true
    }

    fn replace(&mut self, slot: usize, product: ListedProduct) {
        self.mark(slot, &product);
        self.by_price.set(&mut self.prices, slot, product.price);
        self.by_sold.set(&mut self.sold, slot, product.sold);
        self.categories[slot] = self.number(product.category);
    }

    /// Forgets a product.
    pub(super) fn remove(&mut self, pk: i64) {
        if let Ok(slot) = self.pks.binary_search(&pk) {
            self.active.set(slot, false);
        }
    }

    /// How many products there are of what is wanted, and the `pk`s of a page of them.
    pub(super) fn page(
        &self,
        wanted: &Wanted,
        sort: ProductSort,
        request: PageRequest,
    ) -> (i64, Vec<i64>) {
        let found = self.find(wanted);
        let total = found.len();
        let offset = usize::try_from(request.offset()).unwrap_or(usize::MAX);
        let slots: Vec<u32> = if offset >= total {
            Vec::new()
        } else {
            let limit = request.limit as usize;
            let page = |slots: &mut dyn Iterator<Item = &u32>| -> Vec<u32> {
                let found = slots.filter(|slot| found.contains(**slot as usize));
                found.skip(offset).take(limit).copied().collect()
            };
            let priced = || &self.by_price.0[self.priced(wanted)];
            match sort {
                ProductSort::Newest => found.latest(offset, limit),
                ProductSort::PriceAsc => page(&mut priced().iter()),
                ProductSort::PriceDesc => page(&mut priced().iter().rev()),
                ProductSort::Popular => page(&mut self.by_sold.0.iter().rev()),
            }
        };
        let pks = slots.into_iter().map(|slot| self.pks[slot as usize]).collect();
        (i64::try_from(total).unwrap_or(i64::MAX), pks)
    }

    /// How many products there are of what is wanted.
    pub(super) fn total(&self, wanted: &Wanted) -> i64 {
        i64::try_from(self.find(wanted).len()).unwrap_or(i64::MAX)
    }

    /// How many of them stand in each category.
    pub(super) fn by_category(&self, wanted: &Wanted) -> HashMap<CategoryId, i64> {
        let found = self.find(wanted);
        let mut counts = vec![0_i64; self.numbers.len() + 1];
        for slot in found.slots() {
            counts[self.categories[slot] as usize] += 1;
        }
        let count = |(category, number): (&Arc<CategoryId>, &CategoryNumber)| {
            (CategoryId::clone(category), counts[*number as usize])
        };
        self.numbers.iter().map(count).collect()
    }

    /// What each of them costs, in cents, rising.
    pub(super) fn prices_of(&self, wanted: &Wanted) -> Vec<i64> {
        let found = self.find(wanted);
        let slots = self.by_price.0.iter().map(|slot| *slot as usize);
        slots.filter(|slot| found.contains(*slot)).map(|slot| self.prices[slot]).collect()
    }

    /// Where the products of the wanted prices stand in the order of the prices.
    fn priced(&self, wanted: &Wanted) -> Range<usize> {
        let before = |cents: i64, with: bool| {
            self.by_price.0.partition_point(|slot| {
                let price = self.prices[*slot as usize];
                price < cents || (with && price == cents)
            })
        };
        let start = wanted.min_price.map_or(0, |least| before(least.cents(), false));
        let end = wanted.max_price.map_or(self.len(), |most| before(most.cents(), true));
        start..end.max(start)
    }

    fn find(&self, wanted: &Wanted) -> SlotSet {
        let mut found = self.active.clone();
        if wanted.featured {
            found.keep_those_of(&self.featured);
        }
        if wanted.in_stock {
            found.keep_those_of(&self.in_stock);
        }
        match &wanted.category {
            CategoryChoice::Any => {}
            CategoryChoice::One(category) => match self.numbers.get(category) {
                Some(number) => found.keep(&self.categories, |has| has == *number),
                None => return SlotSet::default(),
            },
            CategoryChoice::NoSuch => return SlotSet::default(),
        }
        if wanted.min_price.is_some() || wanted.max_price.is_some() {
            let least = wanted.min_price.map_or(i64::MIN, Money::cents);
            let most = wanted.max_price.map_or(i64::MAX, Money::cents);
            found.keep(&self.prices, |price| (least..=most).contains(&price));
        }
        if let Some(among) = &wanted.among {
            found.keep(&self.pks, |pk| among.contains(pk));
        }
        found
    }
}

/// All slots, by a number that each has and then by the slot.
#[derive(Debug, Default)]
struct Order(Vec<u32>);

impl Order {
    fn of(numbers: &[i64]) -> Self {
        // With the numbers beside the slots, sorting does not jump about in memory.
        let mut slots: Vec<(i64, u32)> = numbers.iter().copied().zip(0..).collect();
        slots.sort_unstable();
        Self(slots.into_iter().map(|(_, slot)| slot).collect())
    }

    /// Takes the last slot of the numbers, which is new.
    fn insert(&mut self, numbers: &[i64]) {
        let Some((new, before)) = numbers.split_last() else { return };
        let place = self.0.partition_point(|slot| numbers[*slot as usize] <= *new);
        self.0.insert(place, u32::try_from(before.len()).unwrap_or(u32::MAX));
    }

    /// Gives a slot another number, and its place by that.
    fn set(&mut self, numbers: &mut [i64], slot: usize, number: i64) {
        let key = |numbers: &[i64], slot: u32| (numbers[slot as usize], slot);
        let Ok(moved) = u32::try_from(slot) else { return };
        let (old, new) = (key(numbers, moved), (number, moved));
        let place = |slots: &[u32], end| slots.partition_point(|slot| key(numbers, *slot) < end);
        let from = place(&self.0, old);
        if new > old {
            let to = from + 1 + place(&self.0[from + 1..], new);
            self.0[from..to].rotate_left(1);
        } else {
            let to = place(&self.0[..from], new);
            self.0[to..=from].rotate_right(1);
        }
        numbers[slot] = number;
    }
}
