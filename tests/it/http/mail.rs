//! What ends in a mail, over HTTP: forgotten passwords, the newsletter, the contact form.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shop_core::config::Secret;
use shop_server::ServeOptions;

use super::{PASSWORD, TestServer};
use crate::binary;
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

/// A server whose mails go to a mail server.
async fn start() -> (TestServer, SmtpServer) {
    let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(smtp.url());
    let adapt = |config: &mut shop_core::Config| config.mail.smtp_url = Some(url);
    (TestServer::start_with(adapt, ServeOptions::default()).await, smtp)
}

/// What follows `start` in a mail's text, up to the next space.
fn link(mail: &Received, start: &str) -> String {
    let text = mail.text();
    let (_, rest) = text.split_once(start).expect("a link");
    rest.split_whitespace().next().expect("its end").to_owned()
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_by_a_link() {
    let (server, smtp) = start().await;
    let customer = server.customer("ana").await;
    let client = server.anonymous();
    let forgot = "/api/auth/forgot-password";
    let known = client.post(forgot, &json!({ "email": "Ana@example.com" })).await;
    let unknown = client.post(forgot, &json!({ "email": "bia@example.com" })).await;
    assert_eq!(known.expect(200), unknown.expect(200));
    assert!(known.expect(200)["message"].is_string());
    let mails = smtp.wait_for(2).await;
    assert_eq!(mails[1].header("Subject").as_deref(), Some("Redefinição de senha"));
    let token = link(&mails[1], "/reset-password?token=");
    assert_eq!(token.len(), 43, "32 bytes in base64url");

    let path = "/api/auth/reset-password";
    let reset = |token: &str, password: &str| json!({ "token": token, "password": password });
    let short = client.post(path, &reset(&token, "short")).await.wrong_fields();
    assert_eq!(short, json!({ "password": ["Deve ter no mínimo 8 caracteres"] }));
    let (text, code) = client.post(path, &reset("unknown", "another-one")).await.refused(400);
    assert_eq!(code, "invalid_reset_token");
    assert_eq!(text, "Link de redefinição inválido ou expirado. Solicite um novo");
    let done = client.post(path, &reset(&token, "another-one")).await.expect(200);
    assert!(done["message"].is_string());
    let again = client.post(path, &reset(&token, "another-one")).await;
    assert_eq!(again.refused(400).1, "invalid_reset_token");
    customer.get("/api/auth/me").await.refused(401);
    let log_in = json!({ "email": "ana@example.com", "password": "another-one" });
    client.post("/api/auth/login", &log_in).await.expect(200);
    let missing = client.post(path, &json!({})).await.wrong_fields();
    let required = ["Campo obrigatório"];
    assert_eq!(missing, json!({ "token": required, "password": required }));
}

#[tokio::test]
async fn links_are_asked_for_five_times_an_hour() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let path = "/api/auth/forgot-password";
    let wrong = client.post(path, &json!({ "email": "no mail" })).await.wrong_fields();
    assert_eq!(wrong, json!({ "email": ["E-mail inválido"] }));
    for _ in 0..5 {
        client.post(path, &json!({ "email": "ana@example.com" })).await.expect(200);
    }
    let refused = client.post(path, &json!({ "email": "ana@example.com" })).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
}

