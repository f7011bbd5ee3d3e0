//! Random sequences of what staff and shoppers do to a catalogue: after each step every list of
//! products is what a plain scan of the tables gives, at once at the server that wrote and soon at
//! another one on the same database.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::id::{CategoryId, OrderId, ProductId, VariantId, VariantOptionId};
use shop_core::money::Money;
use shop_tests::repeats;
use tokio::runtime::Runtime;

use super::fixture::{Buyer, TestShop, input};
use super::listing_question::{Found, Question, asked, expected, scan, slug};

const STAFF: Actor = Actor::System;

/// Units that are in the shop of a product at first; few, so that products sell out.
const UNITS: i64 = 3;

/// Something that happens. Products, variants and orders are the n-th of those that there are.
#[derive(Debug, Clone)]
enum Happens {
    Made { cents: i64, units: i64, category: usize, words: usize },
    Changed { product: usize, change: Change },
    Deleted { product: usize },
    Varied { product: usize, units: i64 },
    VariantCounted { variant: usize, units: i64 },
    VariantDeleted { variant: usize },
    Sold { product: usize, units: i64 },
    Cancelled { order: usize },
    CategoryChanged { category: usize, active: bool },
}

#[derive(Debug, Clone)]
enum Change {
    Price(i64),
    Units(i64),
    Featured(bool),
    Active(bool),
    Category(usize),
    VariantRequired(bool),
}

const WORDS: [&str; 3] = ["vela", "vela azul", "castiçal azul"];

fn cents() -> impl Strategy<Value = i64> {
    (1_i64..6).prop_map(|price| price * 1000)
}

fn happens() -> impl Strategy<Value = Happens> {
    let (n, units) = (0_usize..20, 0_i64..UNITS);
    let change = prop_oneof![
        cents().prop_map(Change::Price),
        units.clone().prop_map(Change::Units),
        any::<bool>().prop_map(Change::Featured),
        any::<bool>().prop_map(Change::Active),
        (0_usize..3).prop_map(Change::Category),
        any::<bool>().prop_map(Change::VariantRequired),
    ];
    prop_oneof![
        4 => (cents(), units.clone(), 0_usize..3, 0_usize..3).prop_map(
            |(cents, units, category, words)| Happens::Made { cents, units, category, words }),
        6 => (n.clone(), change).prop_map(|(product, change)| Happens::Changed { product, change }),
        1 => n.clone().prop_map(|product| Happens::Deleted { product }),
        2 => (n.clone(), units.clone()).prop_map(|(product, units)| Happens::Varied { product, units }),
        2 => (n.clone(), units).prop_map(|(variant, units)| Happens::VariantCounted { variant, units }),
        1 => n.clone().prop_map(|variant| Happens::VariantDeleted { variant }),
        6 => (n.clone(), 1..UNITS).prop_map(|(product, units)| Happens::Sold { product, units }),
        3 => n.prop_map(|order| Happens::Cancelled { order }),
        1 => (0_usize..2, any::<bool>()).prop_map(
            |(category, active)| Happens::CategoryChanged { category, active }),
    ]
}

fn questions() -> impl Strategy<Value = Question> {
    let sort = prop_oneof![Just("newest"), Just("price_asc"), Just("price_desc"), Just("popular")];
    let price = || prop::option::weighted(0.3, cents());
    let words = prop_oneof![Just("vela"), Just("azul"), Just("az"), Just("lampião")];
    let filters = (any::<bool>(), any::<bool>(), prop::option::weighted(0.3, 0_usize..3));
    let search = prop::option::weighted(0.3, words);
    (sort, filters, (price(), price()), search, 1_u32..4, 1_u32..8).prop_map(
        |(sort, (featured, in_stock, category), prices, search, page, limit)| Question {
            sort,
            featured,
            in_stock,
            category,
            prices,
            search,
            page,
            limit,
        },
    )
}

struct Catalogue {
    test: TestShop,
    other: Shop,
    buyer: Buyer,
    categories: Vec<CategoryId>,
    sizes: Vec<VariantOptionId>,
    made: usize,
    products: Vec<ProductId>,
    variants: Vec<(ProductId, VariantId)>,
    orders: Vec<OrderId>,
}

