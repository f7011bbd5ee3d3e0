//! Two-factor log-ins of staff, on the pages.

use std::time::Duration;

use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::clock::ManualClock;
use shop_server::ServeOptions;
use tokio::runtime::Handle;

use super::super::{PASSWORD, TestServer};
use super::{axe, in_browser, in_empty_browser, open, type_log_in};
use crate::core::payment::read_qr;
use crate::fakes::authenticator::Authenticator;
use crate::fakes::browser::Browser;

/// What the shop's time says, and how it goes on.
#[derive(Clone)]
struct Time {
    shop: Shop,
    clock: ManualClock,
}

impl Time {
    fn of(server: &TestServer) -> Self {
        Self { shop: server.test.shop.clone(), clock: server.test.clock.clone() }
    }

    /// What the authenticator shows next: each code counts once.
    fn next_code(&self, authenticator: &Authenticator) -> String {
        self.clock.advance(Duration::from_secs(30));
        authenticator.code(self.shop.now())
    }
}

/// From the question for the password to the recovery codes, which stay on the screen.
fn enrol(browser: &mut Browser, time: &Time) -> (Authenticator, Vec<String>) {
    browser.fill("textbox", "Senha", PASSWORD);
    browser.click("button", "Continuar");
    browser.find("textbox", "Código do aplicativo");
    let text = |browser: &mut Browser, expression: &str| {
        browser.ask(expression).as_str().expect("a text").to_owned()
    };
    let picture = text(browser, "document.querySelector('.qr').src");
    let url = read_qr(picture.trim_start_matches("data:image/png;base64,"));
    let authenticator = Authenticator::scanned(&url);
    let typed = text(browser, "document.querySelector('.secret code').innerText");
    let typed = Authenticator::typed(&typed.replace(' ', ""));
    assert_eq!(typed.code(time.shop.now()), authenticator.code(time.shop.now()));
    assert_eq!(browser.ask("document.querySelector('dialog a').href"), url);
    browser.fill("textbox", "Código do aplicativo", &time.next_code(&authenticator));
    browser.click("button", "Ativar");
    browser.find("heading", "Códigos de recuperação");
    let codes = "[...document.querySelectorAll('.codes code')].map((it) => it.innerText)";
    let codes: Vec<String> = serde_json::from_value(browser.ask(codes)).expect("codes");
    assert_eq!(codes.len(), 10);
    (authenticator, codes)
}

fn log_out(browser: &mut Browser) {
    browser.click("button", "Sair");
    browser.find("button", "Esqueci a senha");
}

/// Up to the question for a code.
fn log_in_up_to_code(browser: &mut Browser) {
    type_log_in(browser);
    browser.find("textbox", "Código do aplicativo autenticador");
}

#[tokio::test]
async fn staff_enrols_and_logs_in_by_codes_of_the_authenticator() {
    let server = TestServer::start().await;
    let time = Time::of(&server);
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/account");
        browser.reads("Inativa");
        browser.click("button", "Ativar");
        browser.fill("textbox", "Senha", "errada");
        browser.click("button", "Continuar");
        browser.reads("Senha atual incorreta");
        browser.wait_for("document.activeElement.type === 'password'");
        let (authenticator, codes) = enrol(browser, &time);
        // They are shown once, so the dialog does not close by mistake.
        browser.press("Escape", "Escape");
        browser.find("heading", "Guardou os códigos?");
        browser.click("button", "Voltar");
        let file = "(({ download, href }) => [download, decodeURIComponent(href)])\
                    (document.querySelector('a[download]'))";
        let file = browser.ask(file);
        assert_eq!(file[0], "codigos-de-recuperacao.txt");
        let text = file[1].as_str().expect("a text");
        assert!(codes.iter().all(|code| text.contains(code.as_str())), "{text}");
        browser.click("button", "Guardei os códigos");
        browser.reads("10 códigos de recuperação restantes.");

        log_out(browser);
        log_in_up_to_code(browser);
        let wrong = authenticator.wrong_code(time.shop.now());
        browser.fill("textbox", "Código do aplicativo autenticador", &wrong);
        browser.click("button", "Entrar");
        browser.reads("Código de verificação inválido");
        browser.wait_for("document.activeElement.id === 'code'");
        let code = time.next_code(&authenticator);
        browser.fill("textbox", "Código do aplicativo autenticador", &code);
        browser.click("button", "Entrar");
        browser.find("heading", "Início");
    })
    .await;
}

