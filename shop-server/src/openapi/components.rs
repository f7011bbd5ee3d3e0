//! What operations share: headers, refusals and security schemes.

use serde_json::{Map, Value, json};

use crate::reply::Code;

/// The headers of answers: the name of each, what it tells, and its schema.
macro_rules! headers {
    ($($header:ident $name:literal $about:literal $schema:ident)+) => {
        /// A header of answers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Header {
            $($header),+
        }

        impl Header {
            const ALL: &[Self] = &[$(Self::$header),+];

            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$header => $name),+
                }
            }

            /// Its entry in the document.
            fn describe(self) -> Value {
                match self {
                    $(Self::$header => json!({ "description": $about, "schema": $schema() })),+
                }
            }
        }
    };
}

headers! {
    RequestId "X-Request-Id" "The request's name, by which the log knows it" hexadecimal
    ETag "ETag" "Names this very state, for `If-Match` and `If-None-Match`" text
    CacheControl "Cache-Control" "Which caches may store the answer, and for how long" text
    ContentDisposition "Content-Disposition" "The name to save the file under" text
    TotalCount "X-Total-Count" "How many entries the whole list has" count
    SetCookie "Set-Cookie" "The session (`token`) or the guest's cart (`cart`), or its end" text
    Replayed "Idempotency-Replayed"
        "`true` when this is the first answer again, with no second effect" truth
    RetryAfter "Retry-After" "How many seconds to wait" count
    Limit "RateLimit-Limit" "How often the key may call in a minute" count
    Remaining "RateLimit-Remaining" "How often it still may" count
    Reset "RateLimit-Reset" "In how many seconds its oldest counted call is forgotten" count
    ClientLimit "X-RateLimit-Limit" "How often one client may call" count
    ClientRemaining "X-RateLimit-Remaining" "How often it still may" count
}

fn hexadecimal() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{16}$" })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn truth() -> Value {
    json!({ "type": "string", "const": "true" })
}

impl Header {
    /// A reference to it.
    pub(super) fn link(self) -> Value {
        json!({ "$ref": format!("#/components/headers/{}", self.name()) })
    }
}

/// What several operations refer to.
#[derive(Debug, Default)]
pub(super) struct Shared {
    responses: Map<String, Value>,
    examples: Map<String, Value>,
}

/// More codes than this hardly ever come together twice.
const SHARED_CODES: usize = 4;

impl Shared {
    /// The answer with this status, which is one of these refusals.
    pub(super) fn refusal(&mut self, status: u16, codes: &[Code]) -> Value {
        let response = self.response(codes);
        if codes.len() > SHARED_CODES {
            return response;
        }
        let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
        let name = format!("{status}.{}", names.join("."));
        let link = json!({ "$ref": format!("#/components/responses/{name}") });
        self.responses.entry(name).or_insert(response);
        link
    }

    fn response(&mut self, codes: &[Code]) -> Value {
        let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
        let lines: Vec<String> =
            codes.iter().map(|code| format!("- `{}`: {}.", code.as_str(), code.when())).collect();
        let mut examples = Map::new();
        for code in codes {
            let key = format!("{}.{}", code.status().as_u16(), code.as_str());
            let link = json!({ "$ref": format!("#/components/examples/{key}") });
            examples.insert(code.as_str().to_owned(), link);
            self.examples.entry(key).or_insert_with(|| example(*code));
        }
        let mut headers = vec![Header::RequestId];
        let says_when = [Code::RateLimited, Code::Busy, Code::ImportUnderWay];
        if codes.iter().any(|code| says_when.contains(code)) {
            headers.push(Header::RetryAfter);
        }
        if codes.contains(&Code::RateLimited) {
            headers.extend([Header::ClientLimit, Header::ClientRemaining]);
        }
        let headers: Map<String, Value> =
            headers.into_iter().map(|header| (header.name().to_owned(), header.link())).collect();
        json!({
            "description": lines.join("\n"),
            "headers": headers,
            "content": { "application/json": {
                "schema": { "allOf": [
                    { "$ref": "#/components/schemas/Error" },
                    { "type": "object", "properties": { "code": { "enum": names } } }
                ] },
                "examples": examples
            } }
        })
    }

