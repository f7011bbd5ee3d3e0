//! The one place that knows what a failure looks like outside: its status, its text for people in
//! Brazilian Portuguese, and its stable code for programs (section "Errors", decision 33).
//!
//! Everything is matched without a `_` arm: a new failure forces a decision here.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde::Serialize;
use shop_core::Error;
use shop_core::error::{
    CardRejection, Conflict, CouponRefusal, Credential, Entity, FieldErrors, Refusal,
};

use crate::output::JSON;
use crate::payload::Payload;
use crate::rate_limit::TooMany;
use crate::request_id::RequestId;

/// Why a request was not done: the shop said no, or it never got that far.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The shop said no.
    Shop(Error),
    /// No row has the path.
    NoSuchPath,
    /// Rows have the path, but none the method; with what `Allow` says.
    NoSuchMethod(HeaderValue),
    /// A page of another origin made a browser send it with its cookie (decision 16).
    ForeignOrigin,
    /// One call too many.
    TooMany(TooMany),
    /// The body says that it is something else than JSON.
    NotJson,
    /// The body is no form with files.
    NotMultipart,
    /// The body says that it is a form, but its parts cannot be told apart.
    MalformedForm,
    /// The body is no JSON, or no UTF-8.
    MalformedJson,
    /// The body is JSON, but not what a row takes that answers so with 422.
    Unprocessable(FieldErrors),
    /// The body is larger than the row allows.
    TooLarge,
    /// The body did not come in time.
    TooSlow,
    /// The body ended before its end.
    BrokenBody,
    /// The handler panicked.
    Panic,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Shop(error)
    }
}

/// What a failure looks like outside.
struct Reply {
    status: StatusCode,
    code: &'static str,
    text: Cow<'static, str>,
    details: Option<FieldErrors>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    error: &'a str,
    code: &'a str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a FieldErrors>,
}

/// The answer to a request that failed. What only the shop's people may know is logged here, once.
pub(crate) fn render(failure: Failure, request: RequestId) -> Response<Payload> {
    log(&failure, request);
    let Reply { status, code, text, details, headers } = reply(failure);
    let body = Body { error: &text, code, request_id: request.as_str(), details: details.as_ref() };
    let body = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Bytes::from(body).into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
    response
}

fn log(failure: &Failure, request: RequestId) {
    match failure {
        Failure::Shop(Error::Internal(source)) => {
            tracing::error!(%request, error = %chain(&**source), "internal error");
        }
        Failure::Shop(Error::Provider { name, source }) => {
            tracing::warn!(%request, provider = name, error = %chain(&**source), "provider failed");
        }
        Failure::Panic => tracing::error!(%request, "the handler panicked"),
        _ => {}
    }
}

/// An error with everything below it: `cannot write: disk full: os error 28`.
fn chain(error: &dyn StdError) -> String {
    let below = error.source().map(|source| format!(": {}", chain(source)));
    format!("{error}{}", below.unwrap_or_default())
}

impl Reply {
    fn new(status: StatusCode, code: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, text: text.into(), details: None, headers: Vec::new() }
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Part of the body may still be under way, so the connection cannot be used again.
    fn close(self) -> Self {
        self.header(CONNECTION, HeaderValue::from_static("close"))
    }
}

