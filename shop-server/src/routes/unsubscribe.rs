//! Leaving the newsletter by the link of a mail: a page with a button for people, and the one click
//! of mail programs (RFC 8058), which is the same request. Following the link changes nothing,
//! because programs that look for dangerous mails follow links too.

use bytes::Bytes;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, REFERRER_POLICY};

use crate::app::Head;
use crate::input::{Content, Input};
use crate::openapi::{Operation, Schemas};
use crate::routes::prelude::*;

const LINK: &str = "/api/newsletter/unsubscribe/link";
/// What the form says, and what mail programs send (RFC 8058, section 3.2).
const ONE_CLICK: (&str, &str) = ("List-Unsubscribe", "One-Click");

const STYLE: &str = include_str!("unsubscribe.css");
/// Nothing is loaded and nothing runs; the one style is named by its hash.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'sha256-9UJ8yTfhzF+wUD10CQ6OoXYsb6lOGsozauBXcoFiH2I='; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// The address holds the reader's link.
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, LINK, "unsubscribePage", page)
            .about("The page of a mail's link to leave the newsletter; changes nothing")
            .fails(&[Code::InvalidUnsubscribeToken])
            .media(&["text/html; charset=utf-8"]),
        public(Method::POST, LINK, "unsubscribeByLink", unsubscribe)
            .about("Leave the newsletter by a mail's link: by the page's button, or in one click")
            .fails(&[Code::InvalidUnsubscribeToken])
            .media(&["text/html; charset=utf-8"])
            .body_limit(4 * 1024),
        // Where the links of older mails lead.
        public(Method::GET, "/api/newsletter/unsubscribe", "followUnsubscribeLink", page)
            .about("The same page, for the links of older mails")
            .fails(&[Code::InvalidUnsubscribeToken])
            .media(&["text/html; charset=utf-8"]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Link {
    /// What the link carries.
    token: String,
}

/// The form that confirms it.
struct OneClick;

impl Input for OneClick {
    const BODY: Content = Content::Whole;

    /// As a form of either kind: mail programs may send both.
    fn parse(_: &Head, body: &Bytes) -> Result<Self, Failure> {
        let (name, value) = (ONE_CLICK.0.as_bytes(), ONE_CLICK.1.as_bytes());
        let has = |text: &[u8]| body.windows(text.len()).any(|window| window == text);
        if has(name) && has(value) { Ok(Self) } else { Err(Failure::MalformedForm) }
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.takes_form(ONE_CLICK.0, ONE_CLICK.1);
    }
}

async fn page(call: Call<Public>, Query(link): Query<Link>) -> Result<WithHeaders<File>> {
    call.shop().newsletter().check_link(&link.token)?;
    let (name, value) = ONE_CLICK;
    // A token that holds is base64url with one dot: nothing in it must be escaped.
    Ok(html(
        "Cancelar inscrição",
        &format!(
            "<p>Você não quer mais receber nossas novidades por e-mail?</p>\
             <form method=\"post\" action=\"{LINK}?token={}\">\
             <input type=\"hidden\" name=\"{name}\" value=\"{value}\">\
             <button>Cancelar inscrição</button></form>",
            link.token
        ),
    ))
}

async fn unsubscribe(
    call: Call<Public>,
    Query(link): Query<Link>,
    OneClick: OneClick,
) -> Result<WithHeaders<File>> {
    call.shop().newsletter().unsubscribe_by_link(&link.token).await?;
    Ok(html(
        "Inscrição cancelada",
        "<p>Pronto: você não receberá mais nossas novidades por e-mail.</p>",
    ))
}

/// A page of its own. What it is given is HTML already.
pub(super) fn html(heading: &str, content: &str) -> WithHeaders<File> {
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"pt-BR\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{heading}</title>\
         <style>{STYLE}</style></head>\n\
         <body><main><h1>{heading}</h1>{content}</main></body></html>\n"
    );
    let headers = [(CONTENT_SECURITY_POLICY, POLICY), (REFERRER_POLICY, NO_REFERRER)];
    WithHeaders(File { content_type: HTML, body: page.into() }, HeaderMap::from_iter(headers))
}
