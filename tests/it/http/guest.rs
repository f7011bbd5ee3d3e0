//! Buying without an account, and the links that open one order, over HTTP: also as an attacker
//! would.

use hyper::Method;
use serde_json::json;
use shop_core::config::Secret;
use shop_server::ServeOptions;

use super::client::{Answer, Client};
use super::{PASSWORD, TestServer};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

const GUEST: &str = "/api/auth/guest";

/// A server whose mails go to a mail server, with a product.
pub(super) struct Store {
    pub(super) server: TestServer,
    smtp: SmtpServer,
    product: String,
}

/// An order and the token of the link in its mail.
pub(super) struct Bought {
    pub(super) id: String,
    pub(super) number: String,
    pub(super) token: String,
}

impl Store {
    pub(super) async fn open() -> Self {
        let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
        let url = Secret::new(smtp.url());
        let adapt = |config: &mut shop_core::Config| config.mail.smtp_url = Some(url);
        let server = TestServer::start_with(adapt, ServeOptions::default()).await;
        let product = server.test.product("vela", 99, 1000).await.to_string();
        Self { server, smtp, product }
    }

    /// A guest's browser.
    pub(super) async fn guest(&self, email: &str) -> Client {
        let client = self.server.anonymous();
        client.post(GUEST, &json!({ "name": "Ana", "email": email })).await.expect(201);
        client
    }