fn reply(failure: Failure) -> Reply {
    use StatusCode as S;
    match failure {
        Failure::Shop(error) => shop(error),
        Failure::NoSuchPath => Reply::new(S::NOT_FOUND, "not_found", "Endereço não encontrado"),
        Failure::NoSuchMethod(allow) => {
            Reply::new(S::METHOD_NOT_ALLOWED, "method_not_allowed", "Método não permitido")
                .header(ALLOW, allow)
        }
        Failure::ForeignOrigin => Reply::new(S::FORBIDDEN, "foreign_origin", "Acesso negado"),
        Failure::TooMany(too_many) => rate_limited(too_many),
        Failure::NotJson => {
            Reply::new(S::BAD_REQUEST, "unsupported_content_type", "Payload inválido")
        }
        Failure::NotMultipart => {
            Reply::new(S::BAD_REQUEST, "unsupported_content_type", "Payload inválido").close()
        }
        Failure::MalformedForm => {
            Reply::new(S::BAD_REQUEST, "malformed_form", "Payload inválido").close()
        }
        Failure::MalformedJson => Reply::new(S::BAD_REQUEST, "malformed_json", "Payload inválido"),
        Failure::Unprocessable(fields) => invalid(S::UNPROCESSABLE_ENTITY, fields),
        Failure::TooLarge => {
            Reply::new(S::PAYLOAD_TOO_LARGE, "payload_too_large", "Conteúdo grande demais").close()
        }
        Failure::TooSlow => {
            Reply::new(S::REQUEST_TIMEOUT, "request_timeout", "Tempo esgotado").close()
        }
        Failure::BrokenBody => {
            Reply::new(S::BAD_REQUEST, "broken_body", "Payload inválido").close()
        }
        Failure::Panic => internal(),
    }
}

fn invalid(status: StatusCode, fields: FieldErrors) -> Reply {
    Reply { details: Some(fields), ..Reply::new(status, "invalid_input", "Dados inválidos") }
}

fn internal() -> Reply {
    Reply::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "Erro interno")
}

fn shop(error: Error) -> Reply {
    use StatusCode as S;
    match error {
        Error::Invalid(fields) => invalid(S::BAD_REQUEST, fields),
        Error::NotFound(what) => {
            let (code, text) = not_found(what);
            Reply::new(S::NOT_FOUND, code, text)
        }
        Error::Conflict(what) => {
            let (status, code, text) = conflict(&what);
            let details = users(what);
            Reply { details, ..Reply::new(status, code, text) }
        }
        Error::Refused(refusal) => refused(refusal),
        Error::Unauthenticated(credential) => {
            let (code, text) = unauthenticated(credential);
            Reply::new(S::UNAUTHORIZED, code, text)
        }
        Error::Forbidden => Reply::new(S::FORBIDDEN, "forbidden", "Acesso negado"),
        Error::Suspended => Reply::new(S::FORBIDDEN, "account_suspended", "Conta suspensa"),
        Error::Busy { retry_after } => {
            Reply::new(S::SERVICE_UNAVAILABLE, "busy", "Tente novamente em instantes")
                .header(RETRY_AFTER, seconds(retry_after))
        }
        // The specification wants 500 for a provider's failure, not 502.
        Error::Provider { .. } => Reply::new(
            S::INTERNAL_SERVER_ERROR,
            "provider_failure",
            "Falha no provedor externo. Tente novamente",
        ),
        Error::Internal(_) => internal(),
    }
}

fn not_found(what: Entity) -> (&'static str, &'static str) {
    match what {
        Entity::Account => ("account_not_found", "Conta não encontrada"),
        Entity::Address => ("address_not_found", "Endereço não encontrado"),
        Entity::Category => ("category_not_found", "Categoria não encontrada"),
        Entity::Product => ("product_not_found", "Produto não encontrado"),
        Entity::Variant => ("variant_not_found", "Variação não encontrada"),
        Entity::VariantType => ("variant_type_not_found", "Tipo de variação não encontrado"),
        Entity::VariantOption => ("variant_option_not_found", "Opção de variação não encontrada"),
        Entity::Review => ("review_not_found", "Avaliação não encontrada"),
        Entity::CartItem => ("cart_item_not_found", "Item não encontrado no carrinho"),
        Entity::WishlistItem => {
            ("wishlist_item_not_found", "O produto não está na lista de desejos")
        }
        Entity::Order => ("order_not_found", "Pedido não encontrado"),
        Entity::Payment => ("payment_not_found", "Pagamento não encontrado"),
        Entity::Notification => ("notification_not_found", "Notificação não encontrada"),
        Entity::Invoice => ("invoice_not_found", "NF-e não encontrada"),
        Entity::Media => ("media_not_found", "Arquivo não encontrado"),
        Entity::ApiKey => ("api_key_not_found", "API key não encontrada"),
        Entity::Webhook => ("webhook_not_found", "Webhook não encontrado"),
        Entity::WebhookDelivery => ("webhook_delivery_not_found", "Entrega não encontrada"),
        Entity::Event => ("event_not_found", "O evento não está mais guardado"),
        Entity::Coupon => ("coupon_not_found", "Cupom não encontrado"),
        Entity::Tariff => ("tariff_not_found", "Tarifa de frete não encontrada"),
    }
}

