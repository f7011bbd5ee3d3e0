//! What search engines and messengers read of a page: title, description, canonical address, Open
//! Graph and JSON-LD.

use shop_core::Config;
use shop_core::catalog::{Category, Image, Product};

use super::{escaped, json_ld};

/// What a description has at most, in characters; search engines show no more.
const DESCRIPTION: usize = 200;

/// A head with a title and nothing else.
pub(super) fn title(shop: &str) -> String {
    format!("<title>{}</title>", escaped(shop))
}

pub(super) fn of_home(config: &Config, shop: &str) -> String {
    let url = home_url(config);
    let described = format!("{shop}: compre pela internet com entrega em todo o Brasil.");
    let mut head = Head::new(shop, shop, &described, &url, "website");
    head.json_ld(&json_ld::site(shop, config));
    head.text
}

pub(super) fn of_category(config: &Config, shop: &str, category: &Category) -> String {
    let url = category_url(config, category.slug.as_str());
    let named = format!("{} | {shop}", category.name);
    let written = category.description.as_deref().map(summary).filter(|it| !it.is_empty());
    let described =
        written.unwrap_or_else(|| format!("{} na {shop}: veja os produtos.", category.name));
    let mut head = Head::new(shop, &named, &described, &url, "website");
    if let Some(image) = &category.image {
        head.property("og:image", &config.absolute_url(image));
    }
    let crumbs = [(shop, home_url(config)), (&category.name, url)];
    head.json_ld(&json_ld::breadcrumbs(&crumbs));
    head.text
}

/// The main picture is the first one.
pub(super) fn of_product(
    config: &Config,
    shop: &str,
    product: &Product,
    images: &[Image],
) -> String {
    let url = config.product_url(&product.slug);
    let (lowest, _) = product.price_range();
    let named = format!("{} | {shop}", product.name);
    let written = summary(&product.description);
    let described = if written.is_empty() {
        format!("{} por {} na {shop}.", product.name, lowest.in_reais())
    } else {
        written
    };
    let mut head = Head::new(shop, &named, &described, &url, "product");
    for image in images {
        head.property("og:image", &config.absolute_url(&image.url));
        head.property("og:image:alt", &image.alt);
    }
    head.property("product:price:amount", &lowest.to_string());
    head.property("product:price:currency", "BRL");
    let availability = if product.is_in_stock() { "in stock" } else { "out of stock" };
    head.property("product:availability", availability);
    head.json_ld(&json_ld::product(config, product, images));
    let mut crumbs = vec![(shop, home_url(config))];
    if let Some(category) = &product.category {
        crumbs.push((&category.name, category_url(config, category.slug.as_str())));
    }
    crumbs.push((&product.name, url));
    head.json_ld(&json_ld::breadcrumbs(&crumbs));
    head.text
}

pub(in crate::pages) fn home_url(config: &Config) -> String {
    format!("{}/", config.base_url())
}

pub(in crate::pages) fn category_url(config: &Config, slug: &str) -> String {
    format!("{}/categoria/{slug}", config.base_url())
}

/// The beginning of a text in one line, cut between words.
fn summary(text: &str) -> String {
    let mut summary = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        length += word.chars().count() + 1;
        if length > DESCRIPTION {
            return if summary.is_empty() {
                word.chars().take(DESCRIPTION).collect()
            } else {
                summary + "…"
            };
        }
        if !summary.is_empty() {
            summary.push(' ');
        }
        summary.push_str(word);
    }
    summary
}

/// Elements of a head, one a line.
struct Head {
    text: String,
}

impl Head {
    fn new(shop: &str, title: &str, description: &str, url: &str, kind: &str) -> Self {
        let mut head = Self { text: self::title(title) };
        head.line(&format!("<meta name=\"description\" content=\"{}\">", escaped(description)));
        head.line(&format!("<link rel=\"canonical\" href=\"{}\">", escaped(url)));
        for (property, content) in [
            ("og:site_name", shop),
            ("og:locale", "pt_BR"),
            ("og:type", kind),
            ("og:title", title),
            ("og:description", description),
            ("og:url", url),
        ] {
            head.property(property, content);
        }
        head
    }

    fn property(&mut self, property: &str, content: &str) {
        self.line(&format!("<meta property=\"{property}\" content=\"{}\">", escaped(content)));
    }

    fn json_ld(&mut self, data: &serde_json::Value) {
        let data = json_ld::embedded(data);
        self.line(&format!("<script type=\"application/ld+json\">{data}</script>"));
    }

    fn line(&mut self, element: &str) {
        self.text.push('\n');
        self.text.push_str(element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_one_line_that_ends_between_words() {
        assert_eq!(summary("  Cera de soja.\n\nAroma  suave. "), "Cera de soja. Aroma suave.");
        let long = summary(&"palavra ".repeat(60));
        assert!(long.ends_with("palavra…") && long.chars().count() <= DESCRIPTION, "{long}");
        assert_eq!(summary(&"a".repeat(500)).len(), DESCRIPTION);
        assert_eq!(summary(" \n"), "");
    }
}