    /// Places an order, and reads the link in its mail.
    pub(super) async fn buy(&self, client: &Client) -> Bought {
        let address = json!({
            "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
            "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        });
        let address = client.post("/api/user/addresses", &address).await.expect(201);
        let items = json!([{ "productId": self.product, "quantity": 1 }]);
        let order = json!({ "addressId": address["id"], "cartItems": items });
        let order = client.post("/api/orders", &order).await.expect(201);
        let number = order["orderNumber"].as_str().expect("a number").to_owned();
        let mail = self.mail("Recebemos seu pedido", &number).await;
        let token = token(&mail, &number).expect("a link");
        Bought { id: order["id"].as_str().expect("an id").to_owned(), number, token }
    }

    /// The mail about an order whose subject begins so, once it is there.
    pub(super) async fn mail(&self, subject: &str, number: &str) -> Received {
        let is_it = |mail: &&Received| {
            mail.header("Subject").is_some_and(|it| it.starts_with(subject) && it.ends_with(number))
        };
        let mut mails = Vec::new();
        loop {
            mails = self.smtp.wait_for(mails.len() + 1).await;
            if let Some(mail) = mails.iter().find(is_it) {
                return mail.clone();
            }
        }
    }

    async fn mails(&self) -> Vec<Received> {
        self.server.test.shop.run_due().await.expect("done");
        self.smtp.received()
    }
}

/// What the link to an order carries, if the mail has one.
pub(super) fn token(mail: &Received, number: &str) -> Option<String> {
    let text = mail.text();
    let (_, rest) = text.split_once(&format!("/pedido/{number}?t="))?;
    rest.split_whitespace().next().map(str::to_owned)
}

pub(super) async fn with_token(client: &Client, method: Method, path: &str, token: &str) -> Answer {
    client.send(method, path, &[("x-order-token", token)], "").await
}

#[tokio::test]
async fn a_guest_buys_with_a_session_and_without_a_password() {
    let store = Store::open().await;
    let guest = store.server.anonymous();
    let body = json!({
        "name": " Ana Souza ", "email": "Ana@example.com", "phone": "11 99999-0000",
        "cpf": "529.982.247-25"
    });
    let user = guest.post(GUEST, &body).await.expect(201)["user"].clone();
    assert_eq!((&user["guest"], &user["role"]), (&json!(true), &json!("CUSTOMER")));
    assert_eq!((&user["name"], &user["cpf"]), (&json!("Ana Souza"), &json!("52998224725")));
    let me = guest.get("/api/auth/me").await.expect(200);
    assert_eq!((&me["id"], &me["guest"]), (&user["id"], &json!(true)));
    let order = store.buy(&guest).await;
    let pix = json!({ "orderId": order.id });
    guest.post("/api/payments/pix", &pix).await.expect(200);
    store.server.test.shop.sandbox().pay(&order.number).await.expect("paid");
    let shown = guest.get(&format!("/api/orders/{}", order.number)).await.expect(200);
    assert_eq!(shown["payment"]["status"], "PAID");
    assert_eq!(guest.get("/api/orders").await.expect(200)[0]["id"], *order.id);
    let customer = store.server.customer("bia").await;
    assert_eq!(customer.get("/api/auth/me").await.expect(200)["guest"], false);
}

#[tokio::test]
async fn what_a_guest_enters_is_checked_as_in_a_registration() {
    let server = TestServer::start().await;
    let wrong = json!({ "name": "", "email": "ana", "cpf": "1" });
    let fields = server.anonymous().post(GUEST, &wrong).await.wrong_fields();
    let named: Vec<&String> = fields.as_object().expect("fields").keys().collect();
    assert_eq!(named, ["cpf", "email", "name"]);
}

#[tokio::test]
async fn whether_an_e_mail_has_an_account_is_not_told_by_a_guests_answer() {
    let store = Store::open().await;
    store.server.customer("ana").await;
    let before = store.smtp.wait_for(1).await.len();
    let mut shapes = Vec::new();
    for email in ["ana@example.com", "ANA@example.com", "nobody@example.com"] {
        let client = store.server.anonymous();
        let answer = client.post(GUEST, &json!({ "name": "Ana", "email": email })).await;
        let mut body = answer.expect(201);
        assert_eq!(body["user"]["email"], email);
        for field in ["id", "email"] {
            body["user"][field].take();
        }
        let mut headers: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
        headers.sort();
        shapes.push((body, headers));
    }
    assert!(shapes.iter().all(|shape| *shape == shapes[0]), "{shapes:?}");
    assert_eq!(store.mails().await.len(), before, "nothing is mailed to whoever was named");
}

#[tokio::test]
async fn an_e_mail_that_only_guests_have_is_free_and_takes_no_orders_along() {
    let store = Store::open().await;
    let (one, other) = (store.guest("ana@example.com").await, store.guest("ANA@example.com").await);
    store.buy(&one).await;
    let before = store.mails().await.len();
    let anonymous = store.server.anonymous();
    let forgot = json!({ "email": "ana@example.com" });
    anonymous.post("/api/auth/forgot-password", &forgot).await.expect(200);
    assert_eq!(store.mails().await.len(), before, "a guest has no password to forget");
    let log_in = json!({ "email": "ana@example.com", "password": PASSWORD });
    let unknown = json!({ "email": "nobody@example.com", "password": PASSWORD });
    let refused = anonymous.post("/api/auth/login", &log_in).await.refused(401);
    assert_eq!(refused, anonymous.post("/api/auth/login", &unknown).await.refused(401));

    let register = json!({ "name": "Ana", "email": "Ana@example.com", "password": PASSWORD });
    anonymous.post("/api/auth/register", &register).await.expect(201);
    assert_eq!(anonymous.get("/api/orders").await.expect(200), json!([]));
    assert_eq!(one.get("/api/orders").await.expect(200).as_array().map(Vec::len), Some(1));
    assert_eq!(other.get("/api/orders").await.expect(200), json!([]));
    let again = store.guest("ana@example.com").await;
    assert_eq!(again.get("/api/auth/me").await.expect(200)["guest"], true);
}

#[tokio::test]
async fn a_guest_who_goes_back_and_mends_the_e_mail_keeps_cart_and_addresses() {
    let store = Store::open().await;
    let guest = store.guest("ana@exmple.com").await;
    let line = json!({ "productId": store.product, "quantity": 2 });
    guest.post("/api/cart/items", &line).await.expect(201);
    let first = guest.get("/api/auth/me").await.expect(200)["id"].clone();
    let mended = json!({ "name": "Ana Souza", "email": "ana@example.com" });
    assert_eq!(guest.post(GUEST, &mended).await.expect(201)["user"]["id"], first);
    assert_eq!(guest.get("/api/cart").await.expect(200)["items"][0]["quantity"], 2);
    store.buy(&guest).await;
    let same = json!({ "name": "Ana S.", "email": "ANA@example.com" });
    assert_eq!(guest.post(GUEST, &same).await.expect(201)["user"]["id"], first);
    let other = json!({ "name": "Bia", "email": "bia@example.com" });
    assert_ne!(guest.post(GUEST, &other).await.expect(201)["user"]["id"], first);
    assert_eq!(guest.get("/api/orders").await.expect(200), json!([]), "her orders stay hers");
}

#[tokio::test]
async fn a_guest_changes_no_e_mail_and_no_password_by_the_session_alone() {
    let store = Store::open().await;
    let guest = store.guest("ana@example.com").await;
    let change = json!({ "name": "Ana Souza", "phone": "11 99999-0000" });
    assert_eq!(guest.put("/api/auth/me", &change).await.expect(200)["name"], "Ana Souza");
    store.guest("ana@example.com").await;
    let another = json!({ "email": "eva@example.com", "currentPassword": PASSWORD });
    assert_eq!(guest.put("/api/auth/me", &another).await.refused(401).1, "wrong_password");
    let password = json!({ "currentPassword": "", "newPassword": PASSWORD });
    let refused = guest.patch("/api/auth/me/password", &password).await.refused(401);
    assert_eq!(refused.1, "wrong_password");
}

#[tokio::test]
async fn an_address_makes_thirty_guests_an_hour() {
    let server = TestServer::start().await;
    let body = json!({ "name": "Ana", "email": "ana@example.com" });
    for _ in 0..30 {
        server.anonymous().post(GUEST, &body).await.expect(201);
    }
    assert_eq!(server.anonymous().post(GUEST, &body).await.refused(429).1, "rate_limited");
    server.test.advance_hours(1);
    server.anonymous().post(GUEST, &body).await.expect(201);
}

#[tokio::test]
async fn a_guest_erases_the_account_without_a_body_and_a_customer_needs_the_password() {
    let store = Store::open().await;
    let guest = store.guest("bia@example.com").await;
    guest.delete("/api/auth/me").await.expect(200);
    guest.get("/api/auth/me").await.refused(401);
    let ana = store.server.customer("ana").await;
    let wrong = ana.delete("/api/auth/me").await.wrong_fields();
    assert!(wrong["password"].is_array(), "{wrong}");
}

#[tokio::test]
async fn a_password_is_set_from_the_link_and_the_account_is_no_guests_any_more() {
    let store = Store::open().await;
    let guest = store.guest("Ana@example.com").await;
    let order = store.buy(&guest).await;
    let path = "/api/auth/guest/password";
    let anyone = store.server.anonymous();
    let set = |token: &str| json!({ "token": token, "password": PASSWORD });
    assert_eq!(anyone.post(path, &set("x")).await.refused(401).1, "invalid_order_link");
    let user = anyone.post(path, &set(&order.token)).await.expect(200)["user"].clone();
    assert_eq!(user["guest"], false);
    assert_eq!(anyone.get("/api/orders").await.expect(200)[0]["id"], *order.id);
    assert_eq!(guest.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    let log_in = json!({ "email": "ana@EXAMPLE.com", "password": PASSWORD });
    store.server.anonymous().post("/api/auth/login", &log_in).await.expect(200);
    // The link opens the order on, and sets no second password.
    let again = store.server.anonymous();
    assert_eq!(again.post(path, &set(&order.token)).await.refused(409).1, "email_taken");
    let shown = format!("/api/orders/{}", order.id);
    with_token(&again, Method::GET, &shown, &order.token).await.expect(200);
    let register = json!({ "name": "Eva", "email": "ana@example.com", "password": PASSWORD });
    assert_eq!(again.post("/api/auth/register", &register).await.refused(409).1, "email_taken");
}

#[tokio::test]
async fn a_guests_orders_join_the_account_of_their_e_mail_by_the_link() {
    let store = Store::open().await;
    let guest = store.guest("ANA@example.com").await;
    let (first, second) = (store.buy(&guest).await, store.buy(&guest).await);
    let (ana, bia) = (store.server.customer("ana").await, store.server.customer("bia").await);
    let set = json!({ "token": first.token, "password": PASSWORD });
    let taken = store.server.anonymous().post("/api/auth/guest/password", &set).await;
    assert_eq!(taken.refused(409).1, "email_taken");

    let path = "/api/auth/guest/claim";
    let claim = json!({ "token": first.token });
    assert_eq!(bia.post(path, &claim).await.refused(409).1, "other_email");
    let wrong = json!({ "token": "x" });
    assert_eq!(ana.post(path, &wrong).await.refused(401).1, "invalid_order_link");
    guest.post(path, &claim).await.expect(200);
    assert_eq!(ana.get("/api/orders").await.expect(200), json!([]));
    for _ in 0..2 {
        ana.post(path, &claim).await.expect(200);
    }
    let orders = ana.get("/api/orders").await.expect(200);
    assert_eq!((&orders[0]["id"], &orders[1]["id"]), (&json!(second.id), &json!(first.id)));
    assert_eq!(guest.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    let by_link = format!("/api/orders/{}", second.number);
    let anyone = store.server.anonymous();
    with_token(&anyone, Method::GET, &by_link, &second.token).await.expect(200);
    assert_eq!(ana.get(&by_link).await.expect(200)["orderNumber"], *second.number);
}

#[tokio::test]
async fn the_cart_of_a_guests_account_follows_the_shopper() {
    let store = Store::open().await;
    let line = json!({ "productId": store.product, "quantity": 3 });
    let quantity = async |client: &Client| {
        let cart = client.get("/api/cart").await.expect(200);
        cart["items"][0]["quantity"].as_i64()
    };
    // Another e-mail after an order makes another account.
    let gil = store.guest("gil@example.com").await;
    let bought = store.buy(&gil).await;
    gil.post("/api/cart/items", &line).await.expect(201);
    let mistyped = json!({ "name": "Gil", "email": "gil@gmail.example" });
    gil.post(GUEST, &mistyped).await.expect(201);
    assert_eq!(quantity(&gil).await, Some(3));
    // The guest remembers having an account, or makes one.
    store.server.customer("lia").await;
    let lia = json!({ "email": "lia@example.com", "password": PASSWORD });
    let new = json!({ "name": "Gil", "email": "gil@example.com", "password": PASSWORD });
    for (path, input, status) in [("/api/auth/login", &lia, 200), ("/api/auth/register", &new, 201)]
    {
        let guest = store.guest("g@example.com").await;
        guest.post("/api/cart/items", &line).await.expect(201);
        guest.post(path, input).await.expect(status);
        assert_eq!(quantity(&guest).await, Some(3), "{path}");
    }
    // The cart of a guest whose orders join an account goes along.
    let claimer = store.server.anonymous();
    let known = json!({ "email": "gil@example.com", "password": PASSWORD });
    claimer.post("/api/auth/login", &known).await.expect(200);
    let left = store.guest("other@example.com").await;
    left.post("/api/cart/items", &line).await.expect(201);
    let claim = json!({ "token": bought.token });
    claimer.post("/api/auth/guest/claim", &claim).await.expect(200);
    assert_eq!(quantity(&claimer).await, Some(3));
    // A session of an account that logs in is no guest's: its cart stays.
    left.post("/api/auth/login", &known).await.expect(200);
    assert_eq!(quantity(&left).await, Some(6));
    left.post("/api/auth/login", &lia).await.expect(200);
    assert_eq!(quantity(&claimer).await, Some(6));
}