/// Who needs what cannot be deleted.
fn users(what: Conflict) -> Option<FieldErrors> {
    let Conflict::InUse { names } = what else { return None };
    let form_errors = names.into_iter().map(Cow::from).collect();
    Some(FieldErrors { form_errors, ..FieldErrors::default() })
}

fn conflict(what: &Conflict) -> (StatusCode, &'static str, &'static str) {
    let (code, text) = match what {
        Conflict::Changed => {
            let text = "Alterado por outra pessoa. Recarregue e tente novamente";
            return (StatusCode::PRECONDITION_FAILED, "changed_meanwhile", text);
        }
        Conflict::Email => ("email_taken", "E-mail já cadastrado"),
        Conflict::Slug => ("slug_taken", "Slug já cadastrado"),
        Conflict::Sku => ("sku_taken", "SKU já cadastrado"),
        Conflict::VariantOptions => {
            ("variant_exists", "O produto já tem uma variação com estas opções")
        }
        Conflict::VariantOption => ("option_exists", "O tipo de variação já tem esta opção"),
        Conflict::InUse { names: _ } => ("in_use", "Não pode ser excluído: está em uso"),
        Conflict::Subscription => ("already_subscribed", "E-mail já inscrito na newsletter"),
        Conflict::AdminAccount => {
            ("admin_account", "Uma conta de administrador não pode ser excluída")
        }
        Conflict::OpenOrders => (
            "open_orders",
            "Há pedidos em andamento. A conta pode ser excluída quando forem entregues ou cancelados",
        ),
        Conflict::CouponCode => ("coupon_code_taken", "Código de cupom já cadastrado"),
        Conflict::WishlistItem => ("already_on_wishlist", "O produto já está na lista de desejos"),
        Conflict::GoodsLeft => {
            ("goods_left", "A mercadoria já saiu: a NF-e não pode mais ser cancelada")
        }
        Conflict::InvoiceAuthorized => (
            "invoice_authorized",
            "A NF-e está autorizada: cancele-a em vez de inutilizar o número",
        ),
        Conflict::PaymentInProcess => (
            "payment_in_process",
            "Há outro pagamento deste pedido em análise. Aguarde alguns minutos",
        ),
        Conflict::Review => ("already_reviewed", "Você já avaliou este produto"),
        Conflict::InactiveWebhook => ("webhook_inactive", "Ative o webhook antes de reenviar"),
        Conflict::OwnAccount => ("own_account", "Você não pode suspender a própria conta"),
    };
    (StatusCode::CONFLICT, code, text)
}

fn unauthenticated(credential: Credential) -> (&'static str, &'static str) {
    match credential {
        Credential::Session => ("unauthenticated", "Não autenticado"),
        Credential::Login => ("invalid_credentials", "Email ou senha inválidos"),
        Credential::CurrentPassword => ("wrong_password", "Senha atual incorreta"),
        Credential::ApiKey => ("invalid_api_key", "API key inválida ou sem permissão"),
        Credential::Signature => ("invalid_signature", "Assinatura inválida"),
    }
}

