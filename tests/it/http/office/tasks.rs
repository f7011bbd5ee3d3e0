//! What waits for staff, on the first page and in full.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::core::tracking::parcel;

/// What a mail server says at length.
const REFUSED: &str =
    "SMTP 550: 5.7.1 sender refused: loja@example.com is not allowed to send from this network";

/// A shop in which one thing of each kind waits.
async fn shop_with_work() -> (TestServer, String) {
    let server = TestServer::start().await;
    let test = &server.test;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    let mut numbers = Vec::new();
    let mut line = String::new();
    for units in [1, 2] {
        let order = test.buy(&ana, &vela, units).await.expect("an order");
        order.items[0].id.as_str().clone_into(&mut line);
        test.shop.payments().create_pix(&ana.id, &order.id, None).await.expect("a code");
        test.shop.sandbox().pay(&order.order_number).await.expect("paid");
        numbers.push((order.order_number, order.id));
    }
    for url in ["https://erp.example/hook", "https://ok.example/hook"] {
        let secret = "a-secret-of-enough-characters-for-this";
        let new = input(json!({ "url": url, "events": ["stock.low"], "secret": secret }));
        test.shop.webhooks().create(&Actor::System, new).await.expect("created");
    }
    test.raw_sql(&format!(
        "INSERT INTO review (id, product_id, account_id, rating, body, author, status, created_at)
         SELECT 'r1', p.id, a.id, 4, 'Queima por igual', 'Ana', 'pending', 1000
         FROM product p, account a WHERE a.role = 'CUSTOMER';
         UPDATE webhook SET failing_since = 2000 WHERE url LIKE '%erp%';
         UPDATE payment SET status = 'REVIEW' WHERE order_id = '{id}';
         UPDATE mail SET last_error = '{REFUSED}', sent_at = NULL, next_try_at = NULL, attempts = 9
         WHERE kind = 'order-placed' AND order_id = '{id}';
         INSERT INTO nfe (id, order_id, book, cnpj, series, number, code, status, attempt, total,
           answer, tries, issued_at, created_at, updated_at)
         VALUES ('n1', '{id}', 'SANDBOX', '1', 1, 1, 1, 'REJECTED', 1, 1, 'Rejeicao: NCM', 0,
           3000, 3000, 3000);
         {parcel}",
        id = numbers[0].1,
        parcel = parcel(&numbers[1].1, "back", 1, "RETURNING", ""),
    ));
    // The other one is to be sent still.
    let items = json!([{ "orderItemId": line, "quantity": 1 }]);
    let asked = input(json!({ "reason": "Não serviu", "items": items }));
    test.shop.returns().request(&ana.id, &numbers[1].1, asked, None).await.expect("asked");
    (server, numbers.swap_remove(0).0)
}

#[tokio::test]
async fn each_task_of_the_first_page_leads_to_exactly_what_waits() {
    let (server, number) = shop_with_work().await;
    in_browser(&server, move |browser, origin| {
        let kinds = [
            ("Pedidos a enviar", "PED-"),
            ("Envios com problema", "Voltando para a loja"),
            ("Pagamentos em análise", number.as_str()),
            ("Notas fiscais recusadas", "Rejeicao: NCM"),
            ("Devoluções a tratar", "-D1"),
            ("Avaliações a ler", "Queima por igual"),
            ("Itens com estoque baixo", "vela"),
            ("E-mails que não saem", "SMTP 550"),
            ("Webhooks com falhas", "https://erp.example/hook"),
        ];
        for (kind, shown) in kinds {
            open(browser, origin, "/admin");
            browser.click("link", &format!("{kind} 1"));
            browser.wait_for("location.pathname !== '/admin'");
            browser.reads(shown);
            let others = "document.querySelectorAll('main tbody tr, main .card').length <= 2";
            browser.wait_for(others);
        }
        assert_eq!(browser.ask("document.body.innerText.includes('ok.example')"), false);
        open(browser, origin, "/admin/tasks");
        for (kind, _) in kinds {
            browser.find("heading", kind);
        }
        // On a phone each value stands beside its name, and a long one leaves the name whole.
        browser.resize(390);
        let height = "parseFloat(getComputedStyle(it, '::before').height)";
        let names =
            format!("[...document.querySelectorAll('td[data-head]')].map((it) => {height})");
        browser.wait_for(&format!("{names}.some((height) => height > 10)"));
        assert_eq!(browser.ask(&format!("{names}.filter((height) => height > 30)")), json!([]));
        browser.resize(1280);
        browser.click("button", "Enviar de novo");
        browser.reads("1 e-mail na fila para sair de novo.");
        browser.wait_for("!document.body.innerText.includes('Desistiu')");
        // All of it comes with one call.
        let begun = browser.requests.len();
        open(browser, origin, "/admin");
        let calls = browser.requests[begun..].iter().filter(|url| url.contains("/api/admin/"));
        assert_eq!(calls.count(), 3, "{:?}", &browser.requests[begun..]);
    })
    .await;
}

#[tokio::test]
async fn a_shop_in_which_nothing_happened_says_on_each_screen_what_comes_first() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        for (path, text) in [
            ("/admin", "Comece pelo primeiro produto"),
            ("/admin/tasks", "Tudo em dia"),
            ("/admin/orders", "Ainda não há pedidos"),
            ("/admin/shipments", "Nenhum envio"),
            ("/admin/returns", "Nenhuma devolução"),
            ("/admin/products", "Nenhum produto ainda"),
            ("/admin/categories", "Nenhuma categoria"),
            ("/admin/stock", "Nada em estoque"),
            ("/admin/customers", "Ainda não há clientes"),
            ("/admin/coupons", "Nenhum cupom"),
            ("/admin/reviews", "Nenhuma avaliação"),
            ("/admin/newsletter", "Ninguém se inscreveu ainda"),
            ("/admin/invoices", "Nenhuma nota fiscal"),
            ("/admin/shipping", "Nenhuma tarifa própria"),
            ("/admin/webhooks", "Nenhum webhook"),
            ("/admin/api-keys", "Nenhuma chave"),
            ("/admin/settings", "Ainda não publicada."),
        ] {
            open(browser, origin, path);
            browser.reads(text);
        }
    })
    .await;
}
