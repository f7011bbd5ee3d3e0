//! How much a browser has to fetch of the pages.

use std::path::{Path, PathBuf};

use hyper::Method;

use super::super::TestServer;
use super::{in_browser, log_in, open};

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shop-server/pages");

/// All files as they are sent, packed as one, in bytes.
const ALL_AS_ONE: usize = 64 * 1024;
/// The sum of the answers to a browser that opens every screen there is, in bytes. Each file is
/// packed by itself, so that a screen costs what it needs.
const ALL_ANSWERS: usize = 96 * 1024;
/// From the page to log in to the first page of the back office, in bytes.
const FIRST_VISIT: usize = 44 * 1024;

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "js" || it == "css" || it == "html") {
            files.push(path);
        }
    }
}

/// The files of the pages, like beside like.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(PAGES.as_ref(), &mut files);
    files.retain(|it| !it.ends_with("welcome.html"));
    let kind = |it: &PathBuf| it.extension().map(std::ffi::OsStr::to_owned);
    let group = |it: &PathBuf| ["vendor", "lib"].map(|name| it.iter().any(|part| part == name));
    files.sort_by_key(|it| (kind(it), group(it), it.clone()));
    assert!(files.len() > 50);
    files
}

#[test]
fn the_files_of_the_pages_are_short() {
    for file in files() {
        let lines = std::fs::read_to_string(&file).expect("a file").lines().count();
        assert!(lines < 400, "{} has {lines} lines", file.display());
    }
}

#[tokio::test]
async fn each_file_is_packed_for_those_who_take_it_and_all_of_them_are_small() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (mut sum, mut all) = (0, Vec::new());
    for file in files() {
        let name = file.strip_prefix(PAGES).expect("inside").display().to_string();
        let path = format!("/{}", name.trim_end_matches("/index.html"));
        let plain = admin.get(&path).await;
        assert_eq!(plain.body, std::fs::read(&file).expect("a file"), "{path}");
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        let takes = [("accept-encoding", "gzip, deflate, br, zstd")];
        let packed = admin.send(Method::GET, &path, &takes, "").await;
        assert_eq!((packed.status.as_u16(), packed.header("content-encoding")), (200, Some("br")));
        // Two forms of one thing, which no cache may take for each other.
        assert_ne!(packed.header("etag"), plain.header("etag"), "{path}");
        for answer in [&plain, &packed] {
            let varies = answer.headers.get_all("vary").iter();
            assert!(varies.into_iter().any(|it| it == "Accept-Encoding"), "{path}");
        }
        let tag = packed.header("etag").expect("a tag");
        let known = [takes[0], ("if-none-match", tag)];
        assert_eq!(admin.send(Method::GET, &path, &known, "").await.status, 304, "{path}");
        sum += packed.body.len();
        let mut content = Vec::new();
        brotli::BrotliDecompress(&mut &*packed.body, &mut content).expect("unpacked");
        // Comments and indentation are for those who read the file, and are not sent.
        let text = String::from_utf8(content).expect("text");
        let is_comment = |it: &&str| {
            it.starts_with("//")
                || it.starts_with("/*") && it.rfind("*/").is_none_or(|at| at + 2 == it.len())
        };
        let is_code = file.extension().is_some_and(|it| it != "html");
        let told = text.lines().find(|it| is_comment(it) || is_code && it.starts_with(' '));
        assert_eq!(told, None, "{path}");
        all.extend_from_slice(text.as_bytes());
    }
    assert!(sum <= ALL_ANSWERS, "{sum} bytes");
    let mut packed = Vec::new();
    let best = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut &*all, &mut packed, &best).expect("packed");
    assert!(packed.len() <= ALL_AS_ONE, "{} bytes", packed.len());
}

#[tokio::test]
async fn the_first_page_needs_little() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        let fetched = "[...performance.getEntriesByType('navigation'),
                        ...performance.getEntriesByType('resource')]
            .filter((it) => !new URL(it.name).pathname.startsWith('/api'))
            .reduce((sum, it) => sum + it.encodedBodySize, 0)";
        browser.call("Network.setCacheDisabled", serde_json::json!({ "cacheDisabled": true }));
        open(browser, origin, "/admin/account");
        browser.click("button", "Sair");
        browser.find("button", "Entrar");
        let login = browser.ask(fetched).as_u64().expect("a size");
        log_in(browser, origin);
        browser.wait_for("!document.querySelector('.skeleton')");
        let first = browser.ask(fetched).as_u64().expect("a size");
        let sum = usize::try_from(login + first).expect("a size");
        assert!(sum > 10_000 && sum <= FIRST_VISIT, "{login} and {first} bytes");
    })
    .await;
}
