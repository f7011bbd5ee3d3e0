//! Who may call: tokens that are handed out for a code, and renewed in pairs.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{CLIENT_ID, CLIENT_SECRET, PANEL_TOKEN, Reply};
use crate::fakes::provider::Asked;

#[derive(Default)]
pub(crate) struct OAuth {
    /// Codes that were not used, with the redirect address that each is good for.
    codes: HashMap<String, String>,
    access: Option<String>,
    refresh: Option<String>,
    made: usize,
    /// How often a pair was renewed.
    pub(crate) renewals: usize,
    /// How long access tokens live, in seconds; 30 days where nothing else is said.
    pub(crate) life: Option<u64>,
}

impl OAuth {
    /// The access token holds no longer.
    pub(crate) fn end_access(&mut self) {
        self.access = None;
    }

    /// The account's holder takes the permission back in the panel.
    pub(crate) fn withdraw(&mut self) {
        (self.access, self.refresh) = (None, None);
    }

    /// The account's holder goes to an address and allows what it asks for: the query with which
    /// the browser comes back.
    pub(crate) fn allow(&mut self, address: &str) -> HashMap<String, String> {
        let (_, query) = address.split_once("/oauth/authorize?").expect("the address");
        assert!(!query.contains('+'), "spaces are %20: {query}");
        let asked: HashMap<String, String> = serde_urlencoded::from_str(query).expect("a query");
        assert_eq!(asked["client_id"], CLIENT_ID);
        assert_eq!(asked["response_type"], "code");
        for scope in ["shipping-checkout", "shipping-generate", "orders-read", "cart-write"] {
            assert!(asked["scope"].split(' ').any(|it| it == scope), "{scope}");
        }
        let code = self.next("def502-code");
        self.codes.insert(code.clone(), asked["redirect_uri"].clone());
        [("code".to_owned(), code), ("state".to_owned(), asked["state"].clone())].into()
    }

    /// `GET /oauth/authorize`: the page on which the account's holder allows it, or does not.
    pub(super) fn authorize(&mut self, asked: &Asked) -> Reply {
        let address = format!("/oauth/authorize?{}", asked.query);
        let query: HashMap<String, String> =
            serde_urlencoded::from_str(&asked.query).expect("a query");
        let back = |fields: &HashMap<String, String>| {
            let fields = serde_urlencoded::to_string(fields).expect("a query");
            format!("{}?{fields}", query["redirect_uri"]).replace('&', "&amp;")
        };
        let denied: HashMap<String, String> = [
            ("error".to_owned(), "access_denied".to_owned()),
            ("state".to_owned(), query["state"].clone()),
        ]
        .into();
        let (allowed, denied) = (back(&self.allow(&address)), back(&denied));
        Reply::Page(format!(
            "<!DOCTYPE html><html lang=\"pt-BR\"><title>Melhor Envio</title>\
             <link rel=\"icon\" href=\"data:,\"><h1>A loja quer acessar a sua conta</h1>\
             <a href=\"{allowed}\">Autorizar</a> <a href=\"{denied}\">Recusar</a></html>"
        ))
    }

    pub(super) fn admits(&self, asked: &Asked) -> bool {
        let token = asked.header("authorization").strip_prefix("Bearer ");
        token.is_some_and(|it| it == PANEL_TOKEN || Some(it) == self.access.as_deref())
    }

    /// `POST /oauth/token`.
    pub(super) fn token(&mut self, asked: &Asked) -> Result<Reply, String> {
        let form = asked.form();
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        if (field("client_id"), field("client_secret")) != (CLIENT_ID, CLIENT_SECRET) {
            return Ok(Reply::Json(401, json!({ "error": "invalid_client" })));
        }
        match field("grant_type") {
            "authorization_code" => {
                let redirect = self.codes.remove(field("code"));
                if redirect.as_deref() != Some(field("redirect_uri")) {
                    return Ok(Reply::Json(400, json!({ "error": "invalid_grant" })));
                }
            }
            "refresh_token" => {
                if self.refresh.as_deref() != Some(field("refresh_token")) {
                    let said = "The refresh token is invalid.";
                    let body = json!({ "error": "invalid_request", "message": said });
                    return Ok(Reply::Json(401, body));
                }
                self.renewals += 1;
            }
            other => return Err(format!("what grant is {other:?}?")),
        }
        Ok(Reply::Json(200, self.pair()))
    }

    fn pair(&mut self) -> Value {
        let (access, refresh) = (self.next("hush-access"), self.next("hush-refresh"));
        (self.access, self.refresh) = (Some(access.clone()), Some(refresh.clone()));
        json!({ "token_type": "Bearer", "expires_in": self.life.unwrap_or(2_592_000),
                "access_token": access, "refresh_token": refresh })
    }

    fn next(&mut self, name: &str) -> String {
        self.made += 1;
        format!("{name}-{}", self.made)
    }
}