#[tokio::test]
async fn a_recovery_code_logs_in_once_and_new_ones_replace_all() {
    let server = TestServer::start().await;
    let time = Time::of(&server);
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/account");
        browser.click("button", "Ativar");
        let (authenticator, codes) = enrol(browser, &time);
        browser.click("button", "Guardei os códigos");
        for right in [true, false] {
            log_out(browser);
            log_in_up_to_code(browser);
            browser.click("button", "Usar um código de recuperação");
            browser.fill("textbox", "Código de recuperação", &codes[0].to_uppercase());
            browser.click("button", "Entrar");
            if right {
                browser.find("heading", "Início");
            } else {
                browser.reads("Código de verificação inválido");
            }
        }
        browser.fill("textbox", "Código de recuperação", &codes[1]);
        browser.click("button", "Entrar");
        browser.find("heading", "Início");
        open(browser, origin, "/admin/account");
        browser.reads("8 códigos de recuperação restantes.");

        browser.click("button", "Novos códigos de recuperação");
        browser.fill("textbox", "Senha", PASSWORD);
        browser.fill("textbox", "Código de verificação", &time.next_code(&authenticator));
        browser.click("button", "Criar novos códigos");
        browser.find("heading", "Códigos de recuperação");
        let new = browser.ask("document.querySelector('.codes').innerText");
        assert!(codes.iter().all(|old| !new.as_str().expect("a text").contains(old.as_str())));
        browser.click("button", "Guardei os códigos");
        browser.reads("10 códigos de recuperação restantes.");

        browser.click("button", "Desativar");
        browser.fill("textbox", "Senha", PASSWORD);
        browser.fill("textbox", "Código de verificação", &codes[2]);
        browser.click("button", "Desativar");
        browser.reads("Código de verificação inválido");
        browser.fill("textbox", "Código de verificação", &time.next_code(&authenticator));
        browser.click("button", "Desativar");
        browser.reads("Verificação em duas etapas desativada.");
        browser.reads("Inativa");
    })
    .await;
}

/// The setting, and an operator who takes the second factor away while somebody works.
#[tokio::test]
async fn where_the_shop_demands_it_staff_enrols_first_and_goes_on_where_it_wanted_to() {
    let demand = |config: &mut shop_core::Config| config.staff.require_two_factor = true;
    let server = TestServer::start_with(demand, ServeOptions::default()).await;
    server.admin().await;
    server.test.product("vela-de-lavanda", 9, 4990).await;
    let (time, runtime) = (Time::of(&server), Handle::current());
    in_empty_browser(&server, move |browser, origin| {
        let demanded = "A loja exige a verificação em duas etapas";
        browser.visit(&format!("{origin}/login"));
        type_log_in(browser);
        browser.find("heading", demanded);
        browser.visit(&format!("{origin}/admin/products?active=true"));
        browser.find("heading", demanded);
        browser.press("Escape", "Escape");
        browser.press("Escape", "Escape");
        browser.find("heading", demanded);
        enrol(browser, &time);
        browser.click("button", "Guardei os códigos");
        browser.find("link", "vela-de-lavanda");
        assert_eq!(browser.ask("location.search"), "?active=true");

        runtime.block_on(async {
            let (shop, email) = (&time.shop, "equipe@example.com".parse().expect("an e-mail"));
            let id = shop.accounts().get_by_email(&email).await.expect("an admin").id;
            shop.two_factor().reset(&Actor::System, &id).await.expect("reset");
        });
        browser.click("link", "Cupons");
        browser.find("heading", "Sua sessão terminou");
        type_log_in(browser);
        browser.find("heading", demanded);
        enrol(browser, &time);
        browser.click("button", "Guardei os códigos");
        browser.find("heading", "Cupons");
        browser.reads("Nenhum cupom");
    })
    .await;
}

#[tokio::test]
async fn who_must_enrol_may_log_out_instead() {
    let demand = |config: &mut shop_core::Config| config.staff.require_two_factor = true;
    let server = TestServer::start_with(demand, ServeOptions::default()).await;
    server.admin().await;
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login"));
        type_log_in(browser);
        browser.find("heading", "A loja exige a verificação em duas etapas");
        browser.fill("textbox", "Senha", "meia-senha");
        browser.click("button", "Sair");
        browser.find("button", "Esqueci a senha");
        browser.visit(&format!("{origin}/admin"));
        browser.find("button", "Esqueci a senha");
    })
    .await;
}

#[tokio::test]
async fn axe_finds_nothing_in_the_steps_of_two_factor() {
    let server = TestServer::start().await;
    let time = Time::of(&server);
    in_browser(&server, move |browser, origin| {
        let mut found = String::new();
        open(browser, origin, "/admin/account");
        browser.click("button", "Ativar");
        browser.click("button", "Continuar");
        browser.wait_for("document.querySelector('dialog .wrong, dialog .notice')");
        axe::check(browser, "the password before it", &mut found);
        browser.resize(1280);
        browser.fill("textbox", "Senha", PASSWORD);
        browser.click("button", "Continuar");
        browser.find("textbox", "Código do aplicativo");
        axe::check(browser, "the picture", &mut found);
        browser.resize(1280);
        browser.press("Escape", "Escape");
        browser.click("button", "Ativar");
        enrol(browser, &time);
        axe::check(browser, "the recovery codes", &mut found);
        browser.resize(1280);
        browser.click("button", "Guardei os códigos");
        browser.find("button", "Desativar");
        axe::check(browser, "the account", &mut found);
        browser.resize(1280);
        browser.click("button", "Desativar");
        browser.find("textbox", "Código de verificação");
        axe::check(browser, "the end of it", &mut found);
        browser.visit(&format!("{origin}/login"));
        log_in_up_to_code(browser);
        axe::check(browser, "the code of a log-in", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}
