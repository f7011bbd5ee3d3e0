//! Pages: static files of `pages_dir`, and the gate in front of the back office's (docs/decisions.md, "Access").

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HOST, HeaderMap, HeaderValue, LOCATION, VARY,
};
use hyper::{Response, StatusCode};
use percent_encoding::percent_decode_str;
use shop_core::Error;

use crate::app::{App, Head};
use crate::caller::Caller;
use crate::etag::{self, Tagged};
use crate::file_body::{self, FileBody};
use crate::payload::Payload;
use crate::reply::Failure;
use crate::staff::Staff;

/// How large a page may be, in bytes, to be read at once.
const SMALL: u64 = 32 * 1024;
/// Where a request without a session is sent.
const LOGIN: &str = "/login";
/// Where a session of a customer is sent from the back office.
const HOME: &str = "/";

/// Kept by the browser and asked about each time, so that a new page shows at once.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
/// The same for what only some may see: kept by their own browser, and by nothing on the way.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Answers a GET that no row of the table has.
pub(crate) async fn answer(app: &Arc<App>, head: &Head) -> Result<Response<Payload>, Failure> {
    let on_admin_host = is_of_admin_host(host(head));
    let relative = safe_path(head.parts.uri.path()).ok_or(Failure::NoSuchPath)?;
    let relative = if on_admin_host { rewritten(relative) } else { relative };
    let of_admin = is_of_admin(&relative);
    if of_admin {
        match Staff::identify(app, head).await {
            Ok(_) => {}
            Err(Failure::Shop(Error::Unauthenticated(_))) => return redirect(LOGIN),
            Err(Failure::Shop(Error::Forbidden)) if on_admin_host => {
                return redirect(&home_elsewhere(&app.shop.config().base_url()));
            }
            Err(Failure::Shop(Error::Forbidden)) => return redirect(HOME),
            Err(other) => return Err(other),
        }
    }
    let folder = app.options.pages_dir.clone().ok_or(Failure::NoSuchPath)?;
    let found = tokio::task::spawn_blocking(move || read(&folder, &relative)).await;
    let (page, content_type) = found.map_err(Error::from_source)?.ok_or(Failure::NoSuchPath)?;
    let cache_control = if of_admin { PRIVATE } else { REVALIDATE };
    let mut response = page.answer(content_type, cache_control, &head.parts.headers);
    if of_admin {
        // The session that admits the caller comes in a cookie or a header.
        response.headers_mut().insert(VARY, HeaderValue::from_static("Cookie, Authorization"));
    }
    Ok(response)
}

/// Judged by what will be looked for, so that no other spelling of the path leads round the gate.
fn is_of_admin(relative: &Path) -> bool {
    begins_with(relative, "admin")
}

fn begins_with(relative: &Path, name: &str) -> bool {
    relative.iter().next().is_some_and(|first| first.eq_ignore_ascii_case(name))
}

/// The host that was asked for: as the request's line says it, where it does, else its header.
fn host(head: &Head) -> &str {
    let header = || head.parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    head.parts.uri.host().or_else(header).unwrap_or_default()
}

fn is_of_admin_host(host: &str) -> bool {
    host.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("admin."))
}

/// On a host that begins with `admin.`, `/orders` means `/admin/orders`. The back office's pages
/// also link to themselves by their full path; and the page to log in, with what lies below it, must
/// be served to a browser without a session.
fn rewritten(relative: PathBuf) -> PathBuf {
    if is_of_admin(&relative) || ["login", "login.html"].iter().any(|it| begins_with(&relative, it))
    {
        relative
    } else {
        Path::new("admin").join(relative)
    }
}

/// The address of the shop's first page for a request on the back office's host, on which `/` is a
/// page of the back office.
fn home_elsewhere(base_url: &str) -> String {
    let host = base_url.split_once("://").map_or(base_url, |(_, host)| host);
    if is_of_admin_host(host) { LOGIN.to_owned() } else { format!("{base_url}{HOME}") }
}

