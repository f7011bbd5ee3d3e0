//! What a list is asked for, and what a plain scan of the tables answers to it.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::fixture::TestShop;

/// What a list is asked for.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) sort: &'static str,
    pub(super) featured: bool,
    pub(super) in_stock: bool,
    pub(super) category: Option<usize>,
    pub(super) prices: (Option<i64>, Option<i64>),
    pub(super) search: Option<&'static str>,
    pub(super) page: u32,
    pub(super) limit: u32,
}

fn money(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

pub(super) fn slug(category: usize) -> String {
    format!("categoria-{category}")
}

/// A product as the tables have it.
pub(super) struct Scanned {
    pk: i64,
    id: String,
    name: String,
    price: i64,
    featured: bool,
    category: Option<String>,
    sold: i64,
    in_stock: bool,
}

/// The products on sale.
pub(super) fn scan(test: &TestShop) -> Vec<Scanned> {
    let sql = "SELECT p.pk, p.id, p.name, p.price, p.featured,
                      (SELECT c.slug FROM category c WHERE c.id = p.category_id AND c.active = 1),
                      s.sold,
                      (SELECT count(*) FROM stock u WHERE u.product_pk = p.pk AND u.quantity > 0
                         AND (u.is_variant = 1 OR p.variant_required = 0))
               FROM product p JOIN stock s ON s.item_id = p.id WHERE p.active = 1";
    let row = |row: Vec<Option<String>>| {
        let text = |n: usize| row[n].clone().expect("a text");
        let number = |n: usize| text(n).parse::<i64>().expect("a number");
        Scanned {
            pk: number(0),
            id: text(1),
            name: text(2),
            price: number(3),
            featured: number(4) == 1,
            category: row[5].clone(),
            sold: number(6),
            in_stock: number(7) > 0,
        }
    };
    test.data.rows(sql).into_iter().map(row).collect()
}

/// The page that a question is answered with: products, and whether each is in stock; and how many
/// products there are.
pub(super) type Found = (Vec<(String, bool)>, usize);

pub(super) fn expected(mut products: Vec<Scanned>, question: &Question) -> Found {
    products.retain(|product| {
        let words = question
            .search
            .is_none_or(|word| product.name.split(' ').any(|named| named.starts_with(word)));
        let category = question.category.map(slug);
        let (least, most) = question.prices;
        words
            && (!question.featured || product.featured)
            && (!question.in_stock || product.in_stock)
            && category.is_none_or(|slug| product.category == Some(slug))
            && least.is_none_or(|least| product.price >= least)
            && most.is_none_or(|most| product.price <= most)
    });
    match question.sort {
        "price_asc" => products.sort_by_key(|product| (product.price, product.pk)),
        "price_desc" => products.sort_by_key(|product| Reverse((product.price, product.pk))),
        "popular" => products.sort_by_key(|product| Reverse((product.sold, product.pk))),
        _ => products.sort_by_key(|product| Reverse(product.pk)),
    }
    let total = products.len();
    let (page, limit) = (question.page as usize, question.limit as usize);
    let shown = products.into_iter().map(|product| (product.id, product.in_stock));
    (shown.skip((page - 1) * limit).take(limit).collect(), total)
}

/// The question as a filter.
pub(super) fn asked(question: &Question) -> Value {
    let mut filter = json!({
        "sort": question.sort, "featured": question.featured, "inStock": question.in_stock,
        "page": question.page, "limit": question.limit
    });
    let (least, most) = question.prices;
    let prices = [("minPrice", least), ("maxPrice", most)];
    for (name, cents) in prices.into_iter().filter_map(|(name, it)| Some((name, it?))) {
        filter[name] = Value::from(money(cents));
    }
    if let Some(category) = question.category {
        filter["category"] = Value::from(slug(category));
    }
    if let Some(search) = question.search {
        filter["search"] = Value::from(search);
    }
    filter
}