    /// The document's `components`.
    pub(super) fn into_components(self, mut schemas: Map<String, Value>) -> Value {
        schemas.insert("Error".to_owned(), error_schema());
        let mut headers: Map<String, Value> =
            Header::ALL.iter().map(|it| (it.name().to_owned(), it.describe())).collect();
        headers[Header::RequestId.name()]["required"] = true.into();
        json!({
            "schemas": schemas,
            "responses": self.responses,
            "examples": self.examples,
            "headers": headers,
            "securitySchemes": security_schemes(),
        })
    }
}

fn example(code: Code) -> Value {
    let fill = [
        ("{name}", "Vela de Lavanda"),
        ("{available}", "1"),
        ("{wait}", "12 minutos"),
        ("{left}", "R$ 49,90"),
        ("{max}", "20"),
        ("{date}", "12/11/2026"),
        ("{order}", "PED-20261121-0001"),
        ("{parcel}", "2"),
        ("{type}", "application/json"),
        ("{code}", "778"),
        ("{text}", "Rejeição: Informado NCM inexistente"),
    ];
    let text = fill
        .iter()
        .fold(code.text().to_owned(), |text, (braces, value)| text.replace(braces, value));
    let mut value =
        json!({ "error": text, "code": code.as_str(), "requestId": "9cb79d02261bff53" });
    let details = match code {
        Code::InvalidInput => {
            json!({ "fieldErrors": { "email": ["Campo obrigatório"] }, "formErrors": [] })
        }
        Code::InvalidStructure => {
            json!({ "fieldErrors": { "items": ["Campo obrigatório"] }, "formErrors": [] })
        }
        Code::InUse => json!({ "fieldErrors": {}, "formErrors": ["Vela de Lavanda"] }),
        _ => Value::Null,
    };
    if !details.is_null() {
        value["details"] = details;
    }
    json!({ "summary": code.when(), "value": value })
}

fn security_schemes() -> Value {
    let header = |name: &str, about: &str| json!({ "type": "apiKey", "in": "header", "name": name, "description": about });
    json!({
        "apiKey": {
            "type": "http", "scheme": "bearer", "bearerFormat": "svc_live_..",
            "description": "A program's key from `POST /api/admin/api-keys`; `x-scope` names the \
                            scope that it must have."
        },
        "cart": {
            "type": "apiKey", "in": "cookie", "name": "cart",
            "description": "A guest's cart, set by its first change; joins the account's at log-in."
        },
        "cookie": {
            "type": "apiKey", "in": "cookie", "name": "token",
            "description": "A session in a browser, set at log-in and at registration. Calls that \
                            change something must come from the shop's own origin."
        },
        "token": {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "A session in a program: `token` of the answer to the log-in."
        },
        "orderToken": header("X-Order-Token",
            "What the link in a mail about an order carries as `t`: it opens that one order for 90 \
             days. It may also come in the query, as `t`."),
        "provider1Signature": header("x-signature",
            "`ts=<seconds>,v1=<hex>` over `data.id`, `x-request-id` and the time, as provider1 \
             makes it."),
        "provider2Signature": header("stripe-signature",
            "`t=<seconds>,v1=<hex>` over the time and the very bytes, as provider2 makes it; \
             `payments.provider2.signature_header` can name another header."),
        "webhookSignature": header("webhook-signature",
            "What the shop signs with an endpoint's secret (Standard Webhooks): one or two \
             `v1,<base64>` of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`."),
    })
}

fn error_schema() -> Value {
    let messages = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "description": "What every refusal looks like.",
        "required": ["error", "code", "requestId"],
        "properties": {
            "error": { "type": "string", "description": "For people." },
            "code": { "type": "string", "description": "For programs; stable." },
            "requestId": { "type": "string", "description": "Also in the header X-Request-Id." },
            "details": {
                "type": "object",
                "description": "What is wrong with the input.",
                "required": ["fieldErrors", "formErrors"],
                "properties": {
                    "fieldErrors": {
                        "type": "object", "additionalProperties": messages.clone(),
                        "description": "By the field's path, such as `cartItems[0].quantity`."
                    },
                    "formErrors": messages
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_refusals_have_no_braces_left() {
        for &code in Code::ALL {
            let text = example(code)["value"]["error"].to_string();
            assert!(text.len() > 2 && !text.contains('{'), "{text}");
        }
    }
}
