//! What Melhor Envio knows: labels, and a wallet that each payment takes money from.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::oauth::OAuth;
use super::{Reply, WALLET, pdf};
use crate::fakes::provider::Asked;

/// How many entries a page of a list has.
const PAGE: usize = 3;

pub(crate) struct Books {
    url: String,
    pub(crate) oauth: OAuth,
    /// What the wallet holds, in cents.
    pub(crate) wallet: i64,
    /// Every payment of a label, and every one given back as less than nothing.
    pub(crate) movements: Vec<(String, i64)>,
    /// What its instants say, in UTC.
    pub(crate) now: String,
    /// How many questions a label is still being made for.
    pub(crate) generation_takes: usize,
    /// How much dearer a label is in the cart than in a quote, in cents.
    pub(crate) dearer: i64,
    labels: Vec<Value>,
    made: usize,
    /// How many questions are left until a label is made.
    in_the_making: HashMap<String, usize>,
}

type Answered = Result<Reply, String>;

/// Fails with a text unless something holds.
fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

impl Books {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            oauth: OAuth::default(),
            wallet: WALLET,
            movements: Vec::new(),
            now: "2026-11-21 15:00:00".to_owned(),
            generation_takes: 0,
            dearer: 0,
            labels: Vec::new(),
            made: 0,
            in_the_making: HashMap::new(),
        }
    }

    pub(crate) fn labels(&self) -> &[Value] {
        &self.labels
    }

    pub(crate) fn label(&self, id: &str) -> Option<&Value> {
        self.labels.iter().find(|label| label["id"] == id)
    }

    /// How often money was taken for a label, less how often it was given back.
    pub(crate) fn charges(&self, id: &str) -> i64 {
        self.movements.iter().filter(|(of, _)| of == id).map(|(_, cents)| cents.signum()).sum()
    }

    /// Whether a label is paid, and not given back.
    pub(crate) fn is_paid(label: &Value) -> bool {
        !label["paid_at"].is_null() && label["canceled_at"].is_null()
    }

    /// The carrier changes a label.
    pub(crate) fn change(&mut self, id: &str, change: impl FnOnce(&mut Value)) {
        change(self.labels.iter_mut().find(|label| label["id"] == id).expect("a label"));
    }

    /// The carrier takes the parcel.
    pub(crate) fn post(&mut self, id: &str, code: &str) {
        let now = self.now.clone();
        self.change(id, |label| {
            label["status"] = "posted".into();
            label["posted_at"] = now.into();
            label["tracking"] = code.into();
        });
    }

    pub(super) fn answer(&mut self, asked: &Asked) -> Answered {
        let method = asked.method.as_str();
        if (method, &*asked.path) == ("POST", "/oauth/token") {
            return self.oauth.token(asked);
        }
        if (method, &*asked.path) == ("GET", "/oauth/authorize") {
            return Ok(self.oauth.authorize(asked));
        }
        if let Some(id) = asked.path.strip_prefix("/files/") {
            must(asked.header("authorization").is_empty(), "a token went to the store of files")?;
            return Ok(Reply::File(pdf::of(id)));
        }
        must(asked.header("accept") == "application/json", "no Accept")?;
        if !self.oauth.admits(asked) {
            return Ok(Reply::Json(401, json!({ "message": "Unauthenticated." })));
        }
        let path = asked.path.strip_prefix("/api/v2/me/").ok_or("what path is that?")?;
        match (method, path.split('/').collect::<Vec<_>>().as_slice()) {
            ("POST", ["shipment", "calculate"]) => Ok(Reply::Json(200, quote())),
            ("POST", ["cart"]) => self.add(&asked.json()),
            ("GET", ["cart"]) => self.list(asked, |label| label["status"] == "pending"),
            ("GET", ["cart", id]) => Ok(self.get(id, |label| label["status"] == "pending")),
            ("DELETE", ["cart", id]) => Ok(self.remove(id)),
            ("GET", ["orders"]) => self.list(asked, |label| label["status"] != "pending"),
            ("GET", ["orders", id]) => Ok(self.get(id, |label| label["status"] != "pending")),
            ("POST", ["shipment", "checkout"]) => self.checkout(&asked.json()),
            ("POST", ["shipment", "generate"]) => self.generate(&asked.json()),
            ("GET", ["imprimir", "pdf", id]) => Ok(self.file(id)),
            ("POST", ["shipment", "cancel"]) => self.cancel(&asked.json()),
            ("GET", ["balance"]) => {
                let balance = format!("{}.{:02}", self.wallet / 100, self.wallet % 100);
                Ok(Reply::Json(200, json!({ "balance": balance, "reserved": 0, "debts": null })))
            }
            other => Err(format!("what is {other:?}?")),
        }
    }

    fn price(&self, service: u64) -> i64 {
        self.dearer + if service == 2 { 4120 } else { 2565 }
    }

    fn add(&mut self, body: &Value) -> Answered {
        if let Some(field) = lacking(body)? {
            let errors = json!({ field: [format!("O campo {field} é obrigatório.")] });
            let said = json!({ "message": "The given data was invalid.", "errors": errors });
            return Ok(Reply::Json(422, said));
        }
        let label = self.put(body)?;
        Ok(Reply::Json(201, label))
    }

    /// Puts a parcel into the cart, as somebody does who sits before the panel.
    pub(crate) fn put(&mut self, body: &Value) -> Result<Value, String> {
        self.made += 1;
        let number = self.made;
        let id = format!("9c1a4b7e-0000-4a0e-8a7d-{number:012x}");
        let price = self.price(body["service"].as_u64().ok_or("no service")?);
        #[expect(clippy::cast_precision_loss, reason = "a few reais")]
        let price = json!(price as f64 / 100.0);
        let label = json!({
            "id": id, "protocol": format!("ORD-20261121{number:06}"),
            "service_id": body["service"], "agency_id": null, "status": "pending",
            "quote": price, "price": price, "discount": 0, "delivery_min": 2, "delivery_max": 3,
            "insurance_value": body["options"]["insurance_value"], "format": "box",
            "authorization_code": null, "tracking": null,
            "self_tracking": null, "created_at": self.now, "updated_at": self.now,
            "paid_at": null, "generated_at": null, "posted_at": null, "received_at": null,
            "delivered_at": null, "canceled_at": null, "suspended_at": null, "expired_at": null,
            "products": body["products"], "volumes": body["volumes"],
            "tags": body["options"]["tags"], "to": body["to"],
            "service": { "id": body["service"], "name": "PAC", "company": { "name": "Correios" } },
        });
        self.labels.push(label.clone());
        Ok(label)
    }

    fn get(&mut self, id: &str, is_there: fn(&Value) -> bool) -> Reply {
        self.work_on(id);
        let found = self.label(id).filter(|label| is_there(label));
        let missing = || Reply::Json(404, json!({ "message": "Not found." }));
        found.cloned().map_or_else(missing, |label| Reply::Json(200, label))
    }

    fn list(&self, asked: &Asked, is_in: fn(&Value) -> bool) -> Answered {
        let query: HashMap<String, String> =
            serde_urlencoded::from_str(&asked.query).map_err(|_| "no query")?;
        let page: usize = query.get("page").map_or(Ok(1), |it| it.parse()).map_err(|_| "a page")?;
        let sought = query.get("q");
        let matches = |label: &Value| sought.is_none_or(|q| label["tags"].to_string().contains(q));
        let all: Vec<&Value> =
            self.labels.iter().rev().filter(|it| is_in(it) && matches(it)).collect();
        let data: Vec<&Value> = all.iter().skip((page - 1) * PAGE).take(PAGE).copied().collect();
        let last = all.len().div_ceil(PAGE).max(1);
        Ok(Reply::Json(200, json!({ "current_page": page, "data": data, "last_page": last })))
    }

    fn remove(&mut self, id: &str) -> Reply {
        let before = self.labels.len();
        self.labels.retain(|label| label["id"] != id || label["status"] != "pending");
        let status = if self.labels.len() < before { 204 } else { 404 };
        Reply::Json(status, json!({ "message": "Not found." }))
    }

    /// Takes the money whenever it is told to, of a label that is paid as well.
    fn checkout(&mut self, body: &Value) -> Answered {
        let id = only_order(body)?;
        let now = self.now.clone();
        let Some(label) = self.labels.iter_mut().find(|label| label["id"] == id) else {
            return Ok(Reply::Json(422, json!({ "error": "Envio não encontrado no carrinho" })));
        };
        let cents = cents(&label["price"]);
        if cents > self.wallet {
            let said = "Saldo insuficiente na carteira. Adicione saldo e tente novamente.";
            return Ok(Reply::Json(422, json!({ "error": said })));
        }
        self.wallet -= cents;
        self.movements.push((id.clone(), cents));
        if label["status"] == "pending" {
            label["status"] = "released".into();
            label["paid_at"] = now.into();
            label["self_tracking"] = format!("ME26{}BR", &id[30..]).into();
        }
        let purchase = json!({ "id": "p-1", "protocol": "PUR-1", "total": label["price"],
            "discount": 0, "status": "paid", "paid_at": label["paid_at"], "transactions": [],
            "orders": [label] });
        let said = json!({ "purchase": purchase, "digitable": null, "redirect": null,
            "message": null, "token": null, "payment_id": null });
        Ok(Reply::Json(200, said))
    }

    fn generate(&mut self, body: &Value) -> Answered {
        let id = only_order(body)?;
        must(body["mode"] == "public", "what mode?")?;
        let Some(label) = self.label(&id) else {
            return Ok(Reply::Json(422, json!({ "error": "Envio não encontrado" })));
        };
        let known = self.in_the_making.contains_key(&id) || !label["generated_at"].is_null();
        let said = if !Self::is_paid(label) {
            json!({ &id: { "status": false, "message": "O envio não está pago" } })
        } else if known {
            json!({ &id: { "status": false, "message": "O envio já está gerado" } })
        } else {
            self.in_the_making.insert(id.clone(), self.generation_takes);
            json!({ &id: { "status": true, "message": "Envio gerado com sucesso" } })
        };
        if self.generation_takes == 0 {
            self.work_on(&id);
        }
        Ok(Reply::Json(200, said))
    }

    /// The carrier makes a label after some questions. Its status stays `released`.
    fn work_on(&mut self, id: &str) {
        let Some(left) = self.in_the_making.get_mut(id) else { return };
        if let Some(fewer) = left.checked_sub(1) {
            *left = fewer;
            return;
        }
        let now = self.now.clone();
        self.in_the_making.remove(id);
        if self.label(id).is_some_and(Self::is_paid) {
            self.change(id, |label| label["generated_at"] = now.into());
        }
    }

    fn file(&mut self, id: &str) -> Reply {
        self.work_on(id);
        match self.label(id) {
            Some(label) if !label["generated_at"].is_null() => {
                Reply::Json(200, json!([format!("{}/files/{id}", self.url)]))
            }
            _ => Reply::Json(422, json!({ "error": "A etiqueta ainda não foi gerada" })),
        }
    }

    fn cancel(&mut self, body: &Value) -> Answered {
        let order = &body["order"];
        let id = order["id"].as_str().ok_or("no id")?.to_owned();
        must(order["reason_id"] == 2 && order["description"].is_string(), "no reason")?;
        let now = self.now.clone();
        let Some(label) = self.labels.iter_mut().find(|label| label["id"] == id.as_str()) else {
            return Ok(Reply::Json(422, json!({ "error": "Envio não encontrado" })));
        };
        if !label["posted_at"].is_null() {
            return Ok(Reply::Json(422, json!({ "error": "O envio já foi postado" })));
        }
        if !Self::is_paid(label) {
            return Ok(Reply::Json(200, json!({ &id: { "canceled": false } })));
        }
        label["status"] = "canceled".into();
        label["canceled_at"] = now.into();
        let cents = cents(&label["price"]);
        self.wallet += cents;
        self.movements.push((id.clone(), -cents));
        Ok(Reply::Json(200, json!({ &id: { "canceled": true } })))
    }
}

