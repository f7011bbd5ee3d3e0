//! The port to the authoriser of invoices: the tax office, or the sandbox that plays it.

use futures_util::future::BoxFuture;

use super::key::AccessKey;

/// An office that authorises invoices.
///
/// Implementations carry documents and translate answers; they hold no rule of the shop and keep
/// nothing. Every document is stored before it is handed over, and [`NfeIssuer::status_of`] is
/// asked before anything is handed over a second time, so an implementation never repeats a call by
/// itself. The shop waits for a call for as long as `nfe.timeout_ms` says, and then drops its
/// future: that is [`IssuerError::NoAnswer`].
pub trait NfeIssuer: Send + Sync + 'static {
    /// Its name, for logs.
    fn name(&self) -> &'static str;

    /// Asks for the authorisation of one signed invoice: `nfe` is the `NFe` element, without an XML
    /// declaration, to be spliced into a request as it is.
    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>>;

    /// What the office knows of an invoice.
    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>>;

    /// Registers the signed event (the `evento` element) that cancels an authorised invoice.
    fn cancel<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>>;

    /// Registers a signed correction letter (the `evento` element). Without an implementation of
    /// its own an office takes none.
    fn correct<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        let _ = (event, key);
        Box::pin(std::future::ready(Err(IssuerError::Unusable(NO_CORRECTIONS.to_owned()))))
    }

    /// The correction letter that an invoice has under this number, if it has one.
    fn correction_of<'a>(
        &'a self,
        key: &'a AccessKey,
        sequence: u8,
    ) -> BoxFuture<'a, Result<Option<KnownCorrection>, IssuerError>> {
        let _ = (key, sequence);
        Box::pin(std::future::ready(Err(IssuerError::Unusable(NO_CORRECTIONS.to_owned()))))
    }

    /// Makes numbers that no invoice has invalid for good: `request` is the signed `inutNFe`
    /// element.
    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>>;
}

const NO_CORRECTIONS: &str = "this office takes no correction letters";

/// A correction letter as an office has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCorrection {
    /// What it says (`xCorrecao`).
    pub text: String,
    /// The `retEvento` element of its registration.
    pub answer: String,
}

/// An office's answer about an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It may be used.
    Authorized {
        /// The `protNFe` element as it came, for the `nfeProc`.
        protocol: String,
    },
    /// Its use was denied for good, because of who issues or receives it: the number is used up.
    /// No office denies since September 2024 (Ajuste SINIEF 43/23); a look-up may still say so of
    /// an older invoice.
    Denied {
        /// The office's code.
        code: u16,
        /// The office's text.
        text: String,
        /// The `protNFe` element, where one came.
        protocol: Option<String>,
    },
    /// It is not accepted as it is; nothing was registered.
    Rejected {
        /// The office's code.
        code: u16,
        /// The office's text.
        text: String,
    },
    /// It was received and is not decided yet: ask [`NfeIssuer::status_of`] later.
    Processing {
        /// The receipt's number, where one came.
        receipt: Option<String>,
    },
    /// The office has an invoice with this key already (204): ask [`NfeIssuer::status_of`].
    Duplicate {
        /// The office's text.
        text: String,
    },
    /// It was authorised and then cancelled. Only [`NfeIssuer::status_of`] says so.
    Cancelled {
        /// The `protNFe` element, where one came.
        protocol: Option<String>,
        /// The `retEvento` element of the cancellation, where one came.
        event: Option<String>,
    },
    /// The office has no such invoice (217). Only [`NfeIssuer::status_of`] says so.
    Unknown,
}

/// The office's code for an event whose number another event of the same invoice has.
pub(crate) const DUPLICATE_EVENT: u16 = 573;

/// The office has the number, with another key.
pub(crate) const NUMBER_TAKEN: u16 = 539;

/// An office's answer about an event or about numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Registered {
    /// It is registered.
    Accepted {
        /// The element that says so as it came: `retEvento`, or `retInutNFe`.
        answer: String,
    },
    /// It was registered before (573 for an event, 563 for numbers).
    Already {
        /// The office's text.
        text: String,
    },
    /// It is not accepted.
    Rejected {
        /// The office's code.
        code: u16,
        /// The office's text.
        text: String,
    },
}

/// Why there is no answer. Whatever was handed over may have been processed all the same, unless it
/// is said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    /// It cannot be reached: nothing was handed over.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// It did not answer in time, or broke off.
    #[error("no answer: {0}")]
    NoAnswer(String),
    /// Its answer makes no sense.
    #[error("the answer is not understood: {0}")]
    Garbage(String),
    /// It cannot be asked with these settings.
    #[error("unusable settings: {0}")]
    Unusable(String),
}