fn refused(refusal: Refusal) -> Reply {
    let (code, text): (_, Cow<'static, str>) = match refusal {
        Refusal::EmptyCart => ("empty_cart", "O carrinho está vazio".into()),
        Refusal::InsufficientStock { name, available } => (
            "insufficient_stock",
            format!("Estoque insuficiente para {name} (disponível: {available})").into(),
        ),
        Refusal::InactiveProduct { name } => {
            ("product_inactive", format!("Produto indisponível: {name}").into())
        }
        Refusal::Coupon(refusal) => {
            let (code, text) = coupon(refusal);
            (code, text.into())
        }
        Refusal::UnknownShippingOption => {
            ("unknown_shipping_option", "Opção de frete indisponível".into())
        }
        Refusal::AmountOutOfRange(_) => {
            ("amount_out_of_range", "O valor do pedido não pode ser pago".into())
        }
        Refusal::AlreadyPaid => ("already_paid", "O pedido já foi pago".into()),
        Refusal::OrderNotPaid => ("order_not_paid", "O pedido não está pago".into()),
        Refusal::NfeRejected { code, text } => {
            ("nfe_rejected", format!("SEFAZ {code}: {text}").into())
        }
        Refusal::NfeDenied { code, text } => {
            ("nfe_denied", format!("Uso denegado pela SEFAZ ({code}): {text}").into())
        }
        Refusal::InvalidCardToken => {
            ("invalid_card_token", "Token do cartão inválido. Informe o cartão novamente".into())
        }
        Refusal::CardRejected(reason) => {
            let (code, text) = card_rejected(reason);
            return Reply::new(StatusCode::UNPROCESSABLE_ENTITY, code, text);
        }
        Refusal::NothingToRefund => {
            ("nothing_to_refund", "Não há pagamento a reembolsar neste pedido".into())
        }
        Refusal::RefundTooLarge { left } => {
            let left = left.to_string().replace('.', ",");
            ("refund_too_large", format!("Só é possível reembolsar até R$ {left}").into())
        }
        Refusal::RefundDeclined => {
            return Reply::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "refund_declined",
                "O provedor de pagamento recusou o reembolso",
            );
        }
        Refusal::OrderClosed => ("order_closed", "O pedido não pode mais ser pago".into()),
        Refusal::UnknownCep => {
            return Reply::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "cep_not_found",
                "CEP não encontrado",
            );
        }
        Refusal::ResetLink => (
            "invalid_reset_token",
            "Link de redefinição inválido ou expirado. Solicite um novo.".into(),
        ),
        Refusal::UnsubscribeLink => ("invalid_unsubscribe_token", "Link inválido".into()),
        Refusal::IdempotencyKeyReused => {
            return Reply::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency_key_reused",
                "A chave de idempotência já foi usada em outra requisição",
            );
        }
    };
    Reply::new(StatusCode::BAD_REQUEST, code, text)
}

/// The texts of section "Coupons".
pub(crate) fn coupon(refusal: CouponRefusal) -> (&'static str, &'static str) {
    match refusal {
        CouponRefusal::NotFound => ("coupon_not_found", "Cupom não encontrado"),
        CouponRefusal::Inactive => ("coupon_inactive", "Cupom inativo"),
        CouponRefusal::Expired => ("coupon_expired", "Cupom expirado"),
        CouponRefusal::UsedUp => ("coupon_used_up", "Limite de usos atingido"),
        CouponRefusal::BelowMinimum => ("coupon_below_minimum", "Pedido abaixo do valor mínimo"),
    }
}

/// What the customer can do about a card that was rejected.
fn card_rejected(reason: CardRejection) -> (&'static str, &'static str) {
    match reason {
        CardRejection::Number => ("card_bad_number", "Confira o número do cartão"),
        CardRejection::ExpiryDate => ("card_bad_expiry_date", "Confira a validade do cartão"),
        CardRejection::SecurityCode => {
            ("card_bad_security_code", "Confira o código de segurança do cartão")
        }
        CardRejection::CardData => ("card_bad_data", "Confira os dados do cartão"),
        CardRejection::CallForAuthorize => {
            ("card_call_for_authorize", "Autorize o pagamento com o banco do cartão")
        }
        CardRejection::Disabled => ("card_disabled", "Ative o cartão com o banco"),
        CardRejection::InsufficientAmount => {
            ("card_insufficient_amount", "Saldo ou limite insuficiente")
        }
        CardRejection::Installments => {
            ("card_invalid_installments", "O cartão não aceita esse número de parcelas")
        }
        CardRejection::Duplicated => {
            ("card_duplicated_payment", "Pagamento repetido. Confira se ele já foi feito")
        }
        CardRejection::MaxAttempts => {
            ("card_max_attempts", "Limite de tentativas atingido. Use outro meio de pagamento")
        }
        CardRejection::AuthenticationRequired => (
            "card_authentication_required",
            "O banco exige autenticação do cartão. Use outro meio de pagamento",
        ),
        CardRejection::HighRisk => ("card_high_risk", REJECTED),
        CardRejection::Blacklisted => ("card_blacklisted", REJECTED),
        CardRejection::CardError => ("card_error", REJECTED),
        CardRejection::Other => ("card_rejected", REJECTED),
    }
}

