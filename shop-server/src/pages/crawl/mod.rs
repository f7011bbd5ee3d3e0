//! What programs of others read of a shop: `robots.txt`, `sitemap.xml` and the feed of products for
//! marketplaces (docs/storefront.md).

mod feed;
mod sitemap;
mod xml;

use std::path::Path;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use shop_core::{Result, Shop};

use super::REVALIDATE;
use crate::app::{App, Head};
use crate::cache::Stamp;
use crate::etag::Tagged;
use crate::payload::Payload;
use crate::rate_limit::{Client, Rate};
use crate::reply::Failure;

/// How large a document may be, in bytes, to be kept; a larger one is made anew for each request.
const KEPT: usize = 1024 * 1024;
/// How often one client may have documents made that are not kept.
const MADE: Rate = Rate { name: "crawl", max: 60, window: Duration::from_secs(60) };

const XML: HeaderValue = HeaderValue::from_static("application/xml; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// A document for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    Robots,
    /// The list of all pages, or of the parts that it is split into.
    Sitemap,
    /// A part of it, from 1.
    SitemapPart(u32),
    Feed,
}

impl Document {
    /// The document of an address.
    pub(super) fn at(path: &Path) -> Option<Self> {
        match path.to_str()? {
            "robots.txt" => Some(Self::Robots),
            "sitemap.xml" => Some(Self::Sitemap),
            "feeds/products.xml" => Some(Self::Feed),
            path => {
                let number = path.strip_prefix("sitemap-")?.strip_suffix(".xml")?;
                let is_plain =
                    number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
                is_plain.then(|| number.parse().ok()).flatten().map(Self::SitemapPart)
            }
        }
    }

    /// The document, where there is one: with the pages of a storefront, if the server has one, and
    /// those of products.
    pub(super) async fn answer(
        self,
        app: &App,
        head: &Head,
        has_storefront: bool,
    ) -> Result<Response<Payload>, Failure> {
        let request = &head.parts.headers;
        if !has_storefront && app.shop.config().site.product_url.is_none() {
            return Err(Failure::NoSuchPath);
        }
        if self == Self::Robots {
            let text = robots(&app.shop.config().base_url());
            return Ok(Tagged::new(text.into(), TEXT, REVALIDATE).answer(request));
        }
        // No path has a space in it, so that these are no other answer's.
        let key = format!("{} {has_storefront}", head.parts.uri.path());
        // Read before the data, so that a change in between makes the answer old, never too new.
        let stamp = Stamp::now(app.shop.generations());
        if let Some(kept) = app.kept(&key, stamp, |tagged| tagged.answer(request)) {
            return Ok(kept);
        }
        let client = Client::Network(head.client);
        app.limiter.admit(MADE, client, app.shop.now()).map_err(Failure::TooMany)?;
        let pieces = self.pieces(&app.shop, has_storefront).await?.ok_or(Failure::NoSuchPath)?;
        match whole(pieces).await? {
            Made::Small(body) => {
                let tagged = Tagged::new(body, XML, REVALIDATE);
                let response = tagged.answer(request);
                app.keep(&key, stamp, tagged);
                Ok(response)
            }
            Made::Large(pieces) => Ok(streamed(pieces)),
        }
    }

    async fn pieces(self, shop: &Shop, has_storefront: bool) -> Result<Option<Pieces>> {
        match self {
            Self::Robots => Ok(None),
            Self::Sitemap => sitemap::whole(shop, has_storefront, sitemap::most(shop)).await,
            Self::SitemapPart(part) => {
                sitemap::part(shop, has_storefront, sitemap::most(shop), part).await
            }
            Self::Feed => Ok(Some(feed::pieces(shop))),
        }
    }
}

/// A document that comes while it is read.
type Pieces = BoxStream<'static, Result<Bytes>>;

enum Made {
    Small(Bytes),
    Large(Pieces),
}

/// Reads a document until it ends or is too large to be kept.
async fn whole(mut pieces: Pieces) -> Result<Made> {
    let mut read = BytesMut::new();
    while let Some(piece) = pieces.try_next().await? {
        read.extend_from_slice(&piece);
        if read.len() > KEPT {
            let begun = stream::iter([Ok(read.freeze())]);
            return Ok(Made::Large(begun.chain(pieces).boxed()));
        }
    }
    Ok(Made::Small(read.freeze()))
}

fn streamed(pieces: Pieces) -> Response<Payload> {
    let mut response = Response::new(Payload::Stream(pieces));
    *response.headers_mut() =
        HeaderMap::from_iter([(CONTENT_TYPE, XML), (CACHE_CONTROL, REVALIDATE)]);
    response
}

/// Programs and what only one shopper sees are not for search engines.
fn robots(base_url: &str) -> String {
    // A path closes all that begins with it: `/conta` alone would close `/contato`.
    let closed = ["/admin", "/api", "/carrinho", "/finalizar", "/conta$", "/conta/", "/pedido"];
    let rules = closed.map(|path| format!("Disallow: {path}\n")).concat();
    format!("User-agent: *\n{rules}\nSitemap: {base_url}/sitemap.xml\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_one_address_each() {
        let at = |path: &str| Document::at(Path::new(path));
        assert_eq!(at("sitemap-12.xml"), Some(Document::SitemapPart(12)));
        assert_eq!(at("feeds/products.xml"), Some(Document::Feed));
        for path in ["sitemap-.xml", "sitemap-0.xml", "sitemap-01.xml", "sitemap-+1.xml", "feeds"] {
            assert_eq!(at(path), None, "{path}");
        }
        assert_eq!(at("sitemap-99999999999.xml"), None);
    }
}
