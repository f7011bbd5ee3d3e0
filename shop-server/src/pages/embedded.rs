//! The back office, the page to log in, the first page of a shop without a storefront, and the
//! example of a storefront, as parts of the program (feature `pages`; docs/decisions.md, "Pages").

use std::path::Path;
use std::sync::LazyLock;

use bytes::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue,
    REFERRER_POLICY, VARY,
};
use hyper::{Response, StatusCode};

use super::folder::content_type;
use super::missing::accepts_html;
use super::storefront::{Shell, escaped};
use crate::etag::Tagged;
use crate::payload::Payload;

/// Files that are served together.
pub(super) struct Set {
    /// What their pages may load; see `build.rs`.
    policy: &'static str,
    /// Each file's address, its content, and that as brotli packs it.
    files: &'static [(&'static str, &'static [u8], &'static [u8])],
}

/// The identifiers in addresses stay with this server.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// The back office and the page to log in.
pub(super) static OFFICE: Set = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
/// The example of a storefront.
pub(super) static STOREFRONT: Set = include!(concat!(env!("OUT_DIR"), "/storefront.rs"));

/// The page of the example.
pub(super) fn shell() -> Option<&'static Shell> {
    static SHELL: LazyLock<Option<Shell>> = LazyLock::new(|| {
        let (.., content, _) = STOREFRONT.files.iter().find(|(name, ..)| *name == "index.html")?;
        Shell::of(std::str::from_utf8(content).ok()?)
    });
    SHELL.as_ref()
}

impl Set {
    /// The file of an address, which may leave out `.html` or `/index.html`.
    pub(super) fn find(&self, path: &Path) -> Option<Embedded> {
        let path = path.to_str()?.trim_end_matches('/');
        let names = [path.to_owned(), format!("{path}.html"), format!("{path}/index.html")];
        let file = |name: &String| self.files.iter().find(|(own, ..)| *own == name.as_str());
        let (name, content, packed) = names.iter().find_map(file)?;
        Some(Embedded {
            content: Bytes::from_static(content),
            packed: Some(Bytes::from_static(packed)),
            content_type: content_type(name.as_ref()),
            policy: HeaderValue::from_static(self.policy),
        })
    }

    /// An answer of the set, with what its pages may load.
    pub(super) fn protected(&self, mut response: Response<Payload>) -> Response<Payload> {
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(self.policy));
        headers.insert(REFERRER_POLICY, REFERRER);
        response
    }

    /// A page that was made from one of the set.
    pub(super) fn page(&self, content: Bytes) -> Embedded {
        Embedded {
            content,
            packed: None,
            content_type: content_type("index.html".as_ref()),
            policy: HeaderValue::from_static(self.policy),
        }
    }
}

/// The first page of a shop without a storefront, for a browser: the shop's name, and where its
/// owner and its programmers go from here.
pub(super) fn welcome(shop: &str, request: &HeaderMap) -> Option<Embedded> {
    if !accepts_html(request) {
        return None;
    }
    let page = include_str!("../../pages/welcome.html").replace("{{shop}}", &escaped(shop));
    Some(OFFICE.page(page.into()))
}

/// Whether a request takes an answer that brotli packed.
fn takes_brotli(request: &HeaderMap) -> bool {
    let lines = request.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("br") && !refused
    })
}

/// A file of the program.
pub(super) struct Embedded {
    content: Bytes,
    /// The same, packed, where it is always the same.
    packed: Option<Bytes>,
    content_type: HeaderValue,
    policy: HeaderValue,
}

impl Embedded {
    pub(super) fn answer(
        self,
        cache_control: HeaderValue,
        request: &HeaderMap,
    ) -> Response<Payload> {
        let has_two = self.packed.is_some();
        let packed = self.packed.filter(|_| takes_brotli(request));
        let is_packed = packed.is_some();
        let content = packed.unwrap_or(self.content);
        let mut response = Tagged::new(content, self.content_type, cache_control).answer(request);
        let response_is_whole = response.status() == StatusCode::OK;
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy);
        headers.insert(REFERRER_POLICY, REFERRER);
        if has_two {
            headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if is_packed && response_is_whole {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::ACCEPT;

    use super::*;

    #[test]
    fn a_packed_answer_goes_to_those_who_take_it() {
        let takes = |line: &'static str| {
            takes_brotli(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(line))]))
        };
        assert!(["br", "gzip, deflate, br, zstd", "gzip;q=0.5, BR;q=0.9"].into_iter().all(takes));
        let refuse = ["", "gzip", "br;q=0", "gzip, br; q=0.000", "brotli", "*"];
        assert!(!refuse.into_iter().any(takes));
        assert!(!takes_brotli(&HeaderMap::new()));
    }

    #[test]
    fn the_shops_name_is_text_on_the_first_page() {
        let accept =
            |kinds: &'static str| HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(kinds))]);
        let page = welcome("<b> & \"Velas\"", &accept("text/html,*/*;q=0.8")).expect("a page");
        let page = String::from_utf8(page.content.to_vec()).expect("text");
        assert!(page.contains("&lt;b&gt; &amp; &quot;Velas&quot;") && !page.contains("{{"));
        for program in ["*/*", "application/json", "text/htmlx"] {
            assert!(welcome("Velas", &accept(program)).is_none(), "{program}");
        }
    }
}
