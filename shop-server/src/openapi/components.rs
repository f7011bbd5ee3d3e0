//! What operations share: headers, refusals and security schemes.

use serde_json::{Map, Value, json};

use crate::reply::Code;

/// A header of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Header {
    RequestId,
    ETag,
    CacheControl,
    ContentDisposition,
    TotalCount,
    SetCookie,
    Replayed,
    RetryAfter,
    Limit,
    Remaining,
    Reset,
    ClientLimit,
    ClientRemaining,
}

impl Header {
    const ALL: [Self; 13] = [
        Self::RequestId,
        Self::ETag,
        Self::CacheControl,
        Self::ContentDisposition,
        Self::TotalCount,
        Self::SetCookie,
        Self::Replayed,
        Self::RetryAfter,
        Self::Limit,
        Self::Remaining,
        Self::Reset,
        Self::ClientLimit,
        Self::ClientRemaining,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RequestId => "X-Request-Id",
            Self::ETag => "ETag",
            Self::CacheControl => "Cache-Control",
            Self::ContentDisposition => "Content-Disposition",
            Self::TotalCount => "X-Total-Count",
            Self::SetCookie => "Set-Cookie",
            Self::Replayed => "Idempotency-Replayed",
            Self::RetryAfter => "Retry-After",
            Self::Limit => "RateLimit-Limit",
            Self::Remaining => "RateLimit-Remaining",
            Self::Reset => "RateLimit-Reset",
            Self::ClientLimit => "X-RateLimit-Limit",
            Self::ClientRemaining => "X-RateLimit-Remaining",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::RequestId => "The request's name, by which the log knows it",
            Self::ETag => "Names this very state, for `If-Match` and `If-None-Match`",
            Self::CacheControl => "Which caches may store the answer, and for how long",
            Self::ContentDisposition => "The name to save the file under",
            Self::TotalCount => "How many entries the whole list has",
            Self::SetCookie => "The session (`token`) or the guest's cart (`cart`), or its end",
            Self::Replayed => "`true` when this is the first answer again, with no second effect",
            Self::RetryAfter => "How many seconds to wait",
            Self::Limit => "How often the key may call in a minute",
            Self::Reset => "In how many seconds its oldest counted call is forgotten",
            Self::ClientLimit => "How often one client may call",
            Self::Remaining | Self::ClientRemaining => "How often it still may",
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::RequestId => json!({ "type": "string", "pattern": "^[0-9a-f]{16}$" }),
            Self::Replayed => json!({ "type": "string", "const": "true" }),
            Self::ETag | Self::CacheControl | Self::ContentDisposition | Self::SetCookie => {
                json!({ "type": "string" })
            }
            Self::TotalCount
            | Self::RetryAfter
            | Self::Limit
            | Self::Remaining
            | Self::Reset
            | Self::ClientLimit
            | Self::ClientRemaining => json!({ "type": "integer", "minimum": 0 }),
        }
    }

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
        if codes.iter().any(|code| matches!(code, Code::RateLimited | Code::Busy)) {
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
        let headers: Map<String, Value> = Header::ALL
            .into_iter()
            .map(|header| {
                let mut value = json!({ "description": header.about(), "schema": header.schema() });
                if header == Header::RequestId {
                    value["required"] = true.into();
                }
                (header.name().to_owned(), value)
            })
            .collect();
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