#[tokio::test]
async fn the_newsletter_is_joined_and_left() {
    let (server, smtp) = start().await;
    let client = server.anonymous();
    let (subscribe, unsubscribe) = ("/api/newsletter/subscribe", "/api/newsletter/unsubscribe");
    let ana = json!({ "email": "Ana@example.com", "name": "Ana" });
    let joined = client.post(subscribe, &ana).await.expect(200);
    assert!(joined["message"].is_string());
    let again = client.post(subscribe, &json!({ "email": "ANA@example.com" })).await;
    assert_eq!(again.refused(409).1, "already_subscribed");
    let wrong = client.post(subscribe, &json!({ "email": "ana" })).await.wrong_fields();
    assert_eq!(wrong, json!({ "email": ["E-mail inválido"] }));

    for email in ["ana@EXAMPLE.com", "nobody@example.com"] {
        let left = client.post(unsubscribe, &json!({ "email": email })).await.expect(200);
        assert!(left["message"].is_string());
    }
    let wrong = client.post(unsubscribe, &json!({})).await.wrong_fields();
    assert_eq!(wrong, json!({ "email": ["Campo obrigatório"] }));
    client.post(subscribe, &ana).await.expect(200);
    // A welcome a day, however often strangers subscribe and unsubscribe an address.
    let welcomes = "SELECT count(*) FROM mail WHERE kind = 'newsletter-welcome'";
    assert_eq!(server.test.count(welcomes), 1);
    server.test.advance_hours(25);
    client.post(unsubscribe, &ana).await.expect(200);
    client.post(subscribe, &ana).await.expect(200);
    assert_eq!(server.test.count(welcomes), 2);

    let mails = smtp.wait_for(2).await;
    let mail = mails.last().expect("a mail");
    let path = link(mail, &format!("http://{}", "127.0.0.1:8080"));
    let url = format!(
        "<http://127.0.0.1:8080{}>",
        link(mail, "Cancelar inscrição:\nhttp://127.0.0.1:8080")
    );
    assert_eq!(mail.header("List-Unsubscribe"), Some(url.clone()));
    assert!(path.starts_with('/'));
    let link = url.trim_matches(['<', '>']).trim_start_matches("http://127.0.0.1:8080").to_owned();
    let subscribed = "SELECT count(*) FROM newsletter_reader WHERE unsubscribed_at IS NULL";
    assert_eq!(server.test.count(subscribed), 1);
    for forged in [format!("{link}A"), format!("{unsubscribe}?token=x"), link.replace('.', "A.")] {
        let refused = client.get(&forged).await.refused(400);
        assert_eq!(refused.1, "invalid_unsubscribe_token", "{forged}");
    }
    client.get(unsubscribe).await.refused(400);
    assert_eq!(server.test.count(subscribed), 1);
    // Programs that look for dangerous mails follow links, which must unsubscribe no reader.
    let old = link.replace("/unsubscribe/link?", "/unsubscribe?");
    for path in [&link, &old] {
        let page = client.get(path).await;
        assert_eq!(page.status, 200);
        let html = String::from_utf8(page.body.to_vec()).expect("text");
        assert!(html.contains("Cancelar inscrição") && !html.contains("<script"), "{html}");
        let form = format!("<form method=\"post\" action=\"{link}\">");
        assert!(html.contains(&form), "{html}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        let policy = page.header("content-security-policy").expect("a policy");
        let (_, style) = html.split_once("<style>").expect("a style");
        let (style, _) = style.split_once("</style>").expect("its end");
        let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(policy.contains(&format!("style-src 'sha256-{hash}'")), "{policy}");
    }
    assert_eq!(server.test.count(subscribed), 1);
}

#[tokio::test]
async fn the_newsletter_is_left_by_one_click() {
    let (server, smtp) = start().await;
    let client = server.anonymous();
    let ana = json!({ "email": "ana@example.com" });
    let subscribed = "SELECT count(*) FROM newsletter_reader WHERE unsubscribed_at IS NULL";
    let boundary = "multipart/form-data; boundary=x";
    let part = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
                One-Click\r\n--x--\r\n";
    let urlencoded = "application/x-www-form-urlencoded";
    let forms = [(urlencoded, "List-Unsubscribe=One-Click"), (boundary, part)];
    for (n, (content_type, form)) in forms.into_iter().enumerate() {
        server.test.advance_hours(25);
        client.post("/api/newsletter/subscribe", &ana).await.expect(200);
        let mail = smtp.wait_for(n + 1).await.pop().expect("a mail");
        let one_click = mail.header("List-Unsubscribe-Post");
        assert_eq!(one_click.as_deref(), Some("List-Unsubscribe=One-Click"));
        let url = mail.header("List-Unsubscribe").expect("a link");
        let link = url.trim_matches(['<', '>']).trim_start_matches("http://127.0.0.1:8080");
        let headers = [("content-type", content_type)];
        let empty = client.send(Method::POST, link, &headers, "").await;
        assert_eq!(empty.refused(400).1, "malformed_form");
        let forged = format!("{link}A");
        let refused = client.send(Method::POST, &forged, &headers, form).await.refused(400);
        assert_eq!(refused.1, "invalid_unsubscribe_token");
        assert_eq!(server.test.count(subscribed), 1);
        for _ in 0..2 {
            // A mail program has no cookie and names no origin, or its own.
            let headers = [("content-type", content_type), ("origin", "https://mail.example")];
            let left = client.send(Method::POST, link, &headers, form).await;
            assert_eq!(left.status, 200);
            assert!(String::from_utf8_lossy(&left.body).contains("Inscrição cancelada"));
            assert_eq!(server.test.count(subscribed), 0);
        }
    }
}

#[tokio::test]
async fn a_newsletter_is_not_joined_for_the_whole_world() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for n in 0..20 {
        let reader = json!({ "email": format!("reader{n}@example.com") });
        client.post("/api/newsletter/subscribe", &reader).await.expect(200);
    }
    let reader = json!({ "email": "reader@example.com" });
    let refused = client.post("/api/newsletter/subscribe", &reader).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
}