impl Catalogue {
    async fn open() -> Self {
        let test = TestShop::open().await;
        let (other, buyer) = (test.open_again().await, test.buyer("ana").await);
        let mut categories = Vec::new();
        for name in ["Velas", "Castiçais"] {
            let new = input(json!({ "name": name, "slug": slug(categories.len()) }));
            categories.push(test.shop.categories().create(&STAFF, new).await.expect("one").id);
        }
        let types = test.shop.variant_types();
        let kind = types.create(&STAFF, input(json!({ "name": "Tamanho", "slug": "tamanho" })));
        let (kind, mut sizes) = (kind.await.expect("a kind").id, Vec::new());
        for (order, value) in ["P", "M", "G"].iter().enumerate() {
            let new = input(json!({ "value": value, "order": order }));
            let option = types.create_option(&STAFF, &kind, new);
            sizes.push(option.await.expect("an option").id);
        }
        let (products, variants, orders) = (Vec::new(), Vec::new(), Vec::new());
        Self { test, other, buyer, categories, sizes, made: 0, products, variants, orders }
    }

    async fn apply(&mut self, happens: &Happens) {
        let products = self.test.shop.products();
        match happens {
            Happens::Made { cents, units, category, words } => {
                let new = json!({
                    "name": WORDS[*words], "slug": format!("produto-{}", self.made),
                    "price": Money::from_cents(*cents), "stock": units,
                    "categoryId": self.categories.get(*category)
                });
                let made = products.create(&STAFF, input(new), None).await.expect("made");
                self.made += 1;
                self.products.push(made.product.id);
            }
            Happens::Changed { product, change } => {
                let Some(id) = nth(&self.products, *product) else { return };
                let patch = match change {
                    Change::Price(cents) => json!({ "price": Money::from_cents(*cents) }),
                    Change::Units(units) => json!({ "stock": units }),
                    Change::Featured(featured) => json!({ "featured": featured }),
                    Change::Active(active) => json!({ "active": active }),
                    Change::Category(n) => json!({ "categoryId": self.categories.get(*n) }),
                    Change::VariantRequired(required) => json!({ "variantRequired": required }),
                };
                products.update(&STAFF, id, input(patch), None).await.expect("changed");
            }
            Happens::Deleted { product } => {
                let Some(id) = nth(&self.products, *product).cloned() else { return };
                // One that was sold stays.
                if products.delete(&STAFF, &id, None).await.is_ok() {
                    self.products.retain(|product| *product != id);
                    self.variants.retain(|(product, _)| *product != id);
                }
            }
            Happens::Sold { product, units } => {
                let Some(id) = nth(&self.products, *product) else { return };
                let sold = self.test.buy(&self.buyer, id, *units).await;
                self.orders.extend(sold.map(|order| order.id));
            }
            Happens::Cancelled { order } => {
                let Some(id) = nth(&self.orders, *order) else { return };
                let patch = input(json!({ "status": "CANCELLED" }));
                drop(self.test.shop.orders().update(&STAFF, id, patch, None).await);
            }
            Happens::CategoryChanged { category, active } => {
                let patch = input(json!({ "active": active }));
                let categories = self.test.shop.categories();
                let changed = categories.update(&STAFF, &self.categories[*category], patch, None);
                changed.await.expect("changed");
            }
            Happens::Varied { .. }
            | Happens::VariantCounted { .. }
            | Happens::VariantDeleted { .. } => self.apply_to_variants(happens).await,
        }
    }

    async fn apply_to_variants(&mut self, happens: &Happens) {
        let products = self.test.shop.products();
        match happens {
            Happens::Varied { product, units } => {
                let Some(id) = nth(&self.products, *product) else { return };
                let size = nth(&self.sizes, self.variants.len()).expect("a size");
                let values = json!([{ "variantOptionId": size }]);
                let new = json!({ "price": 10, "stock": units, "values": values });
                // A product has a size once.
                if let Ok(made) = products.create_variant(&STAFF, id, input(new)).await {
                    self.variants.push((id.clone(), made.id));
                }
            }
            Happens::VariantCounted { variant, units } => {
                let Some((product, id)) = nth(&self.variants, *variant) else { return };
                let patch = input(json!({ "stock": units }));
                let counted = products.update_variant(&STAFF, product, id, patch, None);
                counted.await.expect("counted");
            }
            Happens::VariantDeleted { variant } => {
                let Some((product, id)) = nth(&self.variants, *variant).cloned() else { return };
                if products.delete_variant(&STAFF, &product, &id, None).await.is_ok() {
                    self.variants.retain(|(_, variant)| *variant != id);
                }
            }
            other => panic!("{other:?} is none of variants"),
        }
    }
}

