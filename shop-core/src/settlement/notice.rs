//! Notices of provider1, and their signature (docs/decisions.md, "Notices of provider1").

use std::time::Duration;

use super::{Payments, confirm};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Credential, Error, Result};
use crate::mac::Mac;
use crate::payment::Provider;

/// The parts of a provider's notice that its signature covers. The body is not among them and is
/// never believed: the payment is read from the provider instead.
#[derive(Debug, Clone, Default)]
pub struct ProviderNotice {
    /// `data.id` of the query: the provider's id of the payment.
    pub data_id: Option<String>,
    /// Header `x-request-id`.
    pub request_id: Option<String>,
    /// Header `x-signature`: `ts=<time>,v1=<hex>`.
    pub signature: Option<String>,
    /// `type` of the query: what the notice is about, if not a payment.
    pub kind: Option<String>,
}

impl Payments<'_> {
    /// Takes a notice of provider1: verifies its signature before anything else is looked at, asks
    /// the provider for the payment it names, and applies what the provider says. Notices may
    /// come in any order and any number of times.
    ///
    /// # Errors
    /// [`crate::Error::Unauthenticated`] when the signature does not hold;
    /// [`crate::Error::Provider`] when the payment cannot be read now, so that the provider sends
    /// the notice again.
    ///
    /// Cancel safe: one transaction, done or not, after the question to the provider.
    #[tracing::instrument(name = "payment.receive_notice", level = "debug", skip_all)]
    pub async fn receive_notice(&self, notice: ProviderNotice) -> Result<()> {
        let tolerance = self.settlement.cx.config().payments.provider1.webhook_tolerance_seconds;
        verify(
            &notice,
            &self.settlement.providers.provider1_secrets,
            self.settlement.cx.now(),
            Duration::from_secs(tolerance),
        )?;
        let about_payment = notice.kind.as_deref().is_none_or(|kind| kind == "payment");
        match given(notice.data_id.as_deref()) {
            Some(id) if about_payment => {
                confirm::fetch_told(self.settlement, Provider::Provider1, id).await
            }
            // Correctly signed and about no payment: nothing to do, and nothing to repeat.
            id => {
                let kind = notice.kind.as_deref();
                tracing::info!(
                    id,
                    kind,
                    "a notice of provider1 is dropped: it is about no payment"
                );
                Ok(())
            }
        }
    }
}

/// A value that is empty is none.
fn given(value: Option<&str>) -> Option<&str> {
    value.filter(|value| !value.is_empty())
}

/// Whether a notice is the provider's own and of these days.
fn verify(
    notice: &ProviderNotice,
    secrets: &[Secret],
    now: Timestamp,
    tolerance: Duration,
) -> Result<()> {
    let refused = || Error::Unauthenticated(Credential::Signature);
    let signature = notice.signature.as_deref().and_then(Signature::parse).ok_or_else(refused)?;
    let at = signature.time().ok_or_else(refused)?;
    if at < now.minus(tolerance) || at > now.plus(tolerance) {
        return Err(refused());
    }
    // The documentation wants an alphanumeric id in lower case, the official libraries sign it as
    // it is: either is the provider's own.
    let id = given(notice.data_id.as_deref());
    let (lower, request) = (id.map(str::to_lowercase), given(notice.request_id.as_deref()));
    let holds = secrets.iter().map(Secret::reveal).any(|secret| {
        signature.matches(secret, id, request)
            || signature.matches(secret, lower.as_deref(), request)
    });
    if holds { Ok(()) } else { Err(refused()) }
}

/// The header `x-signature`, taken apart.
struct Signature<'a> {
    ts: &'a str,
    v1: Vec<u8>,
}

impl<'a> Signature<'a> {
    fn parse(header: &'a str) -> Option<Self> {
        let (mut ts, mut v1) = (None, None);
        for pair in header.split(',') {
            // As the provider's own library reads it: what is no pair says nothing.
            let Some((key, value)) = pair.split_once('=') else { continue };
            match key.trim().to_ascii_lowercase().as_str() {
                "ts" => ts = Some(value.trim()),
                "v1" => v1 = Some(hex::decode(value.trim()).ok()?),
                _ => {}
            }
        }
        Some(Self { ts: ts?, v1: v1? })
    }

    /// The provider writes seconds in one place and milliseconds in another.
    fn time(&self) -> Option<Timestamp> {
        let digits = self.ts.bytes().all(|b| b.is_ascii_digit());
        let number: i64 = self.ts.parse().ok().filter(|_| digits)?;
        let millis = if number > 100_000_000_000 { number } else { number * 1000 };
        Some(Timestamp::from_millis(millis))
    }