#[tokio::test]
async fn a_message_reaches_the_shop_and_its_answer_the_writer() {
    let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(smtp.url());
    let adapt = |config: &mut shop_core::Config| {
        config.mail.smtp_url = Some(url);
        config.mail.contact_to = "Atendimento <ajuda@velas.example>".parse().ok();
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let client = server.anonymous();
    let message = json!({
        "name": "Bia", "email": "bia@example.com", "subject": "Entrega à noite?",
        "message": "Vocês entregam\n<b>à noite</b>?"
    });
    let sent = client.post("/api/contact", &message).await.expect(200);
    assert!(sent["message"].is_string());
    let mails = smtp.wait_for(1).await;
    assert_eq!(mails[0].recipient(), "ajuda@velas.example");
    assert_eq!(mails[0].header("Reply-To").as_deref(), Some("Bia <bia@example.com>"));
    assert_eq!(mails[0].header("Subject").as_deref(), Some("[Contato] Entrega à noite?"));
    assert!(mails[0].text().contains("> Vocês entregam\n> <b>à noite</b>?"));
    assert!(mails[0].html().contains("Vocês entregam<br>&lt;b&gt;à noite&lt;/b&gt;?"));
    let kept = "SELECT count(*) FROM mail WHERE kind = 'contact' AND letter LIKE '%noite%'";
    assert_eq!(server.test.count(kept), 1);

    let missing = client.post("/api/contact", &json!({ "message": " " })).await.wrong_fields();
    let required = json!(["Campo obrigatório"]);
    for field in ["name", "email", "subject", "message"] {
        assert_eq!(missing[field], required, "{field}");
    }
    for _ in 1..5 {
        client.post("/api/contact", &message).await.expect(200);
    }
    let refused = client.post("/api/contact", &message).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
}

fn post(address: &str, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(address).expect("connects");
    let body = body.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("sends");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The log of a server at its most talkative, whose mail server refuses every mail and repeats it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_and_no_password_ever_reaches_a_log() {
    let smtp = SmtpServer::start(SmtpBehaviour::RefusesAndRepeats).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Command::new(binary::path("shop-server"))
        .args(["--listen", "127.0.0.1:0", "--database", "shop.db"])
        .env_clear()
        .env("SHOP_LOG", "trace")
        .env("SHOP_MAIL__SMTP_URL", smtp.url())
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let log = BufReader::new(process.stderr.take().expect("its log"));
    let (listening, address) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        for line in log.lines().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once("listening on http://") {
                listening.send(address.to_owned()).expect("somebody waits");
            }
            text.push_str(&line);
            text.push('\n');
        }
        text
    });
    let address = address.recv().expect("it listens");
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": PASSWORD });
    assert!(post(&address, "/api/auth/register", &ana).starts_with("HTTP/1.1 201"));
    let forgot = json!({ "email": "ana@example.com" });
    assert!(post(&address, "/api/auth/forgot-password", &forgot).starts_with("HTTP/1.1 200"));
    let token = link(&smtp.wait_for(2).await[1], "/reset-password?token=");
    let reset = json!({ "token": token, "password": "another-password" });
    assert!(post(&address, "/api/auth/reset-password", &reset).starts_with("HTTP/1.1 200"));
    let bad = json!({ "token": token, "password": "x" });
    assert!(post(&address, "/api/auth/reset-password", &bad).starts_with("HTTP/1.1 400"));
    let told = Command::new("kill").args(["-s", "TERM", &process.id().to_string()]).status();
    assert!(told.expect("kill").success());
    assert!(process.wait().expect("ends").success());
    let log = reader.join().expect("a log");
    assert!(log.contains("a mail was given up") && log.contains("SMTP 554"), "{log}");
    for secret in [&*token, PASSWORD, "another-password"] {
        assert!(!log.contains(secret), "{log}");
    }
}
