//! Where carriers show the way of a parcel.

use std::collections::BTreeMap;
use std::fmt::Display;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::catalog::fold;

/// Stands for the tracking code in an address.
const CODE: &str = "{code}";

/// The pages of carriers, by what their names have in them.
const KNOWN: &[(&str, &str)] = &[
    ("correios", "https://rastreamento.correios.com.br/app/index.php?objetos={code}"),
    ("sedex", "https://rastreamento.correios.com.br/app/index.php?objetos={code}"),
    ("jadlog", "https://www.jadlog.com.br/siteInstitucional/tracking.jad?cte={code}"),
    ("loggi", "https://www.loggi.com/rastreador/{code}"),
    ("azul cargo", "https://www.azulcargoexpress.com.br/Rastreio/Rastreio?awb={code}"),
    ("total express", "https://totalconecta.totalexpress.com.br/rastreamento/?codigo={code}"),
    ("melhor envio", "https://www.melhorrastreio.com.br/rastreio/{code}"),
];

/// The page on which a carrier shows the parcel of a code; nothing where the carrier is not known.
/// Those of the settings come before the built-in ones. Names are compared without regard to case
/// and accents, and one that is part of what staff entered is enough: `Correios PAC`.
pub(crate) fn tracking_url(
    configured: &BTreeMap<String, String>,
    carrier: Option<&str>,
    code: &str,
) -> Option<String> {
    let carrier = fold(carrier?);
    let own = configured.iter().map(|(name, url)| (fold(name), url.as_str()));
    let known = KNOWN.iter().map(|(name, url)| ((*name).to_owned(), *url));
    let (_, url) = own.chain(known).find(|(name, _)| carrier.contains(name.as_str()))?;
    Some(url.replace(CODE, &utf8_percent_encode(code, NON_ALPHANUMERIC).to_string()))
}

/// Reads the addresses of the settings: a table of carriers, or a list of `carrier=address`.
///
/// # Errors
/// Names the carrier whose address is none, and what would be one.
pub(crate) fn tracking_urls<'de, D: Deserializer<'de>>(
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

    fn url(carrier: &str, code: &str) -> Option<String> {
        let own = [("Rapidéx".to_owned(), "https://rapidex.example/t?c={code}".to_owned())];
        tracking_url(&own.into(), Some(carrier), code)
    }

    #[test]
    fn a_carriers_page_is_found_by_what_staff_entered_and_the_code_is_encoded() {
        let correios = "https://rastreamento.correios.com.br/app/index.php?objetos=AA123456789BR";
        for name in ["Correios", "correios PAC", "SEDEX", "Correíos (Sedex)"] {
            assert_eq!(url(name, "AA123456789BR").as_deref(), Some(correios), "{name}");
        }
        let encoded = "https://rapidex.example/t?c=a%26b%3D%2F%3F%23";
        assert_eq!(url("RAPIDEX", "a&b=/?#").as_deref(), Some(encoded));
        assert_eq!(url("Motoboy", "1"), None);
        assert_eq!(tracking_url(&BTreeMap::new(), None, "1"), None);
        assert!(KNOWN.iter().all(|(_, url)| is_page(url)));
    }

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
