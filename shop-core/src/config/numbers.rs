//! What must hold of settings that are whole numbers: the table's range, also where a program
//! filled them in.

use super::Config;
use super::finding::Findings;
use super::keys::Kind;
use super::tables::Tables;

impl Config {
    pub(super) fn look_at_numbers(&self, found: &mut Findings) {
        look_at(&self.numbers(), found);
        #[cfg(feature = "nfe")]
        look_at(&self.nfe_numbers(), found);
    }

    /// Each setting that is a whole number, but for those of invoices.
    fn numbers(&self) -> [(&'static str, i128); 19] {
        let Self { orders, payments, shipping, returns, .. } = self;
        let by_ip = payments.card_refusals_per_hour_per_ip;
        let tolerance = payments.provider1.webhook_tolerance_seconds;
        [
            ("database_file_readers", self.database_file_readers.into()),
            ("orders.unpaid_ttl_hours", orders.unpaid_ttl_hours.into()),
            ("orders.unpaid_pix_ttl_hours", orders.unpaid_pix_ttl_hours.into()),
            ("orders.max_units_per_order", orders.max_units_per_order.into()),
            ("orders.max_open_unpaid", orders.max_open_unpaid.into()),
            ("orders.max_per_hour", orders.max_per_hour.into()),
            ("orders.max_per_hour_per_ip", orders.max_per_hour_per_ip.into()),
            ("returns.withdrawal_days", returns.withdrawal_days.into()),
            ("returns.defect_days", returns.defect_days.into()),
            ("stock.low_threshold", self.stock.low_threshold.into()),
            ("api.requests_per_minute", self.api.requests_per_minute.into()),
            ("payments.timeout_ms", payments.timeout_ms.into()),
            ("payments.card_refusals_per_hour", payments.card_refusals_per_hour.get().into()),
            ("payments.card_refusals_per_hour_per_ip", by_ip.get().into()),
            ("payments.provider1.webhook_tolerance_seconds", tolerance.into()),
            ("shipping.quotes_per_minute_per_ip", shipping.quotes_per_minute_per_ip.into()),
            ("shipping.timeout_ms", shipping.timeout_ms.into()),
            ("shipping.melhor_envio.timeout_ms", shipping.melhor_envio.timeout_ms.into()),
            ("mail.per_address_per_hour", self.mail.per_address_per_hour.into()),
        ]
    }

    #[cfg(feature = "nfe")]
    fn nfe_numbers(&self) -> [(&'static str, i128); 3] {
        [
            ("nfe.series", self.nfe.series.into()),
            ("nfe.first_number", self.nfe.first_number.into()),
            ("nfe.timeout_ms", self.nfe.timeout_ms.into()),
        ]
    }
}

fn look_at(numbers: &[(&str, i128)], found: &mut Findings) {
    for (key, value) in numbers {
        let kind = Tables::SHOP.find(key).map(|key| key.kind);
        let Some(Kind::Integer(from, to)) = kind else { continue };
        if !(i128::from(from)..=i128::from(to)).contains(value) {
            found.unexpected(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers whose type takes no others.
    const HELD_BY_TYPE: [&str; 1] = ["nfe.defaults.origin"];

    #[test]
    fn every_number_of_the_table_is_looked_at() {
        let config = Config::default();
        let mut looked_at = Vec::from(config.numbers().map(|it| it.0));
        #[cfg(feature = "nfe")]
        looked_at.extend(config.nfe_numbers().map(|it| it.0));
        let is_number = |kind| matches!(kind, Kind::Integer(..));
        let numbers = Tables::SHOP.keys().filter(|key| is_number(key.kind)).map(|key| key.name);
        let mut table: Vec<_> = numbers.filter(|name| !HELD_BY_TYPE.contains(name)).collect();
        looked_at.sort_unstable();
        table.sort_unstable();
        assert_eq!(looked_at, table);
    }
}
