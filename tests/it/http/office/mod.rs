//! The back office's pages (docs/decisions.md, "Pages").

mod axe;
mod boxes;
mod connecting;
mod day;
mod orders;
mod reset_password;
mod returns;
mod saving;
mod screens;
mod served;
mod sessions;
mod shipments;
mod shipping;
mod size;
mod tasks;
mod trouble;
mod two_factor;
mod typed;
mod webhooks;

use std::net::SocketAddr;

pub(super) use self::axe::check as check_by_axe;
use super::{PASSWORD, TestServer};
use crate::fakes::browser::{Browser, LEFT_OUT};

/// Does this in a browser whose admin has logged in. Answers as [`in_empty_browser`] does.
async fn in_browser(
    server: &TestServer,
    visit: impl FnOnce(&mut Browser, &str) + Send + 'static,
) -> bool {
    in_browser_by(server, server.address, visit).await
}

/// The same, where the browser reaches the server by another address.
async fn in_browser_by(
    server: &TestServer,
    address: SocketAddr,
    visit: impl FnOnce(&mut Browser, &str) + Send + 'static,
) -> bool {
    server.admin().await;
    in_empty_browser_by(address, |browser, origin| {
        log_in(browser, origin);
        visit(browser, origin);
    })
    .await
}

/// Does this in a browser without a session. Afterwards its console must have no error, and nothing
/// may have left this machine. Answers whether there is a browser here: without one nothing was
/// done, and a test has nothing to look at afterwards.
pub(super) async fn in_empty_browser(
    server: &TestServer,
    visit: impl FnOnce(&mut Browser, &str) + Send + 'static,
) -> bool {
    in_empty_browser_by(server.address, visit).await
}

async fn in_empty_browser_by(
    address: SocketAddr,
    visit: impl FnOnce(&mut Browser, &str) + Send + 'static,
) -> bool {
    let origin = format!("http://{address}");
    let visited = tokio::task::spawn_blocking(move || {
        let Some(mut browser) = Browser::open() else { return false };
        browser.resize(1280);
        visit(&mut browser, &origin);
        assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
        let own = |url: &&String| {
            [origin.as_str(), "data:", "blob:", "about:"].iter().any(|it| url.starts_with(it))
        };
        let foreign: Vec<_> = browser.requests.iter().filter(|url| !own(url)).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
        true
    });
    let visited = visited.await.expect("no panic");
    if !visited {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{LEFT_OUT}");
        eprintln!("{LEFT_OUT}");
    }
    visited
}

fn log_in(browser: &mut Browser, origin: &str) {
    browser.visit(&format!("{origin}/login"));
    type_log_in(browser);
    browser.find("heading", "Início");
}

/// Says who it is, where a page asks for it.
fn type_log_in(browser: &mut Browser) {
    browser.fill("textbox", "E-mail", "equipe@example.com");
    browser.fill("textbox", "Senha", PASSWORD);
    browser.click("button", "Entrar");
}

/// Goes to a screen, and waits until it shows what it has.
#[track_caller]
fn open(browser: &mut Browser, origin: &str, path: &str) {
    browser.visit(&format!("{origin}{path}"));
    browser.wait_for(
        "document.readyState === 'complete' && document.querySelector('main h1') \
         && !document.querySelector('.skeleton')",
    );
}
