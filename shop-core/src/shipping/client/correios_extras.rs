//! The additional services of Correios: declared value, proof of delivery, delivery in person.

use serde_json::{Value, json};

use crate::config::CorreiosConfig;
use crate::money::Money;

/// Proof of delivery, "aviso de recebimento" (AR).
const RECEIPT: &str = "001";
/// Delivery to the addressee alone, "mão própria" (MP).
const OWN_HAND: &str = "002";

/// What the shop wants besides the service itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extras {
    declares_value: bool,
    receipt: bool,
    own_hand: bool,
}

impl Extras {
    pub(super) fn of(config: &CorreiosConfig) -> Self {
        let &CorreiosConfig { declare_value, receipt, own_hand, .. } = config;
        Self { declares_value: declare_value, receipt, own_hand }
    }

    /// Adds them to the question for the price of a volume of this value. Without any the question
    /// does not mention them.
    pub(super) fn add_to(self, request: &mut Value, service: &str, value: Money) {
        let Some(family) = Family::of(service) else { return };
        let mut codes = Vec::new();
        if self.receipt && family.is_signed_for() {
            codes.push(RECEIPT);
        }
        if self.own_hand && family.is_signed_for() {
            codes.push(OWN_HAND);
        }
        if self.declares_value && value > family.covered() {
            codes.push(family.declared_value());
            request["vlDeclarado"] = value.min(family.most()).to_string().into();
        }
        if !codes.is_empty() {
            let list = codes.into_iter().map(|code| json!({ "coServAdicional": code }));
            request["servicosAdicionais"] = list.collect();
        }
    }
}

/// Services with the same codes of additional services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Sedex,
    Pac,
    MiniEnvios,
}

impl Family {
    /// None for a service that is not known here: no code is surely right for it.
    fn of(service: &str) -> Option<Self> {
        match service {
            "03220" | "03140" | "03158" | "03204" => Some(Self::Sedex),
            "03298" => Some(Self::Pac),
            "04227" => Some(Self::MiniEnvios),
            _ => None,
        }
    }

    /// Declared value, "valor declarado" (VD), has a code for each family.
    fn declared_value(self) -> &'static str {
        match self {
            Self::Sedex => "019",
            Self::Pac => "064",
            Self::MiniEnvios => "065",
        }
    }

    /// What a loss is made good for without a declared value. Less cannot be declared.
    fn covered(self) -> Money {
        match self {
            Self::Sedex | Self::Pac => Money::from_cents(2563),
            Self::MiniEnvios => Money::from_cents(1282),
        }
    }

    /// The most that can be declared.
    fn most(self) -> Money {
        match self {
            Self::Sedex => Money::from_cents(1_000_000),
            Self::Pac => Money::from_cents(300_000),
            Self::MiniEnvios => Money::from_cents(10_000),
        }
    }

    /// Whether it is handed to a person, so that one can sign for it.
    fn is_signed_for(self) -> bool {
        self != Self::MiniEnvios
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(extras: Extras, service: &str, cents: i64) -> Value {
        let mut request = json!({});
        extras.add_to(&mut request, service, Money::from_cents(cents));
        request
    }

    #[test]
    fn each_service_has_its_own_code_of_declared_value() {
        let extras = Extras { declares_value: true, receipt: false, own_hand: false };
        for (service, code) in [("03220", "019"), ("03298", "064"), ("04227", "065")] {
            let declared = json!({
                "vlDeclarado": "90.00", "servicosAdicionais": [{ "coServAdicional": code }]
            });
            assert_eq!(asked(extras, service, 9_000), declared, "{service}");
        }
        assert_eq!(asked(extras, "99999", 11_960), json!({}), "an unknown service");
    }

    #[test]
    fn what_is_covered_anyway_is_not_declared_and_no_more_than_correios_take() {
        let extras = Extras { declares_value: true, receipt: false, own_hand: false };
        assert_eq!(asked(extras, "03298", 2563), json!({}));
        assert_eq!(asked(extras, "03298", 2564)["vlDeclarado"], "25.64");
        for (service, most) in [("03220", "10000.00"), ("03298", "3000.00"), ("04227", "100.00")] {
            assert_eq!(asked(extras, service, 1_234_567)["vlDeclarado"], most, "{service}");
        }
    }

    #[test]
    fn nobody_signs_for_mini_envios() {
        let extras = Extras { declares_value: false, receipt: true, own_hand: true };
        let both = json!([{ "coServAdicional": "001" }, { "coServAdicional": "002" }]);
        assert_eq!(asked(extras, "03220", 100)["servicosAdicionais"], both);
        assert_eq!(asked(extras, "04227", 100), json!({}));
    }
}
