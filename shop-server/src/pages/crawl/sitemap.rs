//! The list of a shop's pages by the protocol of sitemaps.org. A list that is too long for one
//! document is split: the first part has the storefront's own pages, each other one the products of
//! a part of the catalogue, in which they stay.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{self, StreamExt};
use shop_core::catalog::{ProductAddress, ProductFilter};
use shop_core::clock::Timestamp;
use shop_core::site::SitePage;
use shop_core::{Config, Result, Shop};

use super::{Pieces, xml};
use crate::pages::storefront::{category_url, home_url};

/// What a document may list, by the protocol.
const ENTRIES: usize = 50_000;
/// What a document may weigh, by the protocol, in bytes.
const BYTES: usize = 50 * 1024 * 1024;
/// The longest slug there is.
const SLUG: usize = 120;
/// What an entry has beside its address, or more, in bytes.
const AROUND: usize = 200;
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// How many pages a document lists at most, so that it keeps to both limits of the protocol however
/// long the addresses are.
pub(super) fn most(shop: &Shop) -> NonZeroU32 {
    let (config, slug) = (shop.config(), "x".repeat(SLUG));
    let product = slug.parse().map_or(0, |slug| xml::escaped(&config.product_url(&slug)).len());
    let longest = product.max(xml::escaped(&category_url(config, &slug)).len());
    let most = ENTRIES.min(BYTES / (longest + AROUND)).max(1);
    u32::try_from(most).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}

/// All pages, or the parts that they are split into. Nothing where there is no page.
pub(super) async fn whole(
    shop: &Shop,
    has_storefront: bool,
    most: NonZeroU32,
) -> Result<Option<Pieces>> {
    let own = own_pages(shop, has_storefront).await?;
    let parts = shop.products().address_parts(most).await?;
    let products = shop.products().list(ProductFilter::default()).await?.pagination.total;
    let fits = usize::try_from(products).is_ok_and(|count| count + own.len() <= at_most(most));
    if fits && parts.iter().all(|part| *part == 1) {
        let products = shop.products().addresses(most, 1).boxed();
        return Ok(Some(urlset(shop.config().clone(), own, products)));
    }
    let first = (!own.is_empty()).then_some(1);
    let numbers = first.into_iter().chain(parts.into_iter().map(|part| part + 1));
    Ok(Some(index(&shop.config().base_url(), numbers)))
}

/// A part of the pages, from 1.
pub(super) async fn part(
    shop: &Shop,
    has_storefront: bool,
    most: NonZeroU32,
    number: u32,
) -> Result<Option<Pieces>> {
    let config = shop.config().clone();
    if number == 1 {
        let mut own = own_pages(shop, has_storefront).await?;
        own.truncate(at_most(most));
        let listed = urlset(config, own, stream::empty().boxed());
        return Ok(Some(listed));
    }
    let part = number - 1;
    let exists = shop.products().address_parts(most).await?.contains(&part);
    let products = exists.then(|| shop.products().addresses(most, part).boxed());
    Ok(products.map(|products| urlset(config, Vec::new(), products)))
}

fn at_most(most: NonZeroU32) -> usize {
    usize::try_from(most.get()).unwrap_or(usize::MAX)
}

/// A page and when it last changed, where that is known.
type Entry = (String, Option<Timestamp>);

/// The storefront's pages beside those of products, none without one.
async fn own_pages(shop: &Shop, has_storefront: bool) -> Result<Vec<Entry>> {
    if !has_storefront {
        return Ok(Vec::new());
    }
    let config = shop.config();
    let home = shop.site().get_page(SitePage::Home).await?;
    let about = shop.site().get_page(SitePage::About).await?;
    let mut pages = vec![(home_url(config), home.updated_at)];
    if about.data.is_some() {
        pages.push((format!("{}/p/sobre", config.base_url()), about.updated_at));
    }
    let categories = shop.categories().list().await?;
    let urls = categories.iter().map(|it| (category_url(config, it.slug.as_str()), None));
    pages.extend(urls);
    Ok(pages)
}

type Products = stream::BoxStream<'static, Result<Vec<ProductAddress>>>;

fn urlset(config: Config, own: Vec<Entry>, products: Products) -> Pieces {
    let own: Result<Vec<Entry>> = Ok(own);
    let own = stream::once(ready(own));
    let products = products.map(move |piece| {
        let entry = |it: ProductAddress| (config.product_url(&it.slug), Some(it.updated_at));
        Ok(piece?.into_iter().map(entry).collect::<Vec<Entry>>())
    });
    document("urlset", own.chain(products).map(|piece| Ok(entries(&piece?))).boxed())
}

fn entries(pages: &[Entry]) -> String {
    let mut text = String::new();
    for (url, changed) in pages {
        let changed = changed.map(|at| xml::element("lastmod", &at.to_string()));
        let (loc, changed) = (xml::element("loc", url), changed.unwrap_or_default());
        // Writing into a text does not fail.
        let _ = writeln!(text, "<url>{loc}{changed}</url>");
    }
    text
}

fn index(base_url: &str, parts: impl Iterator<Item = u32>) -> Pieces {
    let entry = |part| {
        let loc = xml::element("loc", &format!("{base_url}/sitemap-{part}.xml"));
        format!("<sitemap>{loc}</sitemap>\n")
    };
    let entries = parts.map(entry).collect::<Vec<String>>().concat();
    document("sitemapindex", stream::once(ready(Ok(entries))).boxed())
}

fn document(root: &str, content: stream::BoxStream<'static, Result<String>>) -> Pieces {
    let begin =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} xmlns=\"{NAMESPACE}\">\n");
    let end = format!("</{root}>\n");
    let [begin, end] = [begin, end].map(|text| stream::once(ready(Ok(text))));
    begin.chain(content).chain(end).map(|text| text.map(Bytes::from)).boxed()
}
