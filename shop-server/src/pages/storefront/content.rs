//! What can be read of a page without scripts, which take its place.

use shop_core::catalog::{Category, Image, Product, ProductSummary};
use shop_core::money::Money;

use super::escaped;

/// The main picture is the first one.
pub(super) fn of_product(product: &Product, images: &[Image]) -> String {
    let picture = images.first().map(|image| {
        format!("<img src=\"{}\" alt=\"{}\">\n", escaped(&image.url), escaped(&image.alt))
    });
    let paragraphs = product.description.split("\n\n").map(str::trim).filter(|it| !it.is_empty());
    let paragraphs = paragraphs.map(|it| format!("<p dir=\"auto\">{}</p>\n", escaped(it)));
    let description = paragraphs.collect::<Vec<String>>().concat();
    format!(
        "<article>\n<h1 dir=\"auto\">{}</h1>\n{}<p>{}</p>\n{description}</article>\n",
        escaped(&product.name),
        picture.unwrap_or_default(),
        prices(product.price_range()),
    )
}

/// What a product costs: where its variants differ, from the lowest price on.
fn prices((lowest, highest): (Money, Money)) -> String {
    let from = if lowest < highest { "A partir de " } else { "" };
    format!("{from}{}", price(lowest))
}

pub(super) fn of_category(category: &Category, products: &[ProductSummary]) -> String {
    let described = category.description.as_deref().unwrap_or_default();
    format!(
        "<h1 dir=\"auto\">{}</h1>\n<p dir=\"auto\">{}</p>\n{}",
        escaped(&category.name),
        escaped(described),
        list(products)
    )
}

pub(super) fn of_home(shop: &str, categories: &[Category], products: &[ProductSummary]) -> String {
    let links: String = categories
        .iter()
        .map(|category| item("categoria", category.slug.as_str(), &category.name, None))
        .collect();
    format!("<h1>{}</h1>\n<ul>\n{links}</ul>\n{}", escaped(shop), list(products))
}

fn list(products: &[ProductSummary]) -> String {
    let items: String = products
        .iter()
        .map(|it| item("produto", it.slug.as_str(), &it.name, Some((it.min_price, it.max_price))))
        .collect();
    format!("<ul>\n{items}</ul>\n")
}

fn item(folder: &str, slug: &str, name: &str, costs: Option<(Money, Money)>) -> String {
    let costs = costs.map(|it| format!(" {}", prices(it))).unwrap_or_default();
    format!("<li><a href=\"/{folder}/{slug}\" dir=\"auto\">{}</a>{costs}</li>\n", escaped(name))
}

fn price(amount: Money) -> String {
    escaped(&amount.in_reais())
}