fn redirect(to: &str) -> Result<Response<Payload>, Failure> {
    let mut response = Response::new(Bytes::new().into());
    *response.status_mut() = StatusCode::FOUND;
    let to = HeaderValue::from_str(to).map_err(Error::from_source)?;
    response.headers_mut().insert(LOCATION, to);
    Ok(response)
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

/// A page that was found.
enum Page {
    /// A small one, tagged by its content.
    Small(Bytes),
    /// A large one, read while it is sent, and its tag.
    Large(FileBody, HeaderValue),
}

impl Page {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = std::fs::File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.len() > SMALL {
            let body = FileBody::new(file, metadata.len());
            return Ok(Self::Large(body, file_body::tag_of(&metadata)));
        }
        let mut content = Vec::new();
        file.by_ref().take(SMALL).read_to_end(&mut content)?;
        Ok(Self::Small(content.into()))
    }

    fn answer(
        self,
        content_type: HeaderValue,
        cache_control: HeaderValue,
        request: &HeaderMap,
    ) -> Response<Payload> {
        match self {
            Self::Small(body) => Tagged::new(body, content_type, cache_control).answer(request),
            Self::Large(body, etag) => {
                let mut response = Response::new(Payload::File(body));
                let headers = response.headers_mut();
                headers.insert(CONTENT_TYPE, content_type);
                headers.insert(CACHE_CONTROL, cache_control);
                headers.insert(ETAG, etag);
                etag::tag(response, request)
            }
        }
    }
}

/// `/a` is the file `a`, `a.html` or `a/index.html`, whichever there is.
fn read(folder: &Path, relative: &Path) -> Option<(Page, HeaderValue)> {
    let folder = folder.canonicalize().ok()?;
    let exact = folder.join(relative);
    let mut page = exact.clone().into_os_string();
    page.push(".html");
    for candidate in [exact.clone(), PathBuf::from(page), exact.join("index.html")] {
        let Ok(real) = candidate.canonicalize() else { continue };
        if may_show(&folder, relative, &real) && real.is_file() {
            return Some((Page::open(&real).ok()?, content_type(&real)));
        }
    }
    None
}

/// A symbolic link must lead neither out of the folder nor round the gate, nor to what is hidden.
fn may_show(folder: &Path, relative: &Path, real: &Path) -> bool {
    let Ok(inside) = real.strip_prefix(folder) else { return false };
    let hidden = inside.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
    !hidden && (is_of_admin(relative) || !is_of_admin(inside))
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
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "csv" => "text/csv; charset=utf-8",
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
        let body = |path: &str| match read(&pages, Path::new(path))?.0 {
            Page::Small(body) => Some(body),
            Page::Large(..) => None,
        };
        assert_eq!(body("sobre").as_deref(), Some(&b"sobre"[..]));
        assert_eq!(body("loja").as_deref(), Some(&b"loja"[..]));
        assert_eq!(body("link.txt"), None);
        assert_eq!(body("nothing"), None);
        assert_eq!(body(""), None);
    }

    #[test]
    fn no_link_leads_round_the_gate_or_to_what_is_hidden() {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = dir.path();
        std::fs::create_dir_all(pages.join("admin")).expect("made");
        std::fs::write(pages.join("admin/orders.html"), "orders").expect("written");
        std::fs::write(pages.join(".env"), "secret").expect("written");
        for (to, link) in [("admin", "open"), ("admin/orders.html", "o.html"), (".env", "env.txt")]
        {
            std::os::unix::fs::symlink(pages.join(to), pages.join(link)).expect("linked");
        }
        for path in ["open/orders", "open/orders.html", "o", "o.html", "env.txt", ".env"] {
            assert!(read(pages, Path::new(path)).is_none(), "{path}");
        }
        assert!(read(pages, Path::new("admin/orders")).is_some());
    }

    #[test]
    fn the_host_of_the_back_office_has_its_pages_at_the_root() {
        let path = |path: &str| rewritten(path.into()).display().to_string();
        assert_eq!(path("orders"), "admin/orders");
        assert_eq!(path(""), "admin/");
        assert_eq!(path("admin/orders"), "admin/orders");
        assert_eq!(path("login"), "login");
        assert_eq!(path("login/style.css"), "login/style.css");
        assert_eq!(path("login-history"), "admin/login-history");
        for host in ["admin.loja.example", "Admin.loja.example:8080", "ADMIN.localhost"] {
            assert!(is_of_admin_host(host), "{host}");
        }
        for host in ["loja.example", "administrator.example", "admin", "[::1]:8080", "", "ádmin."]
        {
            assert!(!is_of_admin_host(host), "{host}");
        }
    }

    #[test]
    fn who_has_no_business_on_the_back_offices_host_is_sent_to_the_shop() {
        assert_eq!(home_elsewhere("https://loja.example"), "https://loja.example/");
        assert_eq!(home_elsewhere("https://admin.loja.example"), "/login");
    }
}
