//! The feed of products: RSS 2.0 with the elements of Google's product data specification, which
//! Meta's catalogues read too.

use std::borrow::Cow;

use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{self, StreamExt};
use shop_core::Shop;
use shop_core::catalog::{FeedItem, VariantValue};
use shop_core::fiscal::Gtin;
use shop_core::money::Money;
use shop_core::value::Weight;

use super::{Pieces, xml};
use crate::pages::storefront::{self, home_url};

/// What the specification lets a title have, in characters.
const TITLE: usize = 150;
/// What it lets a description have.
const DESCRIPTION: usize = 5000;
/// How many pictures it takes beside the main one.
const MORE_PICTURES: usize = 10;
/// What it lets most other texts have.
const TEXT: usize = 70;
/// What it lets the shop's own category have.
const CATEGORY: usize = 750;

/// The elements that the specification has for what sets variants apart, by the names that
/// Brazilian shops give kinds of variation.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("cor", "g:color"),
    ("cores", "g:color"),
    ("tamanho", "g:size"),
    ("material", "g:material"),
    ("estampa", "g:pattern"),
];

pub(super) fn pieces(shop: &Shop) -> Pieces {
    let config = shop.config();
    let name = storefront::name(config);
    let begin = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\">\n<channel>\n{}\n{}\n{}\n",
        xml::element("title", name),
        xml::element("link", &home_url(config)),
        xml::element("description", &format!("Produtos de {name}")),
    );
    let items = shop.products().feed().map(|piece| {
        let items: String = piece?.iter().map(item).collect();
        Ok(Bytes::from(items))
    });
    let text = |text: String| stream::once(ready(Ok(Bytes::from(text))));
    text(begin).chain(items).chain(text("</channel>\n</rss>\n".to_owned())).boxed()
}

fn item(item: &FeedItem) -> String {
    let mut out = Item::default();
    out.add("g:id", &item.id);
    out.add("title", cut(&item.title, TITLE));
    out.add("description", cut(&item.description, DESCRIPTION));
    out.add("link", &item.link);
    let mut images = item.images.iter();
    out.maybe("g:image_link", images.next());
    for image in images.take(MORE_PICTURES) {
        out.add("g:additional_image_link", image);
    }
    out.add("g:availability", if item.in_stock { "in_stock" } else { "out_of_stock" });
    // What it used to cost is the price there, and what it costs now a sale.
    out.add("g:price", amount(item.compare_price.unwrap_or(item.price)));
    out.maybe("g:sale_price", item.compare_price.map(|_| amount(item.price)));
    out.add("g:condition", "new");
    let is_known = item.gtin.is_some() || (item.brand.is_some() && item.mpn.is_some());
    out.maybe("g:brand", item.brand.as_deref().map(|brand| cut(brand, TEXT)));
    out.maybe("g:gtin", item.gtin.as_ref().map(Gtin::as_str));
    out.maybe("g:mpn", item.mpn.as_deref().map(|mpn| cut(mpn, TEXT)));
    if !is_known {
        out.add("g:identifier_exists", "no");
    }
    out.maybe("g:product_type", item.category.as_deref().map(|it| cut(it, CATEGORY)));
    out.maybe("g:item_group_id", item.group.as_deref());
    for option in &item.options {
        out.option(option);
    }
    out.maybe("g:shipping_weight", item.weight.filter(|it| it.grams() > 0).map(weight));
    format!("<item>\n{}</item>\n", out.elements)
}

/// The elements of an item, one a line.
#[derive(Default)]
struct Item {
    elements: String,
}

impl Item {
    fn add<'t>(&mut self, name: &str, text: impl Into<Cow<'t, str>>) {
        self.elements.push_str(&xml::element(name, &text.into()));
        self.elements.push('\n');
    }

    fn maybe<'t>(&mut self, name: &str, text: Option<impl Into<Cow<'t, str>>>) {
        if let Some(text) = text {
            self.add(name, text);
        }
    }

    /// What sets a variant apart: by the element that there is for it, else as a detail with its
    /// name.
    fn option(&mut self, option: &VariantValue) {
        let kind = option.variant_type.trim().to_lowercase();
        if let Some((_, element)) = ATTRIBUTES.iter().find(|(known, _)| *known == kind) {
            return self.add(element, cut(&option.value, TEXT));
        }
        let name = xml::element("g:attribute_name", cut(&option.variant_type, TEXT));
        let value = xml::element("g:attribute_value", cut(&option.value, TEXT));
        for part in ["<g:product_detail>", &name, &value, "</g:product_detail>\n"] {
            self.elements.push_str(part);
        }
    }
}

fn amount(amount: Money) -> String {
    format!("{amount} BRL")
}

fn weight(weight: Weight) -> String {
    format!("{}.{:03} kg", weight.grams() / 1000, weight.grams() % 1000)
}

/// At most so many characters of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_where_the_specification_says() {
        assert_eq!(cut("maçã", 3), "maç");
        assert_eq!(cut("maçã", 4), "maçã");
        assert_eq!(weight(Weight::from_grams(1050)), "1.050 kg");
    }
}
