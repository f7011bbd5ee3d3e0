//! OAuth 2.0 as Melhor Envio speaks it (RFC 6749, the authorization code grant).

use std::time::Duration;

use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::store::Pair;
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::http_client::{Answer, Call, Http};

/// The rights that the shop asks for. Another one needs a new connection.
const SCOPES: &str = "shipping-calculate cart-read cart-write orders-read shipping-checkout \
                      shipping-generate shipping-preview shipping-print shipping-tracking \
                      shipping-cancel users-read transactions-read";
/// Encoded so: a space as `%20`, since Melhor Envio takes no `+`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
/// How long an access token lives where the answer does not say it.
const USUAL_LIFE: u64 = 30 * 24 * 60 * 60;

/// The application that the shop registered with Melhor Envio.
pub(crate) struct App {
    pub(super) url: String,
    pub(super) client_id: String,
    pub(super) client_secret: Secret,
    /// Where Melhor Envio sends the browser afterwards, exactly as it is registered there.
    pub(super) redirect: String,
}

/// Why no tokens were handed out.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum TokenError {
    /// The code or the refresh token does not hold.
    #[error("Melhor Envio refuses: {0}")]
    Refused(String),
    /// The application's own id or secret is wrong, whatever it asks with.
    #[error("Melhor Envio does not know the application: check client_id and client_secret")]
    UnknownApp,
    /// It could not be asked, or its answer is lost.
    #[error("{0}")]
    Unclear(String),
}

impl App {
    /// Where the person must go who allows the shop to act for the account.
    pub(super) fn authorize_address(&self, state: &str) -> String {
        let fields = [
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", &self.redirect),
            ("response_type", "code"),
            ("state", state),
            ("scope", SCOPES),
        ];
        let encoded =
            fields.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
        format!("{}/oauth/authorize?{}", self.url.trim_end_matches('/'), encoded.join("&"))
    }

    /// The first pair of tokens, for the code that the person brought.
    pub(super) async fn exchange(
        &self,
        http: &Http,
        code: &str,
        now: Timestamp,
    ) -> Result<Pair, TokenError> {
        let form = [("redirect_uri", self.redirect.as_str()), ("code", code)];
        self.token(http, "authorization_code", &form, now).await
    }

    /// The next pair of tokens. The ones before hold no more.
    pub(super) async fn renew(
        &self,
        http: &Http,
        refresh: &Secret,
        now: Timestamp,
    ) -> Result<Pair, TokenError> {
        let form = [("refresh_token", refresh.reveal())];
        self.token(http, "refresh_token", &form, now).await
    }

    async fn token(
        &self,
        http: &Http,
        grant: &str,
        more: &[(&str, &str)],
        now: Timestamp,
    ) -> Result<Pair, TokenError> {
        let own = [
            ("grant_type", grant),
            ("client_id", &self.client_id),
            ("client_secret", self.client_secret.reveal()),
        ];
        let form: Vec<_> = own.iter().chain(more).copied().collect();
        let unclear = |error: &dyn std::fmt::Display| TokenError::Unclear(error.to_string());
        let body = serde_urlencoded::to_string(form).map_err(|error| unclear(&error))?;
        let call = Call::new(Method::POST, &self.url, "/oauth/token", body.into());
        let call = call.map_err(|error| unclear(&error))?.header(CONTENT_TYPE, FORM);
        let answer = http.send(call).await.map_err(|error| unclear(&error))?;
        read(&answer, now)
    }
}

fn read(answer: &Answer, now: Timestamp) -> Result<Pair, TokenError> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match answer.status {
        200 => pair(&body, now)
            .ok_or_else(|| TokenError::Unclear("its answer has no tokens".to_owned())),
        // What is no object is a proxy's, which knows nothing of tokens.
        400..=403 | 422 if body.is_object() => match body["error"].as_str() {
            Some("invalid_client" | "unauthorized_client") => Err(TokenError::UnknownApp),
            Some(code @ ("server_error" | "temporarily_unavailable")) => {
                Err(TokenError::Unclear(format!("it answered {code}")))
            }
            Some(code) if is_code(code) => Err(TokenError::Refused(code.to_owned())),
            _ => Err(TokenError::Refused(answer.status.to_string())),
        },
        status => Err(TokenError::Unclear(format!("it answered {status}"))),
    }
}

