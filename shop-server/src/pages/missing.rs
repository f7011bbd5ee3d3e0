//! What a browser gets at an address that the shop does not have: the storefront's page, which says so
//! to people. Programs, and requests for files, get the error of the API.

use std::path::Path;
use std::sync::Arc;

use hyper::Response;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue, VARY};

use super::storefront::Screen;
#[cfg(feature = "pages")]
use super::{STOREFRONT, embedded};
use super::{is_of_admin, look};
use crate::app::{App, Head};
use crate::payload::Payload;
use crate::reply::Failure;

/// The storefront's page with status 404: that of `pages_dir`, else that of the program where it is
/// served.
pub(super) async fn answer(
    app: &Arc<App>,
    head: &Head,
    relative: &Path,
    has_storefront: bool,
) -> Result<Response<Payload>, Failure> {
    let request = &head.parts.headers;
    let is_file = relative.extension().is_some();
    if is_file || is_of_admin(relative) || !accepts_html(request) {
        return Err(Failure::NoSuchPath);
    }
    let screen = |shell| Screen { shell, path: relative, key: None };
    let mut response = match look(app, Path::new("")).await?.shell {
        Some(shell) => screen(&shell).answer(app, request).await?,
        #[cfg(feature = "pages")]
        None if has_storefront => {
            let shell = embedded::shell().ok_or(Failure::NoSuchPath)?;
            STOREFRONT.protected(screen(shell).answer(app, request).await?)
        }
        None => {
            debug_assert!(!has_storefront, "there is none in this program");
            return Err(Failure::NoSuchPath);
        }
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

/// Whether a request takes pages, as those of browsers do.
pub(super) fn accepts_html(request: &HeaderMap) -> bool {
    let accepts = request.get_all(ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    accepts.flat_map(|accept| accept.split(',')).any(is_html)
}

fn is_html(accept: &str) -> bool {
    accept.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}
