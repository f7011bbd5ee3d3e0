//! Static files of `pages_dir`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue};

use super::is_of_admin;
use super::storefront::Shell;
use crate::etag::{self, Tagged};
use crate::file_body::{self, FileBody};
use crate::payload::Payload;

/// The first page of a folder.
const HOME: &str = "index.html";

pub(super) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// How large a page may be, in bytes, to be read at once.
const SMALL: u64 = 32 * 1024;

/// How large a page may be, in bytes, to be filled in.
const SHELL: u64 = 256 * 1024;

/// A page that was found.
pub(super) enum Page {
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

    pub(super) fn answer(
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
pub(super) fn read(folder: &Path, relative: &Path) -> Option<(Page, HeaderValue)> {
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

/// The folder's first page, where it is one to be filled in.
pub(super) fn shell(folder: &Path) -> Option<Shell> {
    let folder = folder.canonicalize().ok()?;
    let real = folder.join(HOME).canonicalize().ok()?;
    if !may_show(&folder, HOME.as_ref(), &real) {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(real).ok()?.take(SHELL + 1).read_to_string(&mut text).ok()?;
    if text.len() as u64 > SHELL {
        return None;
    }
    Shell::of(&text)
}

/// Whether the folder has a first page.
pub(super) fn has_home(folder: &Path) -> bool {
    folder.join(HOME).exists()
}

/// A symbolic link must lead neither out of the folder nor round the gate, nor to what is hidden.
fn may_show(folder: &Path, relative: &Path, real: &Path) -> bool {
    let Ok(inside) = real.strip_prefix(folder) else { return false };
    let hidden = inside.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
    !hidden && (is_of_admin(relative) || !is_of_admin(inside))
}

pub(super) fn content_type(file: &Path) -> HeaderValue {
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
}
