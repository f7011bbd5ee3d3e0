//! Values that are parsed once, at the edge, and right ever after.
//!
//! Each type says in its JSON schema what it takes (length, range or a `format`), so a server can
//! name every wrong field of a body at once, and refuses anything else when it is deserialised, so
//! a typed caller cannot hold a wrong one. What is wrong is a code with its values
//! ([`InvalidValue`]), for a surface to say in its own words.

mod analytics_id;
mod cep;
mod cnpj;
mod cpf;
mod email;
pub(crate) mod holiday;
mod invalid;
mod length;
mod mailbox;
mod number;
mod origin;
mod patch;
mod picture_url;
mod pix_key;
mod plain;
mod price;
mod since_until;
mod slug;
mod state_registration;
mod text;
mod uf;
mod webhook_url;
mod weight;
mod wire_enum;
pub(crate) mod words;

pub(crate) use crate::forms::{deserialize_by_from_str, inline_schema};
pub use analytics_id::AnalyticsId;
pub use cep::Cep;
pub use cnpj::Cnpj;
#[cfg(feature = "nfe")]
pub(crate) use cnpj::check_digit as cnpj_check_digit;
pub use cpf::Cpf;
pub use email::Email;
pub use invalid::InvalidValue;
pub use length::Length;
pub use mailbox::Mailbox;
pub use number::{
    Installments, Quantity, Rating, StockChangeBy, StockLevel, UseLimit, whole_number,
};
pub use origin::Origin;
#[cfg(feature = "schema")]
pub(crate) use patch::without_null;
pub use patch::{not_null, nullable};
pub use picture_url::PictureUrl;
pub(crate) use pix_key::is_pix_key;
pub(crate) use plain::{digits, without_punctuation};
pub use price::{Price, compare_price, nullable_compare_price};
pub use since_until::{Since, Until};
pub use slug::Slug;
pub use state_registration::StateRegistration;
pub(crate) use text::check_length;
pub use text::{OptionalText, Text, check_characters, trim};
pub use uf::Uf;
pub use webhook_url::WebhookUrl;
pub use weight::Weight;
pub use wire_enum::UnknownWord;
pub(crate) use wire_enum::{Words, wire_enum, words};

/// Gives a text value its serde, display and schema forms, all by way of its `FromStr`.
macro_rules! text_value {
    ($name:ident, $format:literal) => {
        impl $name {
            /// The value as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        $crate::value::deserialize_by_from_str!($name);

        $crate::value::inline_schema!($name, { "type": "string", "format": $format });
    };
}
use text_value;
