//! The setting of which orders are invoiced without being asked for.

use chrono::NaiveDate;
use serde::Deserialize;

use super::NfeConfig;
use super::finding::Findings;
use crate::fiscal::TaxRegime;

/// Which orders get their invoice without being asked for, from when on it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IssueWhen {
    /// None: staff asks for each invoice.
    Manual,
    /// Those that are paid.
    WhenPaid,
    /// Those that are paid and sent.
    WhenSent,
}

impl NfeConfig {
    /// What may be wrong with the settings from a day on.
    pub(super) fn look_at_day(&self, day: NaiveDate, found: &mut Findings) {
        // LC 214/2025, article 517, into LC 123/2006, article 26.
        let is_due = NaiveDate::from_ymd_opt(2027, 1, 1).is_some_and(|first| day >= first);
        if is_due && self.issue == IssueWhen::Manual && self.regime() == TaxRegime::Mei {
            let what = "a micro-entrepreneur must document every sale since 1 January 2027: \
                        when_paid and when_sent issue invoices without being asked for";
            found.warning("nfe.issue", what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    #[test]
    fn a_micro_entrepreneur_who_issues_by_hand_is_reminded_from_2027_on() {
        let reminded = |toml: &str, day: &str| {
            let config = Config::parse(toml, []).expect("usable");
            let found = config.warnings_of_day(day.parse().expect("a day"));
            found.into_iter().map(|it| it.key).collect::<Vec<_>>()
        };
        let mei = "[nfe.company]\nregime = 'mei'";
        assert_eq!(reminded(mei, "2026-12-31"), [""; 0]);
        assert_eq!(reminded(mei, "2027-01-01"), ["nfe.issue"]);
        assert_eq!(reminded("nfe.company.regime = 'simples'", "2027-01-01"), [""; 0]);
        for when in ["when_paid", "when_sent"] {
            let toml = format!("nfe.issue = '{when}'\n{mei}");
            assert_eq!(reminded(&toml, "2027-01-01"), [""; 0]);
        }
    }
}
