//! What a page says of itself in the words of schema.org.

use std::fmt::Write as _;

use serde_json::{Value, json};
use shop_core::Config;
use shop_core::catalog::{Image, Product, Variant};
use shop_core::money::Money;

use super::head::home_url;

const CONTEXT: &str = "https://schema.org";

/// JSON as it may stand in a `script` element: no text of it ends the element or begins another.
pub(super) fn embedded(data: &Value) -> String {
    let text = data.to_string();
    let mut embedded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // They stand within texts alone, in which JSON knows this way to write them.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}'..='\u{9f}' => {
                // Writing into a text does not fail.
                let _ = write!(embedded, "\\u{:04x}", u32::from(c));
            }
            other => embedded.push(other),
        }
    }
    embedded
}

/// The shop and its search.
pub(super) fn site(shop: &str, config: &Config) -> Value {
    let (home, base) = (home_url(config), config.base_url());
    let organization = format!("{base}/#organization");
    json!({
        "@context": CONTEXT,
        "@graph": [
            {
                "@type": "WebSite",
                "@id": format!("{base}/#website"),
                "url": home,
                "name": shop,
                "inLanguage": "pt-BR",
                "publisher": { "@id": organization },
                "potentialAction": {
                    "@type": "SearchAction",
                    "target": {
                        "@type": "EntryPoint",
                        "urlTemplate": format!("{base}/busca?q={{search_term_string}}"),
                    },
                    "query-input": "required name=search_term_string",
                },
            },
            { "@type": "Organization", "@id": organization, "url": home, "name": shop },
        ],
    })
}

/// The way from the first page to this one: names and addresses.
pub(super) fn breadcrumbs(crumbs: &[(&str, String)]) -> Value {
    let items: Vec<Value> = crumbs
        .iter()
        .zip(1..)
        .map(|((name, url), position)| {
            json!({ "@type": "ListItem", "position": position, "name": name, "item": url })
        })
        .collect();
    json!({ "@context": CONTEXT, "@type": "BreadcrumbList", "itemListElement": items })
}

/// A product with what it costs: one offer, or one for each variant.
pub(super) fn product(config: &Config, product: &Product, images: &[Image]) -> Value {
    let url = config.product_url(&product.slug);
    let images: Vec<String> = images.iter().map(|it| config.absolute_url(&it.url)).collect();
    let description = Some(product.description.trim()).filter(|text| !text.is_empty());
    let offers = if product.variants.is_empty() {
        offer(&url, product.price, product.is_in_stock(), product.sku.as_deref(), None)
    } else {
        product.variants.iter().map(|variant| of_variant(&url, variant)).collect()
    };
    let rating = (product.review_count > 0).then(|| {
        json!({
            "@type": "AggregateRating",
            "ratingValue": product.average_rating,
            "reviewCount": product.review_count,
            "bestRating": 5,
            "worstRating": 1,
        })
    });
    without_nulls(json!({
        "@context": CONTEXT,
        "@type": "Product",
        "@id": format!("{url}#product"),
        "name": product.name,
        "url": url,
        "description": description,
        "sku": product.sku,
        "image": Some(images).filter(|images| !images.is_empty()),
        "category": product.category.as_ref().map(|category| &category.name),
        "offers": offers,
        "aggregateRating": rating,
    }))
}

fn of_variant(url: &str, variant: &Variant) -> Value {
    let values: Vec<&str> = variant.values.iter().map(|it| it.value.as_str()).collect();
    let name = Some(values.join(", ")).filter(|name| !name.is_empty());
    offer(url, variant.price, variant.stock > 0, variant.sku.as_deref(), name.as_deref())
}

fn offer(
    url: &str,
    price: Money,
    is_in_stock: bool,
    sku: Option<&str>,
    name: Option<&str>,
) -> Value {
    let availability = if is_in_stock { "InStock" } else { "OutOfStock" };
    without_nulls(json!({
        "@type": "Offer",
        "url": url,
        "name": name,
        "sku": sku,
        "price": price.to_string(),
        "priceCurrency": "BRL",
        "availability": format!("{CONTEXT}/{availability}"),
        "itemCondition": format!("{CONTEXT}/NewCondition"),
    }))
}

/// What is not known is not said.
fn without_nulls(mut data: Value) -> Value {
    if let Some(fields) = data.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element_that_it_stands_in() {
        let data = json!({ "name": "</script><script>alert(1)</script><!-- & \u{2028} \u{9b}" });
        let text = embedded(&data);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{9b}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), data);
    }
}
