//! Pages: static files of `pages_dir`, those that are part of the program, the gate in front of the
//! back office's, and the page of a storefront, which is filled in for each address
//! (docs/decisions.md, "Access" and "Pages").

mod crawl;
#[cfg(feature = "pages")]
mod embedded;
mod folder;
mod missing;
mod screens;
mod storefront;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
#[cfg(feature = "pages")]
use hyper::Method;
use hyper::header::{HOST, HeaderMap, HeaderValue, LOCATION, VARY};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Response, StatusCode, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use shop_core::Error;

use self::crawl::Document;
#[cfg(feature = "pages")]
use self::embedded::{OFFICE, STOREFRONT};
use self::storefront::{Screen, Shell};
use crate::app::{App, Head};
use crate::caller::Caller;
use crate::payload::Payload;
use crate::reply::Failure;
use crate::staff::Staff;

/// The folder of the back office's pages.
const ADMIN: &str = "admin";
/// Where a request without a session is sent.
const LOGIN: &str = "/login";
/// The pages for callers without a session: they are the same on every host.
const OPEN: [&str; 4] = ["login", "login.html", "reset-password", "reset-password.html"];
/// Where a session of a customer is sent from the back office.
const HOME: &str = "/";

/// What is written otherwise within a value of a query: all but what no address means anything by.
const IN_QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Kept by the browser and asked about each time, so that a new page shows at once.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
/// The same for what only some may see: kept by their own browser, and by nothing on the way.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Answers a GET that no row of the table has.
pub(crate) async fn answer(app: &Arc<App>, head: &Head) -> Result<Response<Payload>, Failure> {
    let on_admin_host = is_of_admin_host(host(&head.parts.uri, &head.parts.headers));
    let relative = safe_path(head.parts.uri.path()).ok_or(Failure::NoSuchPath)?;
    let relative = if on_admin_host { rewritten(relative) } else { relative };
    let of_admin = is_of_admin(&relative);
    if of_admin {
        match Staff::identify(app, head).await {
            Ok(_) => {}
            Err(Failure::Shop(Error::Unauthenticated(_))) => {
                return redirect(&log_in_for(&head.parts.uri, &relative));
            }
            Err(Failure::Shop(Error::Forbidden)) if on_admin_host => {
                return redirect(&home_elsewhere(&app.shop.config().base_url()));
            }
            Err(Failure::Shop(Error::Forbidden)) => return redirect(HOME),
            Err(other) => return Err(other),
        }
    }
    let cache_control = if of_admin { PRIVATE } else { REVALIDATE };
    let mut response = page(app, head, relative, cache_control).await?;
    if of_admin {
        // The session that admits the caller comes in a cookie or a header.
        response.headers_mut().append(VARY, HeaderValue::from_static("Cookie, Authorization"));
    }
    Ok(response)
}

/// The page of a path: that of `pages_dir`, else that of the program.
async fn page(
    app: &Arc<App>,
    head: &Head,
    relative: PathBuf,
    cache_control: HeaderValue,
) -> Result<Response<Payload>, Failure> {
    let request = &head.parts.headers;
    let Looked { found, shell, has_back_office, has_home } = look(app, &relative).await?;
    let own = Own {
        office: cfg!(feature = "pages") && !has_back_office,
        storefront: cfg!(feature = "pages") && !has_home && app.options.storefront.is_some(),
    };
    if let Some((page, content_type)) = found {
        return Ok(page.answer(content_type, cache_control, request));
    }
    if let Some(document) = Document::at(&relative) {
        return document.answer(app, head, shell.is_some() || own.storefront).await;
    }
    if let Some(shell) = shell {
        // It may change at any time, and then shows at once.
        return Ok(Screen { shell: &shell, path: &relative, key: None }
            .answer(app, request)
            .await?);
    }
    match own_page(app, head, &relative, own, cache_control).await {
        Err(Failure::NoSuchPath) => missing::answer(app, head, &relative, own).await,
        answer => answer,
    }
}

