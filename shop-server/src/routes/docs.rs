//! The OpenAPI document for people (`/docs`): a page that is part of the program, and loads nothing
//! from elsewhere.

use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use shop_core::error::{Entity, Error};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/docs", "docs", page)
            .about("This document for people: to search, to read and to try")
            .media(&["text/html; charset=utf-8"])
            .tagged(),
        public(Method::GET, "/docs/{name}", "docsPart", part)
            .about("What the page for people is made of")
            .fails(&[Code::MediaNotFound])
            .media(&["text/css; charset=utf-8", "text/javascript; charset=utf-8", "image/svg+xml"])
            .tagged(),
    ]
}

/// It runs only its own script and calls only this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     object-src 'none'",
);
/// Another version of the program has another page.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

#[derive(Debug, Deserialize, JsonSchema)]
struct PartPath {
    /// `style.css`, `script.js` or `icon.svg`.
    name: String,
}

async fn page(_: Call<Public>) -> Result<WithHeaders<File>> {
    Ok(file("text/html; charset=utf-8", include_str!("../docs/index.html")))
}

async fn part(
    _: Call<Public>,
    Path(PartPath { name }): Path<PartPath>,
) -> Result<WithHeaders<File>> {
    match name.as_str() {
        "style.css" => Ok(file("text/css; charset=utf-8", include_str!("../docs/style.css"))),
        "script.js" => {
            Ok(file("text/javascript; charset=utf-8", include_str!("../docs/script.js")))
        }
        "icon.svg" => Ok(file("image/svg+xml", include_str!("../docs/icon.svg"))),
        _ => Err(Error::NotFound(Entity::Media)),
    }
}

fn file(content_type: &'static str, text: &'static str) -> WithHeaders<File> {
    let file =
        File { content_type: HeaderValue::from_static(content_type), body: text.as_bytes().into() };
    let headers = [(CONTENT_SECURITY_POLICY, POLICY), (CACHE_CONTROL, REVALIDATE)];
    WithHeaders(file, HeaderMap::from_iter(headers))
}