fn nth<T>(all: &[T], n: usize) -> Option<&T> {
    all.get(n % all.len().max(1))
}

async fn answer(shop: &Shop, question: &Question) -> Found {
    let page = shop.products().list(input(asked(question))).await.expect("a page");
    let total = usize::try_from(page.pagination.total).expect("a number");
    let shown = page.data.into_iter().map(|product| (product.id.to_string(), product.in_stock));
    (shown.collect(), total)
}

/// The same question without the page and with other filters in place of its own.
fn with(question: &Question, change: impl FnOnce(&mut Question)) -> Question {
    let mut changed = Question { page: 1, ..question.clone() };
    change(&mut changed);
    changed
}

/// Whether each choice that the facets of a question name leaves as many products as they say, and
/// whether they name every choice that leaves any.
async fn facets_hold(shop: &Shop, question: &Question) -> Result<(), TestCaseError> {
    let mut filter = asked(question);
    filter["facets"] = Value::from("category,price,inStock");
    let page = shop.products().list(input(filter)).await.expect("a page");
    let facets = page.facets.expect("facets");
    let total = async |question| i64::try_from(answer(shop, &question).await.1).expect("a count");

    let mut in_categories = 0;
    for found in facets.category.expect("categories") {
        let number: usize =
            found.category.slug.as_str()["categoria-".len()..].parse().expect("one");
        let chosen = with(question, |it| it.category = Some(number));
        prop_assert_eq!(found.count, total(chosen).await, "{:?}", found);
        in_categories += found.count;
    }
    let mut in_all = 0;
    for number in 0..2 {
        in_all += total(with(question, |it| it.category = Some(number))).await;
    }
    prop_assert_eq!(in_categories, in_all);

    let any_price = total(with(question, |it| it.prices = (None, None))).await;
    let ranges = facets.price.map_or(Vec::new(), |price| price.ranges);
    prop_assert_eq!(ranges.iter().map(|range| range.count).sum::<i64>(), any_price);
    for range in ranges {
        let prices = (Some(range.min_price.cents()), Some(range.max_price.cents()));
        let chosen = with(question, |it| it.prices = prices);
        prop_assert_eq!(range.count, total(chosen).await, "{:?}", range);
    }

    let stock = facets.in_stock.expect("stock");
    let available = total(with(question, |it| it.in_stock = true)).await;
    let all = total(with(question, |it| it.in_stock = false)).await;
    prop_assert_eq!((stock.available, stock.all), (available, all));
    Ok(())
}

/// Asks until the answer is this one: another server hears of a change a moment later.
async fn answers_soon(shop: &Shop, question: &Question, expected: &Found) -> bool {
    for _ in 0..500 {
        if answer(shop, question).await == *expected {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[test]
fn every_list_is_what_a_scan_of_the_tables_gives_whatever_happens() {
    let steps = prop::collection::vec((happens(), prop::collection::vec(questions(), 3)), 1..60);
    let runtime = Runtime::new().expect("a runtime");
    let mut runner = TestRunner::new(Config::with_cases(repeats(4, 12)));
    let held = runner.run(&steps, |steps| {
        runtime.block_on(async {
            let mut catalogue = Catalogue::open().await;
            for (happens, questions) in &steps {
                catalogue.apply(happens).await;
                for question in questions {
                    let scanned = expected(scan(&catalogue.test), question);
                    let listed = answer(&catalogue.test.shop, question).await;
                    prop_assert_eq!(listed, scanned, "{:?} after {:?}", question, happens);
                }
                facets_hold(&catalogue.test.shop, &questions[0]).await?;
            }
            for (_, questions) in &steps {
                for question in questions {
                    let scanned = expected(scan(&catalogue.test), question);
                    let agrees = answers_soon(&catalogue.other, question, &scanned).await;
                    prop_assert!(agrees, "another server, {:?}", question);
                }
            }
            Ok(())
        })
    });
    held.unwrap_or_else(|error| panic!("{error}"));
}