async fn look(app: &App, relative: &Path) -> Result<Looked, Failure> {
    let Some(folder) = app.options.pages_dir.clone() else { return Ok(Looked::default()) };
    let relative = relative.to_owned();
    let look = move || Looked::at(&folder, &relative);
    Ok(tokio::task::spawn_blocking(look).await.map_err(Error::from_source)?)
}

/// Which of the program's own pages are served: halves of two sets do not fit, so that a set of the
/// shop's own takes the place of all of the program's.
#[derive(Clone, Copy)]
struct Own {
    office: bool,
    storefront: bool,
}

/// A page of the program.
#[cfg(feature = "pages")]
async fn own_page(
    app: &Arc<App>,
    head: &Head,
    relative: &Path,
    own: Own,
    cache_control: HeaderValue,
) -> Result<Response<Payload>, Failure> {
    let request = &head.parts.headers;
    if own.storefront && screens::are_storefront(relative) {
        let shell = embedded::shell().ok_or(Failure::NoSuchPath)?;
        let path = head.parts.uri.path();
        // Without a folder it was looked for already (`from_cache`).
        let kept =
            app.options.pages_dir.as_ref().and_then(|_| storefront::kept(app, path, request));
        let response = match kept {
            Some(kept) => kept,
            None => Screen { shell, path: relative, key: Some(path) }.answer(app, request).await?,
        };
        return Ok(STOREFRONT.protected(response));
    }
    if relative.as_os_str().is_empty() {
        let page = embedded::welcome(storefront::name(app.shop.config()), request)
            .ok_or(Failure::NoSuchPath)?;
        let mut response = page.answer(cache_control, request);
        response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
        return Ok(response);
    }
    let screen = || screens::are_office(relative).then(|| OFFICE.find(ADMIN.as_ref())).flatten();
    let of_office = || OFFICE.find(relative).or_else(screen);
    let found = (own.office || !is_of_admin(relative)).then(of_office).flatten();
    let of_storefront = || own.storefront.then(|| STOREFRONT.find(relative)).flatten();
    let found = found.or_else(of_storefront).ok_or(Failure::NoSuchPath)?;
    Ok(found.answer(cache_control, request))
}

#[cfg(not(feature = "pages"))]
#[expect(clippy::unused_async, reason = "pages of the program are read from the catalogue")]
async fn own_page(
    _: &Arc<App>,
    _: &Head,
    _: &Path,
    own: Own,
    _: HeaderValue,
) -> Result<Response<Payload>, Failure> {
    debug_assert!(!own.office && !own.storefront, "there are none in this program");
    Err(Failure::NoSuchPath)
}

/// The page of the program's storefront, where one is kept that was made from the present data.
pub(crate) fn from_cache<B>(app: &App, request: &Request<B>) -> Option<Response<Payload>> {
    #[cfg(feature = "pages")]
    {
        let (uri, headers) = (request.uri(), request.headers());
        let may_have = app.options.storefront.is_some()
            // Its files come first, and may change at any time.
            && app.options.pages_dir.is_none()
            && matches!(*request.method(), Method::GET | Method::HEAD)
            && !is_of_admin_host(host(uri, headers));
        let kept = may_have.then(|| storefront::kept(app, uri.path(), headers)).flatten();
        kept.map(|response| STOREFRONT.protected(response))
    }
    #[cfg(not(feature = "pages"))]
    {
        let _ = (app, request);
        None
    }
}

/// What `pages_dir` has for a path.
#[derive(Default)]
struct Looked {
    found: Option<(folder::Page, HeaderValue)>,
    /// The page of its storefront, where the path is one of its screens or lists its pages.
    shell: Option<Shell>,
    /// Whether it has a back office of its own.
    has_back_office: bool,
    /// Whether it has a first page of its own, and with it a storefront.
    has_home: bool,
}

impl Looked {
    fn at(folder: &Path, relative: &Path) -> Self {
        let found = folder::read(folder, relative);
        let is_home = [Path::new(""), Path::new("index.html")].contains(&relative);
        let asks = || screens::are_storefront(relative) || Document::at(relative).is_some();
        let may_be_filled = is_home || found.is_none() && asks();
        let shell = if may_be_filled { folder::shell(folder) } else { None };
        let office = || {
            screens::are_office(relative).then(|| folder::read(folder, ADMIN.as_ref())).flatten()
        };
        Self {
            has_back_office: folder.join(ADMIN).exists(),
            has_home: folder::has_home(folder),
            // A first page that is filled in is not served as it is written.
            found: found.filter(|_| shell.is_none()).or_else(office),
            shell,
        }
    }
}

