//! How payment providers sign what they send, written down a second time: the shop's own code is
//! not asked.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use shop_core::settlement::{ProviderNotice, SignedEvent};

pub(crate) fn hmac(secret: &str, text: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    mac.update(text);
    hex::encode(mac.finalize().into_bytes())
}

/// A notice of provider1 about a payment.
pub(crate) fn notice(secret: &str, id: &str, seconds: i64) -> ProviderNotice {
    let request = format!("request-{id}-{seconds}");
    let v1 = hmac(secret, format!("id:{id};request-id:{request};ts:{seconds};").as_bytes());
    ProviderNotice {
        data_id: Some(id.to_owned()),
        request_id: Some(request),
        signature: Some(format!("ts={seconds},v1={v1}")),
        kind: Some("payment".to_owned()),
    }
}

/// An event of provider2.
pub(crate) fn event(secret: &str, body: &serde_json::Value, seconds: i64) -> SignedEvent {
    let body = body.to_string().into_bytes();
    SignedEvent { signature: Some(event_signature(secret, &body, seconds)), body }
}

pub(crate) fn event_signature(secret: &str, body: &[u8], seconds: i64) -> String {
    let v1 = hmac(secret, &[format!("{seconds}.").as_bytes(), body].concat());
    format!("t={seconds},v1={v1}")
}
