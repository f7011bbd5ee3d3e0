//! Pages: static files of `pages_dir`, and the gate in front of the back office's (decision 19).

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{HOST, HeaderMap, HeaderValue, LOCATION, VARY};
use hyper::{Response, StatusCode};
use percent_encoding::percent_decode_str;
use shop_core::Error;

use crate::app::{App, Head};
use crate::caller::{Admin, Caller};
use crate::etag::Tagged;
use crate::reply::Failure;

/// Where those go who must log in first.
const LOGIN: &str = "/login";
/// Where those go who are logged in and have no business in the back office.
const HOME: &str = "/";

/// Kept by the browser and asked about each time, so that a new page shows at once.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
/// The same for what only some may see: kept by their own browser, and by nothing on the way.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Answers a GET that no row of the table has.
pub(crate) async fn answer(app: &Arc<App>, head: &Head) -> Result<Response<Bytes>, Failure> {
    let path = rewritten(&head.parts.headers, head.parts.uri.path());
    let relative = safe_path(&path).ok_or(Failure::NoSuchPath)?;
    let of_admin = is_of_admin(&relative);
    if of_admin {
        match Admin::identify(app, head).await {
            Ok(_) => {}
            Err(Failure::Shop(Error::Unauthenticated(_))) => return Ok(redirect(LOGIN)),
            Err(Failure::Shop(Error::Forbidden)) => return Ok(redirect(HOME)),
            Err(other) => return Err(other),
        }
    }
    let folder = app.shop.config().pages_dir.clone().ok_or(Failure::NoSuchPath)?;
    let found = tokio::task::spawn_blocking(move || read(&folder, &relative)).await;
    let (body, content_type) = found.map_err(Error::from_source)?.ok_or(Failure::NoSuchPath)?;
    let cache_control = if of_admin { PRIVATE } else { REVALIDATE };
    let mut response = Tagged::new(body, content_type, cache_control).answer(&head.parts.headers);
    if of_admin {
        // Who may see it is said by a cookie or a header.
        response.headers_mut().insert(VARY, HeaderValue::from_static("Cookie, Authorization"));
    }
    Ok(response)
}

/// Judged by what will be looked for, so that no other spelling of the path leads round the gate.
fn is_of_admin(relative: &Path) -> bool {
    relative.iter().next().is_some_and(|first| first.eq_ignore_ascii_case("admin"))
}

/// On a host that begins with `admin.`, `/orders` means `/admin/orders`.
fn rewritten<'p>(headers: &HeaderMap, path: &'p str) -> Cow<'p, str> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let of_admin = host.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("admin."));
    // The pages of the back office also link to themselves by their full path.
    if !of_admin || path == "/admin" || path.starts_with("/admin/") {
        return path.into();
    }
    format!("/admin{}", path.trim_end_matches('/')).into()
}

fn redirect(to: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(to));
    response
}

/// The path within the folder, if it can only lead there: no part of it climbs, hides or means
/// something to some file system.
fn safe_path(path: &str) -> Option<PathBuf> {
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let parts = decoded.split('/').filter(|part| !part.is_empty());
    let mut safe = PathBuf::new();
    for part in parts {
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        safe.push(part);
    }
    Some(safe)
}

/// `/a` is the file `a`, `a.html` or `a/index.html`, whichever there is.
fn read(folder: &Path, relative: &Path) -> Option<(Bytes, HeaderValue)> {
    let folder = folder.canonicalize().ok()?;
    let exact = folder.join(relative);
    let mut page = exact.clone().into_os_string();
    page.push(".html");
    for candidate in [exact.clone(), PathBuf::from(page), exact.join("index.html")] {
        // A symbolic link must not lead out of the folder either.
        let Ok(real) = candidate.canonicalize() else { continue };
        if real.starts_with(&folder) && real.is_file() {
            let body = std::fs::read(&real).ok()?;
            return Some((body.into(), content_type(&real)));
        }
    }
    None
}

fn content_type(file: &Path) -> HeaderValue {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    HeaderValue::from_static(match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "wasm" => "application/wasm",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let safe = |path| safe_path(path).map(|path| path.display().to_string());
        assert_eq!(safe("/a/b.css").as_deref(), Some("a/b.css"));
        assert_eq!(safe("//a%20b//").as_deref(), Some("a b"));
        assert_eq!(safe("/").as_deref(), Some(""));
        for bad in ["/../x", "/a/..", "/%2e%2e/x", "/..%2fx", "/.git/config", "/a\\..\\b", "/c:/x"]
        {
            assert_eq!(safe(bad), None, "{bad}");
        }
        assert_eq!(safe("/%ff"), None);
        assert_eq!(safe("/a%00"), None);
    }

    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = dir.path().join("pages");
        std::fs::create_dir_all(pages.join("sobre")).expect("a folder");
        std::fs::write(dir.path().join("secret.txt"), "secret").expect("written");
        std::fs::write(pages.join("sobre/index.html"), "sobre").expect("written");
        std::fs::write(pages.join("loja.html"), "loja").expect("written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("secret.txt"), pages.join("link.txt"))
            .expect("a link");
        let body = |path: &str| read(&pages, Path::new(path)).map(|(body, _)| body);
        assert_eq!(body("sobre").as_deref(), Some(&b"sobre"[..]));
        assert_eq!(body("loja").as_deref(), Some(&b"loja"[..]));
        assert_eq!(body("link.txt"), None);
        assert_eq!(body("nothing"), None);
        assert_eq!(body(""), None);
    }

    #[test]
    fn the_host_of_the_back_office_has_its_pages_at_the_root() {
        let path = |host: &str, path| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().expect("a value"));
            rewritten(&headers, path).into_owned()
        };
        assert_eq!(path("admin.loja.example", "/orders"), "/admin/orders");
        assert_eq!(path("Admin.loja.example:8080", "/"), "/admin");
        assert_eq!(path("admin.loja.example", "/admin/orders"), "/admin/orders");
        assert_eq!(path("loja.example", "/orders"), "/orders");
        assert_eq!(path("administrator.example", "/orders"), "/orders");
    }
}