fn cents(price: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a few reais")]
    let cents = (price.as_f64().expect("a price") * 100.0).round() as i64;
    cents
}

fn only_order(body: &Value) -> Result<String, String> {
    match body["orders"].as_array().map(Vec::as_slice) {
        Some([Value::String(id)]) => Ok(id.clone()),
        _ => Err("not one order".to_owned()),
    }
}

/// The field that a parcel lacks, by which it is refused. A parcel that no program should send is
/// an error.
fn lacking(body: &Value) -> Result<Option<&'static str>, String> {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let digits = |value: &Value, count: usize| {
        value.as_str().is_some_and(|it| it.len() == count && it.bytes().all(|b| b.is_ascii_digit()))
    };
    must(body["service"].is_u64(), "the service is no number")?;
    let [volume] = body["volumes"].as_array().map_or(&[][..], Vec::as_slice) else {
        return Err("not one volume".to_owned());
    };
    for side in ["height", "width", "length"] {
        must(volume[side].as_u64().is_some_and(|it| it > 0), "a side is no whole number")?;
    }
    must(volume["weight"].as_f64().is_some_and(|it| it > 0.0), "no weight")?;
    let products = body["products"].as_array().map_or(&[][..], Vec::as_slice);
    must(!products.is_empty(), "no products")?;
    for product in products {
        let fine = text(&product["name"]) && product["quantity"].as_u64().is_some_and(|it| it > 0);
        must(fine && product["unitary_value"].is_number(), "a strange product")?;
    }
    for party in [&body["from"], &body["to"]] {
        for field in ["name", "address", "number", "city"] {
            must(text(&party[field]), field)?;
        }
        must(digits(&party["postal_code"], 8), "no postal code")?;
        must(party["state_abbr"].as_str().is_some_and(|it| it.len() == 2), "no state")?;
    }
    let options = &body["options"];
    must(options["insurance_value"].as_f64().is_some_and(|it| it >= 1.0), "not insured")?;
    must(options["tags"][0]["tag"].is_string(), "no tag")?;
    let has_invoice = digits(&options["invoice"]["key"], 44);
    must(options["non_commercial"] == !has_invoice, "neither an invoice nor a declaration")?;
    let has_document =
        |party: &Value| digits(&party["document"], 11) || text(&party["company_document"]);
    Ok(match (has_document(&body["from"]), has_document(&body["to"])) {
        (_, false) => Some("to.document"),
        (false, _) => Some("from.document"),
        _ => None,
    })
}

fn quote() -> Value {
    let service = |id: u64, name: &str, days: i64| {
        let company = json!({ "id": 1, "name": "Correios" });
        let price = if id == 2 { "41.20" } else { "25.65" };
        json!({ "id": id, "name": name, "price": price, "custom_price": price,
                "delivery_time": days, "custom_delivery_time": days, "company": company })
    };
    json!([service(1, "PAC", 8), service(2, "SEDEX", 3)])
}