fn pair(body: &Value, now: Timestamp) -> Option<Pair> {
    let token = |field: &str| {
        let token = body[field].as_str()?;
        let fine = !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
        fine.then(|| Secret::new(token))
    };
    let life = &body["expires_in"];
    let life = life.as_u64().or_else(|| life.as_str()?.parse().ok()).unwrap_or(USUAL_LIFE);
    Some(Pair {
        access: token("access_token")?,
        refresh: token("refresh_token")?,
        expires_at: now.plus(Duration::from_secs(life)),
    })
}

/// A code of RFC 6749, which quotes nothing of what was sent.
fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_266_068_000);

    fn answer(status: u16, body: &str) -> Result<Pair, TokenError> {
        let (headers, body) = (HeaderMap::new(), body.to_owned().into());
        read(&Answer { status, headers, body }, NOW)
    }

    #[test]
    fn spaces_are_percent_twenty_and_the_redirect_stands_character_by_character() {
        let app = App {
            url: "https://melhorenvio.com.br/".to_owned(),
            client_id: "42".to_owned(),
            client_secret: Secret::new("hush"),
            redirect: "https://loja.example/api/shipping/melhor-envio/callback".to_owned(),
        };
        let address = app.authorize_address("s-1_x");
        let start = "https://melhorenvio.com.br/oauth/authorize?client_id=42&redirect_uri=\
                     https%3A%2F%2Floja.example%2Fapi%2Fshipping%2Fmelhor-envio%2Fcallback\
                     &response_type=code&state=s-1_x&scope=shipping-calculate%20cart-read%20";
        assert!(address.starts_with(start), "{address}");
        assert!(address.ends_with("users-read%20transactions-read") && !address.contains('+'));
    }

    #[test]
    fn a_pair_is_read_with_its_life() {
        let body = r#"{"token_type":"Bearer","expires_in":2592000,"access_token":"a.b-c",
                       "refresh_token":"def50200"}"#;
        let pair = answer(200, body).expect("a pair");
        assert_eq!((pair.access.reveal(), pair.refresh.reveal()), ("a.b-c", "def50200"));
        assert_eq!(pair.expires_at, NOW.plus(Duration::from_secs(2_592_000)));
        for garbage in [
            "<html>",
            "{}",
            r#"{"access_token":"a","refresh_token":""}"#,
            r#"{"access_token":"a b","refresh_token":"c"}"#,
        ] {
            assert!(matches!(answer(200, garbage), Err(TokenError::Unclear(_))), "{garbage}");
        }
    }

    #[test]
    fn a_refused_token_an_unknown_app_and_a_lost_answer_are_told_apart() {
        let invalid = r#"{"error":"invalid_request","message":"The refresh token is invalid."}"#;
        assert!(matches!(answer(401, invalid), Err(TokenError::Refused(code))
            if code == "invalid_request"));
        assert!(matches!(answer(400, r#"{"error":"invalid_grant"}"#), Err(TokenError::Refused(_))));
        assert!(matches!(
            answer(401, r#"{"error":"invalid_client"}"#),
            Err(TokenError::UnknownApp)
        ));
        for status in [400, 401, 403, 422, 429, 500, 503, 404] {
            assert!(matches!(answer(status, "<html>"), Err(TokenError::Unclear(_))), "{status}");
        }
        let busy = r#"{"error":"temporarily_unavailable"}"#;
        assert!(matches!(answer(400, busy), Err(TokenError::Unclear(_))));
    }
}
