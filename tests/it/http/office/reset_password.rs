//! Forgotten passwords, from the log-in over the mail back to the log-in.

use hyper::Method;
use shop_core::config::Secret;
use shop_server::ServeOptions;
use tokio::runtime::Handle;

use super::super::TestServer;
use super::{axe, in_empty_browser};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

#[tokio::test]
async fn a_forgotten_password_is_replaced_on_a_phone() {
    let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(smtp.url());
    let adapt = |config: &mut shop_core::Config| config.mail.smtp_url = Some(url);
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    server.admin().await;
    let (base_url, runtime) = (server.test.shop.config().base_url(), Handle::current());
    in_empty_browser(&server, move |browser, origin| {
        browser.resize(390);
        browser.visit(&format!("{origin}/login"));
        browser.fill("textbox", "E-mail", "equipe@example.com");
        browser.click("button", "Esqueci a senha");
        browser.find("heading", "Esqueci a senha");
        assert_eq!(browser.value_of("E-mail"), "equipe@example.com");
        browser.fill("textbox", "E-mail", "equipe");
        browser.click("button", "Enviar o link");
        browser.reads("E-mail inválido");
        browser.fill("textbox", "E-mail", "equipe@example.com");
        browser.click("button", "Enviar o link");
        browser.reads("você receberá um link");
        let mail = runtime.block_on(smtp.wait_for(1)).remove(0).text();
        let link = mail.split_whitespace().find_map(|word| word.strip_prefix(&base_url));
        let link = format!("{origin}{}", link.expect("a link to this shop"));

        browser.visit(&link);
        browser.fill("textbox", "Nova senha", "curta");
        browser.fill("textbox", "Nova senha, de novo", "curto");
        browser.click("button", "Salvar a nova senha");
        browser.reads("As senhas não são iguais.");
        browser.fill("textbox", "Nova senha, de novo", "curta");
        browser.click("button", "Salvar a nova senha");
        browser.reads("Deve ter no mínimo 8 caracteres");
        browser.wait_for("document.activeElement.id === 'password'");
        browser.fill("textbox", "Nova senha", "outra-senha-123");
        browser.fill("textbox", "Nova senha, de novo", "outra-senha-123");
        browser.click("button", "Salvar a nova senha");
        browser.reads("Senha redefinida.");
        assert_eq!(browser.ask("location.search"), "", "the token is not kept in the history");
        browser.click("link", "Entrar");
        browser.fill("textbox", "E-mail", "equipe@example.com");
        browser.fill("textbox", "Senha", "outra-senha-123");
        browser.click("button", "Entrar");
        browser.find("heading", "Início");

        // The link counts once.
        browser.visit(&link);
        browser.fill("textbox", "Nova senha", "mais-uma-senha");
        browser.fill("textbox", "Nova senha, de novo", "mais-uma-senha");
        browser.click("button", "Salvar a nova senha");
        browser.reads("Link de redefinição inválido ou expirado.");
        browser.click("link", "Pedir outro link");
        browser.find("heading", "Esqueci a senha");
        browser.visit(&format!("{origin}/reset-password"));
        browser.reads("Este link está incompleto.");
        let token = link.split_once("token=").expect("a token").1;
        let told = browser.requests.iter().filter(|url| url.contains(token)).count();
        assert_eq!(told, 2, "the page alone is asked for by the token");
    })
    .await;
}

#[tokio::test]
async fn axe_finds_nothing_on_the_pages_without_a_session() {
    let server = TestServer::start().await;
    in_empty_browser(&server, |browser, origin| {
        let mut found = String::new();
        for (path, button) in [
            ("/login#senha", "Enviar o link"),
            ("/reset-password?token=abc", "Salvar a nova senha"),
        ] {
            browser.resize(1280);
            browser.visit(&format!("{origin}{path}"));
            browser.click("button", button);
            browser.wait_for("document.querySelector('[aria-invalid=true]')");
            axe::check(browser, path, &mut found);
        }
        browser.visit(&format!("{origin}/reset-password"));
        browser.find("link", "Pedir outro link");
        axe::check(browser, "/reset-password", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn the_page_of_the_link_is_open_on_every_host_and_may_be_the_shops_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages_dir = Some(folder.path().to_owned());
    let options = ServeOptions { pages_dir, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let anonymous = server.anonymous();
    let (path, back_office) = ("/reset-password?token=x", [("host", "admin.loja.example")]);
    let login = anonymous.get("/login").await;
    let policy = login.header("content-security-policy");
    for headers in [&[][..], &back_office] {
        let page = anonymous.send(Method::GET, path, headers, "").await;
        assert_eq!(page.status, 200, "{headers:?}");
        assert!(String::from_utf8_lossy(&page.body).contains("Criar nova senha"));
        assert_eq!(page.header("content-security-policy"), policy);
    }
    std::fs::write(folder.path().join("reset-password.html"), "own page").expect("written");
    assert_eq!(anonymous.get(path).await.body, "own page");
}
