//! Carriers and the look-up of postal codes.

use serde_json::{Value, json};
use shop_core::Config;
use shop_core::config::Secret;

use super::{Behavior, Fake, Received};
use crate::core::fixture::TestShop;

/// The shop's token with every carrier.
pub(crate) const TOKEN: &str = "hush-1234";
/// The shop's access code to Correios.
pub(crate) const ACCESS_CODE: &str = "hush-code";

/// All fakes of third parties of shipping.
pub(crate) struct Carriers {
    pub(crate) melhor_envio: Fake,
    pub(crate) correios: Fake,
    pub(crate) frenet: Fake,
    pub(crate) via_cep: Fake,
}

impl Carriers {
    pub(crate) async fn start() -> Self {
        Self {
            melhor_envio: Fake::start(melhor_envio).await,
            correios: Fake::start(correios).await,
            frenet: Fake::start(frenet).await,
            via_cep: Fake::start(via_cep).await,
        }
    }

    /// A shop that knows them all and waits half a second for them.
    pub(crate) async fn shop(&self) -> TestShop {
        TestShop::with(|config| self.adapt(config)).await
    }

    pub(crate) fn adapt(&self, config: &mut Config) {
        let shipping = &mut config.shipping;
        shipping.timeout_ms = 500;
        shipping.contact_email = Some("loja@velas.example".to_owned());
        shipping.origin_cep = Some("01001-000".parse().expect("a code"));
        shipping.cep.url = self.via_cep.url();
        shipping.melhor_envio.url = self.melhor_envio.url();
        shipping.melhor_envio.token = Some(Secret::new(TOKEN));
        shipping.correios.url = self.correios.url();
        shipping.correios.user = Some("velas".to_owned());
        shipping.correios.access_code = Some(Secret::new(ACCESS_CODE));
        shipping.correios.card = Some("0067599079".to_owned());
        shipping.frenet.url = self.frenet.url();
        shipping.frenet.token = Some(Secret::new(TOKEN));
    }

    pub(crate) fn carriers(&self) -> [&Fake; 3] {
        [&self.melhor_envio, &self.correios, &self.frenet]
    }

    pub(crate) fn carriers_behave(&self, behavior: Behavior) {
        for fake in self.carriers() {
            fake.behaves(behavior);
        }
    }

    pub(crate) fn all_behave(&self, behavior: Behavior) {
        for fake in self.all() {
            fake.behaves(behavior);
        }
    }

    pub(crate) fn all(&self) -> [&Fake; 4] {
        [&self.melhor_envio, &self.correios, &self.frenet, &self.via_cep]
    }
}

/// Good and bad services mixed, amounts as texts and as numbers.
fn melhor_envio(received: &Received, offers: bool) -> (u16, Value) {
    assert_eq!(received.line, "POST /api/v2/me/shipment/calculate");
    if received.header("authorization") != format!("Bearer {TOKEN}") {
        return (401, json!({ "message": "Unauthenticated." }));
    }
    if !offers {
        return (200, json!([]));
    }
    let correios = json!({ "id": 1, "name": "Correios", "picture": "https://cdn.example/c.png" });
    let jadlog = json!({ "id": 2, "name": "Jadlog", "picture": "https://cdn.example/j.png" });
    let answer = json!([
        { "id": 2, "name": "SEDEX", "price": 41.2, "custom_price": 41.2, "discount": 0,
          "currency": "R$", "delivery_time": 3, "custom_delivery_time": 4, "company": correios },
        { "id": 1, "name": "PAC", "price": "25.65", "custom_price": "24.15", "discount": "4.33",
          "currency": "R$", "delivery_time": 10, "delivery_range": { "min": 9, "max": 10 },
          "custom_delivery_time": 10, "custom_delivery_range": { "min": 9, "max": 10 },
          "packages": [], "company": correios },
        { "id": 4, "name": ".Com", "company": jadlog },
        { "id": 3, "name": ".Package", "company": jadlog,
          "error": "Transportadora não atende este trecho." }
    ]);
    (200, answer)
}

