//! Sessions of staff on the pages: seen, ended, and lost while somebody works.

use serde_json::json;
use shop_core::account::{Register, SetActive};
use shop_core::actor::Actor;
use tokio::runtime::Handle;

use super::super::{PASSWORD, TestServer};
use super::{in_browser, log_in, open, type_log_in};
use crate::core::fixture::input;
use crate::fakes::browser::Browser;

#[tokio::test]
async fn sessions_that_are_ended_elsewhere_ask_to_log_in_and_come_back_to_the_same_place() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/coupons");
        let mut other = Browser::open_another();
        other.resize(1280);
        log_in(&mut other, origin);
        open(&mut other, origin, "/admin/account");
        other.reads("Este aparelho");
        other.click("button", "Encerrar as outras");
        other.click("button", "Encerrar");
        other.reads("As outras sessões foram encerradas.");
        other.wait_for("document.querySelectorAll('tbody tr').length === 1");

        // A screen that was not opened before is not there without a session, either.
        browser.click("link", "Newsletter");
        browser.find("heading", "Sua sessão terminou");
        type_log_in(browser);
        browser.find("heading", "Newsletter");
        assert_eq!(browser.ask("location.pathname"), "/admin/newsletter");

        // And the other way round, with one of them.
        open(browser, origin, "/admin/account");
        browser.ask("document.querySelector('tbody .quiet').click()");
        browser.find("heading", "Encerrar esta sessão?");
        browser.click("button", "Encerrar");
        browser.reads("Sessão encerrada.");
        other.fill("textbox", "Senha atual", PASSWORD);
        other.fill("textbox", "Nova senha", "outra-senha-123");
        other.fill("textbox", "Nova senha, de novo", "outra-senha-123");
        other.click("button", "Alterar a senha");
        other.find("heading", "Sua sessão terminou");
        type_log_in(&mut other);
        other.reads("Senha alterada.");
        assert_eq!(other.complaints, Vec::<String>::new());
        // Another password leaves one session.
        browser.click("link", "Cupons");
        browser.find("heading", "Sua sessão terminou");
    })
    .await;
}

#[tokio::test]
async fn an_account_that_is_suspended_while_it_works_is_told_so_and_may_leave() {
    let server = TestServer::start().await;
    let register: Register = input(json!({
        "name": "Eva", "email": "eva@example.com", "password": PASSWORD
    }));
    server.test.shop.accounts().create_admin(register).await.expect("an admin");
    let (shop, runtime) = (server.test.shop.clone(), Handle::current());
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/coupons");
        runtime.block_on(async {
            let email = "equipe@example.com".parse().expect("an e-mail");
            let id = shop.accounts().get_by_email(&email).await.expect("an admin").id;
            let off = SetActive { active: false };
            shop.accounts().set_admin_active(&Actor::System, &id, off).await.expect("suspended");
        });
        browser.click("link", "Clientes");
        browser.find("heading", "Sua sessão terminou");
        type_log_in(browser);
        browser.reads("Conta suspensa");
        browser.click("button", "Sair");
        browser.find("button", "Esqueci a senha");
    })
    .await;
}

/// Browsers say who they are, and anybody may say anything.
#[tokio::test]
async fn names_of_devices_are_text() {
    let server = TestServer::start().await;
    let nasty = format!("<img src=x onerror=\"document.title='ran'\">\u{202e}{}", "x".repeat(250));
    let phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0";
    let shop = server.test.shop.clone();
    let runtime = Handle::current();
    in_browser(&server, move |browser, origin| {
        for name in [nasty.as_str(), phone] {
            let log_in = input(json!({ "email": "equipe@example.com", "password": PASSWORD }));
            let sessions = shop.sessions().with_user_agent(Some(name));
            runtime.block_on(sessions.log_in(log_in)).expect("a session");
        }
        for width in [1280, 390] {
            browser.resize(width);
            open(browser, origin, "/admin/account");
            browser.reads("Edge, Android");
            browser.reads("<img src=x onerror=\"document.title='ran'\">");
            let fits = "document.documentElement.scrollWidth <= innerWidth";
            assert_eq!(browser.ask(fits), true, "at {width}");
            assert_eq!(browser.ask("document.querySelectorAll('main img').length"), 0);
            assert_ne!(browser.ask("document.title"), "ran");
        }
        browser.click("button", "Encerrar Edge, Android");
        browser.reads("Edge, Android precisará entrar de novo.");
        browser.click("button", "Encerrar");
        browser.reads("Sessão encerrada.");
    })
    .await;
}

#[tokio::test]
async fn a_customer_who_logs_in_in_the_same_browser_is_told_and_nothing_is_lost() {
    let server = TestServer::start().await;
    server.test.buyer("ana").await;
    in_browser(&server, |browser, origin| {
        let enter = format!(
            "fetch('/api/auth/login', {{ method: 'POST', \
             headers: {{ 'content-type': 'application/json' }}, body: JSON.stringify({{ \
             email: 'ana@example.com', password: '{PASSWORD}' }}) }}).then((it) => it.status)"
        );
        let told = "Este navegador entrou com uma conta de cliente";
        open(browser, origin, "/admin/coupons");
        browser.ask("document.querySelector('main .button.primary').click()");
        browser.fill("textbox", "Código", "NATAL10");
        browser.fill("textbox", "Quanto (% ou R$)", "10%");
        assert_eq!(browser.ask(&enter), 200);
        browser.click("button", "Criar cupom");
        browser.find("heading", told);
        type_log_in(browser);
        browser.reads("Cupom criado.");
        // A screen that was not opened before is behind the gate.
        assert_eq!(browser.ask(&enter), 200);
        browser.click("link", "Newsletter");
        browser.find("heading", told);
        type_log_in(browser);
        browser.find("heading", "Newsletter");
    })
    .await;
}
