//! The setting `shipping.tracking_urls`: where carriers show the way of a parcel.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Stands for the tracking code in an address.
pub(crate) const CODE: &str = "{code}";

/// Reads the addresses of the settings: a table of carriers, or a list of `carrier=address`.
///
/// # Errors
/// Names the carrier whose address is none, and what would be one.
pub(super) fn tracking_urls<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Table(BTreeMap<String, String>),
        List(Vec<String>),
    }
    let urls = match Given::deserialize(deserializer)? {
        Given::Table(urls) => urls,
        Given::List(pairs) => pairs
            .iter()
            .map(|pair| pair.split_once('=').ok_or_else(|| wrong(pair, "")))
            .map(|pair| pair.map(|(name, url)| (name.trim().to_owned(), url.trim().to_owned())))
            .collect::<Result<_, D::Error>>()?,
    };
    match urls.iter().find(|(name, url)| name.trim().is_empty() || !is_page(url)) {
        Some((name, url)) => Err(wrong(name, url)),
        None => Ok(urls),
    }
}

fn wrong<E: Error>(name: &str, url: impl Display) -> E {
    E::custom(format!(
        "shipping.tracking_urls: `{name}` has `{url}`; it must be a carrier's name with an https \
         address that has {CODE} in its path or query, as Rapidex = \
         \"https://rapidex.example/track?code={CODE}\""
    ))
}

/// Whether an address leads to a host of its own by https, whatever the code is.
fn is_page(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let Some((host, path)) = rest.split_once('/') else { return false };
    let named = !host.is_empty() && !host.contains(['{', '@', '?', '#']);
    named && path.contains(CODE) && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_addresses_with_a_place_for_the_code_are_taken() {
        for good in ["https://a.example/{code}", "https://a.example/t?c={code}&x=1"] {
            assert!(is_page(good), "{good}");
        }
        for bad in [
            "http://a.example/{code}",
            "https://a.example/",
            "https://a.example",
            "https:///{code}",
            "https://{code}.example/{code}",
            "https://a@b.example/{code}",
            "javascript:alert('{code}')",
            "https://a.example/{code} x",
        ] {
            assert!(!is_page(bad), "{bad}");
        }
    }
}
