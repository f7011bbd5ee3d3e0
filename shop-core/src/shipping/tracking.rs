//! Where carriers show the way of a parcel.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::config::TRACKING_CODE as CODE;
use crate::value::words::fold;

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
        assert!(KNOWN.iter().all(|(_, url)| url.starts_with("https://") && url.contains(CODE)));
    }
}