/// Price and term apart, each a list with one entry a service.
fn correios(received: &Received, offers: bool) -> (u16, Value) {
    match &*received.line {
        "POST /token/v1/autentica/cartaopostagem" => {
            // "velas:hush-code"
            if received.header("authorization") != "Basic dmVsYXM6aHVzaC1jb2Rl" {
                return (401, json!({ "msgs": ["Usuário ou senha inválidos"] }));
            }
            let card = json!({ "numero": "0067599079", "contrato": "9912345678", "dr": 72,
                               "api": [27, 34] });
            let token = json!({ "ambiente": "PRODUCAO", "id": "velas", "perfil": "PJ",
                "cartaoPostagem": card, "emissao": "2026-11-21T12:00:00",
                "expiraEm": "2026-11-22T12:00:00", "zoneOffset": "-03:00", "token": TOKEN });
            (201, token)
        }
        _ if received.header("authorization") != format!("Bearer {TOKEN}") => {
            (403, json!({ "msgs": ["Token inválido"] }))
        }
        "POST /preco/v1/nacional" if offers => {
            let asked = received.body["parametrosProduto"].as_array().expect("a list");
            (200, asked.iter().rev().map(correios_price).collect())
        }
        "POST /prazo/v1/nacional" if offers => {
            let answer = json!([
                { "coProduto": "03220", "prazoEntrega": 2, "dataMaxima": "2026-11-24T23:59:00",
                  "entregaDomiciliar": "S", "entregaSabado": "N" },
                { "coProduto": "03298", "prazoEntrega": 7, "dataMaxima": "2026-12-02T23:59:00",
                  "entregaDomiciliar": "S", "entregaSabado": "N" },
                { "coProduto": "04227", "txErro": "Serviço indisponível para o trecho." }
            ]);
            (200, answer)
        }
        "POST /preco/v1/nacional" | "POST /prazo/v1/nacional" => {
            let failed = json!([{ "coProduto": "03298", "txErro": "CEP fora da área de entrega" }]);
            (400, failed)
        }
        other => panic!("{other}"),
    }
}

/// The price of one object, in the order that pleases Correios.
fn correios_price(asked: &Value) -> Value {
    let price = match asked["coProduto"].as_str() {
        Some("03298") => "20,84",
        Some("03220") => "1.033,10",
        _ => "9,90",
    };
    json!({ "coProduto": asked["coProduto"], "nuRequisicao": asked["nuRequisicao"],
            "pcBase": price, "pcProduto": price, "pcFinal": price })
}

/// Amounts and days as texts; the list's name is misspelt on the real wire, too.
fn frenet(received: &Received, offers: bool) -> (u16, Value) {
    assert_eq!(received.line, "POST /shipping/quote");
    if received.header("token") != TOKEN {
        return (200, json!({ "Message": "Token inválido" }));
    }
    let failed = json!({ "ServiceCode": "X", "Carrier": "Lenta", "Error": true,
                         "Msg": "Fora da área" });
    let pac = json!({ "ServiceCode": "04510", "ServiceDescription": "PAC", "Carrier": "Correios",
        "CarrierCode": "COR", "ShippingPrice": "32.50", "OriginalShippingPrice": "32.50",
        "DeliveryTime": "7", "OriginalDeliveryTime": "7", "ResponseTime": 1, "Error": false });
    let services = if offers { json!([failed, pac]) } else { json!([failed]) };
    (200, json!({ "ShippingSevicesArray": services, "Timeout": 0 }))
}

/// Codes that begin with 999 are unknown.
fn via_cep(received: &Received, _: bool) -> (u16, Value) {
    let cep = received.line.strip_prefix("GET /ws/").and_then(|rest| rest.strip_suffix("/json/"));
    match cep.expect("its path") {
        "99999000" => (200, json!({ "erro": "true" })),
        "99999001" => (200, json!({ "erro": true })),
        cep => {
            let answer = json!({
                "cep": format!("{}-{}", &cep[..5], &cep[5..]), "logradouro": "Rua 1",
                "complemento": "", "unidade": "", "bairro": "Centro", "localidade": "Niterói",
                "uf": "RJ", "estado": "Rio de Janeiro", "regiao": "Sudeste", "ibge": "3303302",
                "gia": "", "ddd": "21", "siafi": "5865"
            });
            (200, answer)
        }
    }
}
