//! The back office, the page to log in and the first page of a shop without a storefront, as parts of
//! the program (feature `pages`; docs/decisions.md, "Pages").

use std::path::Path;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, REFERRER_POLICY};

use super::folder::content_type;
use crate::etag::Tagged;
use crate::payload::Payload;

/// Only this server's scripts and styles run, and the import map of `admin/index.html`, which a
/// browser takes from within the page alone. Pictures may also be made in the page itself: those that
/// staff are about to upload.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data: blob:; \
     script-src 'self' 'sha256-U9PBhG/ZFZzVlgIfZlvHByQXIsFNvxKXAfiSpEiAhc0='; \
     style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
);
/// The identifiers in addresses stay with this server.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../../pages/", $name)))),*]
    };
}

/// Each file by its address.
static FILES: &[(&str, &[u8])] = files! {
    "admin/account.js"
    "admin/account/two-factor.js"
    "admin/api-keys.js"
    "admin/app.js"
    "admin/audit.js"
    "admin/categories.js"
    "admin/coupons.js"
    "admin/customers/detail.js"
    "admin/customers/list.js"
    "admin/dashboard.js"
    "admin/index.html"
    "admin/invoices.js"
    "admin/lib/api.js"
    "admin/lib/ask-for.js"
    "admin/lib/chart.js"
    "admin/lib/connection.js"
    "admin/lib/data.js"
    "admin/lib/destroy.js"
    "admin/lib/dialog.js"
    "admin/lib/editor.js"
    "admin/lib/form.js"
    "admin/lib/format.js"
    "admin/lib/html.js"
    "admin/lib/labels.js"
    "admin/lib/login.js"
    "admin/lib/parts.js"
    "admin/lib/router.js"
    "admin/lib/session.js"
    "admin/lib/table.js"
    "admin/lib/toast.js"
    "admin/newsletter.js"
    "admin/orders/detail.js"
    "admin/orders/history.js"
    "admin/orders/invoice.js"
    "admin/orders/list.js"
    "admin/orders/payments.js"
    "admin/orders/status.js"
    "admin/products/detail.js"
    "admin/products/fiscal.js"
    "admin/products/list.js"
    "admin/products/pictures.js"
    "admin/products/preview.js"
    "admin/products/slug.js"
    "admin/products/variants.js"
    "admin/reviews.js"
    "admin/routes.js"
    "admin/settings.js"
    "admin/shipping.js"
    "admin/stock.js"
    "admin/stock/import.js"
    "admin/style.css"
    "admin/vendor/hooks.js"
    "admin/vendor/htm.js"
    "admin/vendor/preact.js"
    "admin/webhooks.js"
    "admin/webhooks/deliveries.js"
    "login/base.css"
    "login/form.js"
    "login/index.html"
    "login/login.js"
    "login/reset-password.js"
    "reset-password.html"
};

/// The file of an address, which may leave out `.html` or `/index.html`.
pub(super) fn find(path: &Path) -> Option<Embedded> {
    let path = path.to_str()?.trim_end_matches('/');
    let names = [path.to_owned(), format!("{path}.html"), format!("{path}/index.html")];
    let file = |name: &String| FILES.iter().find(|(own, _)| *own == name.as_str());
    let (name, content) = names.iter().find_map(file)?;
    Some(Embedded {
        content: Bytes::from_static(content),
        content_type: content_type(name.as_ref()),
    })
}

/// The first page of a shop without a storefront, for a browser: the shop's name, and where its
/// owner and its programmers go from here.
pub(super) fn welcome(shop: &str, request: &HeaderMap) -> Option<Embedded> {
    let accepts = request.get_all(ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    if !accepts.flat_map(|accept| accept.split(',')).any(is_html) {
        return None;
    }
    let page = include_str!("../../pages/welcome.html").replace("{{shop}}", &escaped(shop));
    Some(Embedded { content: page.into(), content_type: content_type("welcome.html".as_ref()) })
}

fn is_html(accept: &str) -> bool {
    accept.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A file of the program.
pub(super) struct Embedded {
    content: Bytes,
    content_type: HeaderValue,
}

impl Embedded {
    pub(super) fn answer(
        self,
        cache_control: HeaderValue,
        request: &HeaderMap,
    ) -> Response<Payload> {
        let mut response =
            Tagged::new(self.content, self.content_type, cache_control).answer(request);
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, POLICY);
        headers.insert(REFERRER_POLICY, REFERRER);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn add(folder: &Path, below: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(below).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(folder).expect("inside").display().to_string();
            if path.is_dir() {
                add(folder, &path, names);
            } else if ![".md", ".d.ts"].iter().any(|end| name.ends_with(end))
                && !name.contains("LICENSE")
            {
                names.insert(name);
            }
        }
    }

    #[test]
    fn the_program_has_every_file_of_the_folder() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/pages"));
        let mut there = BTreeSet::new();
        add(folder, folder, &mut there);
        there.remove("welcome.html");
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, there);
        assert_eq!(listed.len(), FILES.len());
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
