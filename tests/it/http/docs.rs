//! `/docs` in a browser.

use serde_json::json;

use super::TestServer;
use crate::core::fixture::input;
use crate::fakes::browser::{Browser, LEFT_OUT};

#[tokio::test]
async fn the_page_for_people_is_this_servers_alone() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for (path, kind) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/style.css", "text/css; charset=utf-8"),
        ("/docs/script.js", "text/javascript; charset=utf-8"),
        ("/docs/icon.svg", "image/svg+xml"),
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind));
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"));
        let text = String::from_utf8(answer.body.to_vec()).expect("text");
        let outside = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("http://") && !outside.contains("https://"), "{path}");
        let etag = answer.header("etag").expect("a tag").to_owned();
        let again = [("if-none-match", etag.as_str())];
        assert_eq!(client.send(hyper::Method::GET, path, &again, "").await.status, 304);
    }
    assert_eq!(client.get("/docs/nothing").await.refused(404).1, "media_not_found");
}

/// In a browser that is steered, with a request that is tried out.
#[tokio::test]
async fn it_renders_searches_and_tries_a_request_and_calls_no_other_server() {
    let server = TestServer::start().await;
    server.test.product("vela-de-lavanda", 3, 4990).await;
    let origin = format!("http://{}", server.address);
    let seen = tokio::task::spawn_blocking(move || {
        let Some(mut browser) = Browser::open() else { return false };
        browse(&mut browser, &origin);
        assert!(browser.requests.len() > 5, "{:?}", browser.requests);
        for url in &browser.requests {
            assert!(url.starts_with(&origin), "it asked for {url}");
        }
        true
    });
    if !seen.await.expect("no panic") {
        eprintln!("{LEFT_OUT}");
    }
}

fn browse(browser: &mut Browser, origin: &str) {
    browser.visit(&format!("{origin}/docs"));
    browser.wait_for("document.querySelectorAll('#list a').length > 140");
    assert_eq!(browser.ask("document.querySelector('h1').textContent"), "Shop service");

    // A slash leads to the search, which finds by name, path and words; arrows lead to what it
    // found.
    press(browser, "/", "Slash");
    assert_eq!(browser.ask("document.activeElement.id"), "search");
    browser.call("Input.insertText", json!({ "text": "products search" }));
    browser.wait_for("document.querySelectorAll('#list a').length < 10");
    let found = "[...document.querySelectorAll('#list a')].map((a) => a.getAttribute('href'))";
    let found: Vec<String> = input(browser.ask(found));
    assert!(found.contains(&"#searchProducts".to_owned()), "{found:?}");
    for _ in 0..=found.iter().position(|one| one == "#searchProducts").expect("found") {
        press(browser, "ArrowDown", "ArrowDown");
    }
    press(browser, "Enter", "Enter");
    browser
        .wait_for("document.querySelector('.call .path').textContent === '/api/products/search'");

    // The operation says what it takes and what it answers with.
    let page = browser.ask("document.querySelector('main').innerText");
    let page = page.as_str().expect("text");
    for part in ["highlight", "invalid_input", "limit", "200", "503", "anybody"] {
        assert!(page.contains(part), "{part}: {page}");
    }

    // And a request can be tried.
    browser.ask("document.querySelector('input[name=q]').value = 'lavnda'");
    browser.ask("document.querySelector('form.try button.main').click()");
    browser.wait_for("document.querySelector('#status')?.textContent.startsWith('200')");
    let answer = browser.ask("document.querySelector('#answer').textContent");
    assert!(answer.as_str().expect("text").contains("vela-de-lavanda"), "{answer}");

    // With a session too: the token is sent, and what is wrong is shown.
    browser.ask("document.querySelector('#token').value = 'nobody'; location.hash = '#getProfile'");
    browser.wait_for("document.querySelector('.call .path').textContent === '/api/auth/me'");
    browser.ask("document.querySelector('form.try button.main').click()");
    browser.wait_for("document.querySelector('#status')?.textContent.startsWith('401')");
    let answer = browser.ask("document.querySelector('#answer').textContent");
    assert!(answer.as_str().expect("text").contains("unauthenticated"), "{answer}");
}

fn press(browser: &mut Browser, key: &str, code: &str) {
    let text = match key {
        "Enter" => "\r",
        one if one.len() == 1 => one,
        _ => "",
    };
    let number = if key == "Enter" { 13 } else { 0 };
    for kind in ["keyDown", "keyUp"] {
        let event = json!({
            "type": kind, "key": key, "code": code, "text": text, "windowsVirtualKeyCode": number
        });
        browser.call("Input.dispatchKeyEvent", event);
    }
}