/// Judged by what will be looked for, so that no other spelling of the path leads round the gate:
/// `/admin` may be the file `admin.html`.
fn is_of_admin(relative: &Path) -> bool {
    begins_with(relative, ADMIN) || begins_with(relative, "admin.html")
}

fn begins_with(relative: &Path, name: &str) -> bool {
    relative.iter().next().is_some_and(|first| first.eq_ignore_ascii_case(name))
}

/// The host that was asked for: as the request's line says it, where it does, else its header.
fn host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let header = || headers.get(HOST).and_then(|host| host.to_str().ok());
    uri.host().or_else(header).unwrap_or_default()
}

fn is_of_admin_host(host: &str) -> bool {
    host.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("admin."))
}

/// On a host that begins with `admin.`, `/orders` means `/admin/orders`. The back office's pages
/// also link to themselves by their full path; and [`OPEN`] pages, with what lies below them, must
/// be served to a browser without a session.
fn rewritten(relative: PathBuf) -> PathBuf {
    if is_of_admin(&relative) || OPEN.iter().any(|it| begins_with(&relative, it)) {
        relative
    } else {
        Path::new(ADMIN).join(relative)
    }
}

/// The address of the shop's first page for a request on the back office's host, on which `/` is a
/// page of the back office.
fn home_elsewhere(base_url: &str) -> String {
    let host = base_url.split_once("://").map_or(base_url, |(_, host)| host);
    if is_of_admin_host(host) { LOGIN.to_owned() } else { format!("{base_url}{HOME}") }
}

/// The page to log in, which leads on to the screen that was asked for. Its address is said in
/// full, as it is on each host; the first screen needs no saying.
fn log_in_for(asked: &Uri, relative: &Path) -> String {
    if relative.iter().count() < 2 {
        return LOGIN.to_owned();
    }
    let asked_in_full = safe_path(asked.path()).is_some_and(|path| is_of_admin(&path));
    let folder = if asked_in_full { "" } else { "/admin" };
    let wanted = asked.path_and_query().map_or("", PathAndQuery::as_str).trim_start_matches('/');
    // With one slash: what follows two of them is a host.
    let wanted = format!("{folder}/{wanted}");
    format!("{LOGIN}?next={}", utf8_percent_encode(&wanted, IN_QUERY))
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
    fn the_host_of_the_back_office_has_its_pages_at_the_root() {
        let path = |path: &str| rewritten(path.into()).display().to_string();
        assert_eq!(path("orders"), "admin/orders");
        assert_eq!(path(""), "admin/");
        assert_eq!(path("admin/orders"), "admin/orders");
        assert_eq!(path("login"), "login");
        assert_eq!(path("login/style.css"), "login/style.css");
        assert_eq!(path("reset-password"), "reset-password");
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
    fn who_logs_in_comes_to_the_screen_that_was_asked_for() {
        let log_in = |asked: &str, relative: &str| {
            log_in_for(&asked.parse().expect("an address"), relative.as_ref())
        };
        assert_eq!(log_in("/admin", "admin"), "/login");
        assert_eq!(log_in("/", "admin/"), "/login");
        assert_eq!(
            log_in("/admin/a?b=c&d=%20", "admin/a"),
            "/login?next=/admin/a%3Fb%3Dc%26d%3D%2520"
        );
        assert_eq!(log_in("/orders", "admin/orders"), "/login?next=/admin/orders");
        assert_eq!(log_in("//admin/a", "admin/a"), "/login?next=/admin/a");
    }

    #[test]
    fn who_has_no_business_on_the_back_offices_host_is_sent_to_the_shop() {
        assert_eq!(home_elsewhere("https://loja.example"), "https://loja.example/");
        assert_eq!(home_elsewhere("https://admin.loja.example"), "/login");
    }
}