/// Where the reason is no help to an honest customer.
const REJECTED: &str = "Pagamento recusado; use outro meio";

/// Section "Limits": the wait in whole minutes, rounded up, as the specification words it.
fn rate_limited(too_many: TooMany) -> Reply {
    let minutes = too_many.retry_after.as_secs_f64() / 60.0;
    let text = format!("Muitas tentativas. Tente novamente em {:.0} minutos.", minutes.ceil());
    Reply::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", text)
        .header(RETRY_AFTER, seconds(too_many.retry_after))
        .header(HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from(too_many.max))
        .header(HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(0))
}

/// Whole seconds, rounded up: who waits that long has waited enough.
fn seconds(wait: Duration) -> HeaderValue {
    HeaderValue::from(wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_id::RequestIds;

    fn body(failure: Failure) -> (u16, serde_json::Value) {
        let response = render(failure, RequestIds::new().next());
        let status = response.status().as_u16();
        (status, serde_json::from_slice(response.body().whole().expect("whole")).expect("JSON"))
    }

    #[test]
    fn a_defect_shows_the_client_nothing_but_the_requests_name() {
        let secret = "disk /dev/sda1 is full";
        let provider = Error::Provider {
            name: "provider1",
            source: std::sync::Arc::new(std::io::Error::other(secret)),
        };
        for (error, code) in
            [(Error::internal(secret), "internal_error"), (provider, "provider_failure")]
        {
            let (status, body) = body(error.into());
            assert_eq!((status, &body["code"]), (500, &code.into()));
            assert!(!body.to_string().contains("sda1"), "{body}");
            assert!(body["requestId"].is_string());
        }
    }

    #[test]
    fn coupons_are_refused_in_the_words_of_the_specification() {
        for (refusal, text) in [
            (CouponRefusal::NotFound, "Cupom não encontrado"),
            (CouponRefusal::Inactive, "Cupom inativo"),
            (CouponRefusal::Expired, "Cupom expirado"),
            (CouponRefusal::UsedUp, "Limite de usos atingido"),
            (CouponRefusal::BelowMinimum, "Pedido abaixo do valor mínimo"),
        ] {
            let (status, body) = body(Error::Refused(Refusal::Coupon(refusal)).into());
            assert_eq!((status, &body["error"]), (400, &text.into()));
        }
    }

    #[test]
    fn who_must_wait_is_told_how_long_rounded_up() {
        let wait = |millis| TooMany { max: 10, retry_after: Duration::from_millis(millis) };
        for (millis, header, minutes) in [(1, "1", 1), (60_000, "60", 1), (60_001, "61", 2)] {
            let response = render(Failure::TooMany(wait(millis)), RequestIds::new().next());
            assert_eq!(response.headers()[RETRY_AFTER], header);
            let (status, body) = body(Failure::TooMany(wait(millis)));
            let text = format!("Muitas tentativas. Tente novamente em {minutes} minutos.");
            assert_eq!((status, &body["error"]), (429, &text.into()));
        }
        let busy = Error::Busy { retry_after: Duration::from_secs(2) };
        let response = render(busy.into(), RequestIds::new().next());
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "2");
    }
}