    /// Compares in constant time.
    fn matches(&self, secret: &str, id: Option<&str>, request_id: Option<&str>) -> bool {
        let manifest = manifest(id, request_id, self.ts);
        let mac = Mac::new(secret.as_bytes(), &[manifest.as_bytes()]);
        mac.is_ok_and(|mac| mac.is(&self.v1))
    }
}

/// What is signed; a pair without a value is left out.
fn manifest(id: Option<&str>, request_id: Option<&str>, ts: &str) -> String {
    let id = id.map(|id| format!("id:{id};")).unwrap_or_default();
    let request_id = request_id.map(|id| format!("request-id:{id};")).unwrap_or_default();
    format!("{id}{request_id}ts:{ts};")
}

/// Signs a notice like the provider does, for the sandbox.
pub(super) fn sign(secret: &str, data_id: &str, request_id: &str, now: Timestamp) -> String {
    let ts = now.millis().to_string();
    let manifest = manifest(Some(data_id), Some(request_id), &ts);
    let mac = Mac::new(secret.as_bytes(), &[manifest.as_bytes()]).map(Mac::bytes);
    format!("ts={ts},v1={}", mac.map(hex::encode).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "test-mp-webhook-secret-0001";
    const REQUEST: &str = "bb56a2f1-6aae-46ac-982e-9dcd3581d08e";
    const NOW: Timestamp = Timestamp::from_millis(1_760_000_010_000);

    fn check(id: Option<&str>, request: Option<&str>, header: &str, now: Timestamp) -> bool {
        let notice = ProviderNotice {
            data_id: id.map(Into::into),
            request_id: request.map(Into::into),
            signature: Some(header.into()),
            kind: None,
        };
        let secrets = [Secret::new("another"), Secret::new(SECRET)];
        verify(&notice, &secrets, now, Duration::from_secs(300)).is_ok()
    }

    // Signed by the provider's official library.
    const VECTORS: [(Option<&str>, Option<&str>, &str); 6] = [
        (
            Some("123456789"),
            Some(REQUEST),
            "ts=1760000000,v1=7c0b8196d91d30da20af45c895dc9d7c702fbd6e084e9922ec561535fe17288f",
        ),
        (
            Some("123456789"),
            Some(REQUEST),
            "ts=1760000000123,v1=5f1456f938811fb8c83bf3243749d2fd117413c2422cb672741437ef4207d4da",
        ),
        (
            Some("123456789"),
            None,
            "ts=1760000000,v1=d6577d39715c206aee6cd6d699aa9a7b3c09b185889b82c13f186a7299d3241c",
        ),
        (
            None,
            Some(REQUEST),
            "ts=1760000000,v1=1bbf223d5ea34878574db0c0d5d3aab8f2f408d75792ea47c51a10dc52338d11",
        ),
        (
            Some("ORDTST01ABC"),
            Some(REQUEST),
            "ts=1760000000,v1=bd7e6ae8f7865fc99f06b54ed8851582bc4748ca4e32ffa8a853afe85fd02442",
        ),
        (
            Some("ORDTST01ABC"),
            Some(REQUEST),
            "ts=1760000000,v1=a5245a8a89df1535997c01bb5b2c8ca8c7d529fb3fad905a246647bea6736934",
        ),
    ];

    #[test]
    fn the_official_librarys_signatures_hold() {
        for (id, request, header) in VECTORS {
            assert!(check(id, request, header, NOW), "{header}");
        }
    }

    #[test]
    fn what_is_empty_is_left_out_as_the_official_library_leaves_it_out() {
        assert!(check(Some(""), VECTORS[3].1, VECTORS[3].2, NOW));
        assert!(check(VECTORS[2].0, Some(""), VECTORS[2].2, NOW));
        assert!(check(VECTORS[0].0, VECTORS[0].1, &VECTORS[0].2.replace(',', ",,"), NOW));
    }

    #[test]
    fn a_changed_byte_another_secret_or_an_old_notice_does_not_hold() {
        let (id, request, header) = VECTORS[0];
        for i in 0..header.len() {
            let mut bytes = header.as_bytes().to_vec();
            bytes[i] ^= 1;
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!check(id, request, &changed, NOW), "{changed}");
        }
        assert!(!check(Some("123456780"), request, header, NOW));
        assert!(!check(id, None, header, NOW));
        assert!(check(id, request, header, NOW.plus(Duration::from_secs(290))));
        assert!(!check(id, request, header, NOW.plus(Duration::from_secs(291))));
        assert!(!check(id, request, header, NOW.minus(Duration::from_secs(311))));
    }

    #[test]
    fn what_we_sign_we_believe() {
        let header = sign(SECRET, "42", REQUEST, NOW);
        assert!(check(Some("42"), Some(REQUEST), &header, NOW));
    }
}
