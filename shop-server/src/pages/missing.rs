//! What a browser gets at an address that the shop does not have: the page of the storefront or of
//! the back office, which says so to people. Programs, and requests for files, get the error of the
//! API.

use std::path::Path;
use std::sync::Arc;

use hyper::Response;
#[cfg(feature = "pages")]
use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue, VARY};

use super::storefront::Screen;
#[cfg(feature = "pages")]
use super::{ADMIN, OFFICE, PRIVATE, STOREFRONT, embedded};
use super::{Own, is_of_admin, look};
use crate::app::{App, Head};
use crate::payload::Payload;
use crate::reply::Failure;

/// The storefront's page with status 404: that of `pages_dir`, else that of the program where it is
/// served. Below `/admin` the program's back office, where it is served.
pub(super) async fn answer(
    app: &Arc<App>,
    head: &Head,
    relative: &Path,
    own: Own,
) -> Result<Response<Payload>, Failure> {
    let request = &head.parts.headers;
    let is_file = relative.extension().is_some();
    if is_file || !accepts_html(request) {
        return Err(Failure::NoSuchPath);
    }
    if is_of_admin(relative) {
        return office(request, own);
    }
    let screen = |shell| Screen { shell, path: relative, key: None };
    let mut response = match look(app, Path::new("")).await?.shell {
        Some(shell) => screen(&shell).answer(app, request).await?,
        #[cfg(feature = "pages")]
        None if own.storefront => {
            let shell = embedded::shell().ok_or(Failure::NoSuchPath)?;
            STOREFRONT.protected(screen(shell).answer(app, request).await?)
        }
        None => {
            debug_assert!(!own.storefront, "there is none in this program");
            return Err(Failure::NoSuchPath);
        }
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

#[cfg(feature = "pages")]
fn office(request: &HeaderMap, own: Own) -> Result<Response<Payload>, Failure> {
    let page = own.office.then(|| OFFICE.find(ADMIN.as_ref())).flatten();
    let mut response = page.ok_or(Failure::NoSuchPath)?.answer(PRIVATE, request);
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

#[cfg(not(feature = "pages"))]
fn office(_: &HeaderMap, own: Own) -> Result<Response<Payload>, Failure> {
    debug_assert!(!own.office, "there is none in this program");
    Err(Failure::NoSuchPath)
}

/// Whether a request takes pages, as those of browsers do.
pub(super) fn accepts_html(request: &HeaderMap) -> bool {
    let accepts = request.get_all(ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    accepts.flat_map(|accept| accept.split(',')).any(is_html)
}

fn is_html(accept: &str) -> bool {
    accept.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}
