//! Settings of the taxes of the reform, IBS and CBS.
//!
//! Under Simples Nacional and as a micro-entrepreneur nobody has to show them yet, and how they
//! will be shown was not published when this was written (docs/decisions.md, "Electronic invoices
//! (NF-e)"). What is here lets a shop try them in homologação.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer};

use super::finding::Findings;
use crate::fiscal::{TaxEnvironment, demand};

settings! {
    /// The taxes of the reform, IBS and CBS, which invoices leave out until they have rates.
    pub struct IbsCbsConfig {
        /// Their rates by the day from which on each holds, the earliest first.
        #[serde(deserialize_with = "rates")]
        pub rates: Vec<ReformRates>,
    }
}

/// The rates of IBS and CBS from a day on, in percent. None has a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReformRates {
    /// The first day.
    pub from: NaiveDate,
    /// The state's part of IBS.
    pub ibs_state: Decimal,
    /// The city's part of IBS.
    pub ibs_city: Decimal,
    /// CBS.
    pub cbs: Decimal,
}

impl IbsCbsConfig {
    /// The rates that hold on a day. Those of the years before end where the law has others:
    /// without an entry of their own, invoices of 2027 show none.
    pub fn on(&self, day: NaiveDate) -> Option<ReformRates> {
        let latest = self.rates.iter().rfind(|rates| rates.from <= day)?;
        (demand::ibs_rates(latest.from) == demand::ibs_rates(day)).then_some(*latest)
    }

    pub(super) fn look(&self, environment: TaxEnvironment, found: &mut Findings) {
        const KEY: &str = "nfe.ibs_cbs.rates";
        if !self.rates.is_sorted_by(|one, next| one.from < next.from) {
            found.error(KEY, "its days must ascend".to_owned());
        }
        if environment == TaxEnvironment::Production && !self.rates.is_empty() {
            let what = "in producao, companies under Simples Nacional and micro-entrepreneurs show \
                        no IBS and CBS: no rule demands it, and how they will show it is not \
                        published; leave it out";
            found.error(KEY, what.to_owned());
        }
        for rates in &self.rates {
            if let Some(what) = rates.contradiction() {
                found.error(KEY, format!("from {}: {what}", rates.from));
            }
        }
    }
}

impl ReformRates {
    /// What the law says of the day that these rates do not.
    fn contradiction(&self) -> Option<String> {
        let Self { from, ibs_state, ibs_city, cbs } = self;
        if let Some((state, city)) = demand::ibs_rates(*from)
            && (*ibs_state, *ibs_city) != (state, city)
        {
            return Some(format!(
                "IBS is {ibs_state} and {ibs_city}, which are the rates of another year: invoices \
                 of that day are refused (1026, 1036) but with {state} for the state and {city} \
                 for the city"
            ));
        }
        match demand::cbs_rate(*from) {
            Some(rate) if *cbs != rate => Some(format!(
                "CBS is {cbs}: invoices of that day are refused (1037) but with {rate}"
            )),
            None if Some(*cbs) == demand::cbs_rate(NaiveDate::MIN) => {
                Some(format!("CBS is {cbs}, which is the rate of 2026 (1037)"))
            }
            _ => None,
        }
    }
}

/// Reads a list of texts (`2026-01-01=0.10/0/0.90`: the day, IBS of state and city, CBS) or tables.
fn rates<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ReformRates>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Text(String),
        Table(Written),
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        from: String,
        ibs_state: String,
        ibs_city: String,
        cbs: String,
    }
    let wrong = || {
        serde::de::Error::custom(
            "nfe.ibs_cbs.rates: expected a day with three percentages of at most four decimals, as \
             2026-01-01=0.10/0/0.90",
        )
    };
    let read = |given: Given| {
        let (from, rates) = match &given {
            Given::Text(text) => {
                let (from, rates) = text.split_once('=')?;
                (from, rates.split('/').collect())
            }
            Given::Table(Written { from, ibs_state, ibs_city, cbs }) => {
                (&**from, vec![&**ibs_state, ibs_city, cbs])
            }
        };
        let rates: Vec<Decimal> = rates.into_iter().map(rate).collect::<Option<_>>()?;
        let [ibs_state, ibs_city, cbs] = rates[..] else { return None };
        Some(ReformRates { from: from.trim().parse().ok()?, ibs_state, ibs_city, cbs })
    };
    let given = Vec::<Given>::deserialize(deserializer)?;
    given.into_iter().map(|given| read(given).ok_or_else(wrong)).collect()
}

pub(super) fn rate(text: &str) -> Option<Decimal> {
    let rate = Decimal::from_str_exact(text.trim()).ok()?;
    let is_rate = rate >= Decimal::ZERO && rate <= Decimal::ONE_HUNDRED && rate.scale() <= 4;
    is_rate.then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn mistake(toml: &str) -> String {
        Config::parse(toml, []).map(drop).expect_err("unusable").to_string()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    #[test]
    fn rates_stand_in_a_file_or_a_variable_and_hold_from_their_day_to_the_end_of_their_years() {
        let tables = "[[nfe.ibs_cbs.rates]]\nfrom = '2026-12-01'\nibs_state = '0.10'\n\
            ibs_city = '0'\ncbs = '0.90'\n[[nfe.ibs_cbs.rates]]\nfrom = '2027-02-01'\n\
            ibs_state = '0.05'\nibs_city = '0.05'\ncbs = '8.75'";
        let file = Config::parse(tables, []).expect("usable").nfe.ibs_cbs;
        let variable =
            ("SHOP_NFE__IBS_CBS__RATES", "2026-12-01=0.10/0/0.90, 2027-02-01=0.05/0.05/8.75");
        let variable = (variable.0.to_owned(), variable.1.to_owned());
        let variable = Config::parse("", [variable]).expect("usable").nfe.ibs_cbs;
        assert_eq!(file.rates, variable.rates);
        let cbs = |text: &str| file.on(day(text)).map(|it| it.cbs.to_string());
        assert_eq!(cbs("2026-11-30"), None);
        assert_eq!(cbs("2026-12-31").as_deref(), Some("0.90"));
        assert_eq!(cbs("2027-01-01"), None, "those of 2026 would be refused");
        assert_eq!(cbs("2028-12-31").as_deref(), Some("8.75"));
        assert_eq!(cbs("2029-01-01"), None);
    }

    #[test]
    fn rates_of_another_year_and_days_without_a_rate_of_cbs_are_refused() {
        let of = |rates: &str| mistake(&format!("nfe.ibs_cbs.rates = ['{rates}']"));
        assert!(of("2027-01-01=0.10/0/8.75").contains("1026"));
        assert!(of("2026-12-31=0.05/0.05/0.90").contains("1026"));
        assert!(of("2027-01-01=0.05/0.05/0.90").contains("rate of 2026"));
        assert!(of("2026-12-31=0.10/0/8.75").contains("1037"));
        for wrong in
            ["2027-01-01=0.05/0.05", "2027-01-01", "1.1.2027=0.05/0.05/8", "2027-01-01=a/b/c"]
        {
            assert!(of(wrong).contains("expected"), "{wrong}");
        }
        let order = "nfe.ibs_cbs.rates = ['2026-12-01=0.10/0/0.90', '2026-11-01=0.10/0/0.90']";
        assert!(mistake(order).contains("ascend"));
    }

    #[test]
    fn nobody_shows_them_in_production() {
        let toml = "[nfe]\nenvironment = 'producao'\nibs_cbs.rates = ['2026-12-01=0.10/0/0.90']";
        assert!(mistake(toml).contains("nfe.ibs_cbs.rates"));
    }
}
