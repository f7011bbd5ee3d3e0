//! Brazilian electronic invoices (NF-e, model 55, layout 4.00).

mod certificate;
pub mod danfe;
mod issuer;
mod key;
mod signature;

pub use self::certificate::{Certificate, CertificateError};
pub use self::issuer::{IssuerError, NfeIssuer, Outcome, Registered};
pub use self::key::{AccessKey, Cnpj, KeyParts, is_random_code};
