//! The answer at the address of a screen, made or kept.

use std::path::Path;

use hyper::header::HeaderMap;
use hyper::{Response, StatusCode};
use shop_core::Result;

use super::{Filled, Shell, fill};
use crate::app::App;
use crate::cache::Stamp;
use crate::etag::Tagged;
use crate::pages::REVALIDATE;
use crate::pages::folder::HTML;
use crate::payload::Payload;

/// A screen of a storefront.
pub(in crate::pages) struct Screen<'a> {
    pub(in crate::pages) shell: &'a Shell,
    pub(in crate::pages) path: &'a Path,
    /// What the answer is kept under. One made from a page that may change at any time is not kept.
    pub(in crate::pages) key: Option<&'a str>,
}

impl Screen<'_> {
    /// # Errors
    /// Those of reading the catalogue.
    pub(in crate::pages) async fn answer(
        self,
        app: &App,
        request: &HeaderMap,
    ) -> Result<Response<Payload>> {
        // Read before the data, so that a change in between makes the answer old, never too new.
        let stamp = Stamp::now(app.shop.generations());
        let Filled { status, body } = fill(app, self.shell, self.path).await?;
        let tagged = Tagged::new(body, HTML, REVALIDATE);
        if status != StatusCode::OK {
            let mut response = tagged.answer(&HeaderMap::new());
            *response.status_mut() = status;
            return Ok(response);
        }
        let response = tagged.answer(request);
        if let Some(key) = self.key.filter(|key| is_kept(key)) {
            app.keep(key, stamp, tagged);
        }
        Ok(response)
    }
}

/// Whether the page of an address shows something of the catalogue.
fn is_kept(path: &str) -> bool {
    path == "/" || path.starts_with("/produto/") || path.starts_with("/categoria/")
}

/// The answer that is kept for an address, if it was made from the present data.
#[cfg(feature = "pages")]
pub(in crate::pages) fn kept(
    app: &App,
    path: &str,
    request: &HeaderMap,
) -> Option<Response<Payload>> {
    let now = Stamp::now(app.shop.generations());
    is_kept(path).then(|| app.kept(path, now, |tagged| tagged.answer(request))).flatten()
}
