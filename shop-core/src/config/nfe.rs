//! Settings of electronic invoices.

use std::path::PathBuf;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer};

use super::source::Kind;
use super::{ConfigError, Secret};
use crate::nfe::{
    City, Cnpj, Company, Csosn, Digits, Origin, Place, TaxEnvironment, TaxRegime, Unit,
};
use crate::value::{Cep, Uf};

/// Electronic invoices.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NfeConfig {
    /// Who authorises.
    pub issuer: IssuerKind,
    /// Whether invoices count. The sandbox's never do.
    pub environment: TaxEnvironment,
    /// The series, 0 to 999.
    pub series: u16,
    /// The number that the series goes on with, where another program issued before.
    pub first_number: u32,
    /// The company's certificate (A1): a PKCS#12 file.
    pub certificate_path: Option<PathBuf>,
    /// Its password.
    pub certificate_password: Option<Secret>,
    /// Where the tax office is asked, instead of the state's own address.
    pub url: Option<String>,
    /// Certificates in PEM that the tax office's may be issued by, besides the usual ones.
    pub ca_file: Option<PathBuf>,
    /// How long the tax office may take, in milliseconds.
    pub timeout_ms: u64,
    /// A picture for the printed invoice (PNG or JPEG).
    pub logo: Option<PathBuf>,
    /// Who issues.
    pub company: CompanyConfig,
    /// What holds for products that say nothing else.
    pub defaults: FiscalDefaults,
    /// The codes of operation.
    pub cfop: CfopConfig,
    /// The taxes of the reform.
    pub ibs_cbs: IbsCbsConfig,
}

impl Default for NfeConfig {
    fn default() -> Self {
        Self {
            issuer: IssuerKind::Sandbox,
            environment: TaxEnvironment::Homologation,
            series: 1,
            first_number: 1,
            certificate_path: None,
            certificate_password: None,
            url: None,
            ca_file: None,
            timeout_ms: 30_000,
            logo: None,
            company: CompanyConfig::default(),
            defaults: FiscalDefaults::default(),
            cfop: CfopConfig::default(),
            ibs_cbs: IbsCbsConfig::default(),
        }
    }
}

/// Who authorises invoices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IssuerKind {
    /// The shop plays the tax office: nothing is transmitted and nothing counts.
    Sandbox,
    /// The tax office of the company's state.
    Sefaz,
}

/// Who issues. For the tax office all but `trade_name`, `complement` and `phone` must be set; the
/// sandbox takes the rest from a company that does not exist.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompanyConfig {
    /// Its number.
    pub cnpj: Option<Cnpj>,
    /// Its registered name.
    pub name: Option<String>,
    /// What it is known as.
    pub trade_name: Option<String>,
    /// Its registration with the state (IE), or `ISENTO`.
    pub state_registration: Option<String>,
    /// How it is taxed: `simples` or `mei`.
    pub regime: Option<TaxRegime>,
    /// Street.
    pub street: Option<String>,
    /// House number.
    pub number: Option<String>,
    /// Floor, room and the like.
    pub complement: Option<String>,
    /// District.
    pub district: Option<String>,
    /// The city by the code that IBGE gives it, seven digits.
    pub city_code: Option<String>,
    /// State.
    pub state: Option<Uf>,
    /// Postal code.
    pub zip_code: Option<Cep>,
    /// Telephone number.
    pub phone: Option<String>,
}

/// How a product came to the shop, which its code of operation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Production {
    /// The shop makes it.
    Own,
    /// The shop buys and sells it.
    Resale,
}

/// What holds for products that say nothing else. The defaults are for candles made by hand.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FiscalDefaults {
    /// The place in the nomenclature of goods.
    pub ncm: Digits<8>,
    /// Where goods come from, 0 (the country) to 8.
    pub origin: Origin,
    /// The situation under Simples Nacional.
    pub csosn: Csosn,
    /// What goods are counted in.
    pub unit: Unit,
    /// Whether the shop makes them.
    pub production: Production,
}

impl Default for FiscalDefaults {
    fn default() -> Self {
        Self {
            ncm: Digits::known("34060000"),
            origin: Origin::NATIONAL,
            csosn: Csosn::known("102"),
            unit: Unit::known("UN"),
            production: Production::Own,
        }
    }
}

/// The codes of operation of sales to consumers.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CfopConfig {
    /// Goods of the shop's own making, in its state.
    pub own: Digits<4>,
    /// The same, to another state.
    pub own_interstate: Digits<4>,
    /// Goods that were bought, in the shop's state.
    pub resale: Digits<4>,
    /// The same, to another state.
    pub resale_interstate: Digits<4>,
}

impl Default for CfopConfig {
    fn default() -> Self {
        Self {
            own: Digits::known("5101"),
            own_interstate: Digits::known("6107"),
            resale: Digits::known("5102"),
            resale_interstate: Digits::known("6108"),
        }
    }
}

/// The taxes of the reform. Companies under Simples Nacional need not show them before 2027.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IbsCbsConfig {
    /// From which day on invoices show them.
    #[serde(deserialize_with = "day")]
    pub from: Option<NaiveDate>,
    /// The state's part of IBS, in percent.
    #[serde(deserialize_with = "rate")]
    pub ibs_state: Decimal,
    /// The city's part of IBS, in percent.
    #[serde(deserialize_with = "rate")]
    pub ibs_city: Decimal,
    /// CBS, in percent.
    #[serde(deserialize_with = "rate")]
    pub cbs: Decimal,
}

impl Default for IbsCbsConfig {
    fn default() -> Self {
        Self {
            from: None,
            ibs_state: Decimal::new(10, 2),
            ibs_city: Decimal::new(0, 2),
            cbs: Decimal::new(90, 2),
        }
    }
}

/// Every key of this file that an override can set.
pub(super) const KEYS: &[(&str, Kind)] = &[
    ("nfe.issuer", Kind::Text),
    ("nfe.environment", Kind::Text),
    ("nfe.series", Kind::Integer),
    ("nfe.first_number", Kind::Integer),
    ("nfe.certificate_path", Kind::Text),
    ("nfe.certificate_password", Kind::Text),
    ("nfe.url", Kind::Text),
    ("nfe.ca_file", Kind::Text),
    ("nfe.timeout_ms", Kind::Integer),
    ("nfe.logo", Kind::Text),
    ("nfe.company.cnpj", Kind::Text),
    ("nfe.company.name", Kind::Text),
    ("nfe.company.trade_name", Kind::Text),
    ("nfe.company.state_registration", Kind::Text),
    ("nfe.company.regime", Kind::Text),
    ("nfe.company.street", Kind::Text),
    ("nfe.company.number", Kind::Text),
    ("nfe.company.complement", Kind::Text),
    ("nfe.company.district", Kind::Text),
    ("nfe.company.city_code", Kind::Text),
    ("nfe.company.state", Kind::Text),
    ("nfe.company.zip_code", Kind::Text),
    ("nfe.company.phone", Kind::Text),
    ("nfe.defaults.ncm", Kind::Text),
    ("nfe.defaults.origin", Kind::Integer),
    ("nfe.defaults.csosn", Kind::Text),
    ("nfe.defaults.unit", Kind::Text),
    ("nfe.defaults.production", Kind::Text),
    ("nfe.cfop.own", Kind::Text),
    ("nfe.cfop.own_interstate", Kind::Text),
    ("nfe.cfop.resale", Kind::Text),
    ("nfe.cfop.resale_interstate", Kind::Text),
    ("nfe.ibs_cbs.from", Kind::Text),
    ("nfe.ibs_cbs.ibs_state", Kind::Text),
    ("nfe.ibs_cbs.ibs_city", Kind::Text),
    ("nfe.ibs_cbs.cbs", Kind::Text),
];

/// Who issues in the sandbox, as far as nothing else is set. There is no such company.
fn sample() -> CompanyConfig {
    let text = |text: &str| Some(text.to_owned());
    CompanyConfig {
        cnpj: "11222333000181".parse().ok(),
        name: text("LOJA DE VELAS EXEMPLO LTDA"),
        trade_name: text("LOJA DE VELAS"),
        state_registration: text("110042490114"),
        regime: Some(TaxRegime::Simples),
        street: text("RUA DAS FLORES"),
        number: text("100"),
        complement: None,
        district: text("CENTRO"),
        city_code: text("3550308"),
        state: "SP".parse().ok(),
        zip_code: "01001000".parse().ok(),
        phone: text("1133334444"),
    }
}

impl NfeConfig {
    /// The company that issues.
    ///
    /// # Errors
    /// [`ConfigError::Unusable`] when something is missing or contradicts itself.
    pub fn company(&self) -> Result<Company, ConfigError> {
        let sample = match self.issuer {
            IssuerKind::Sandbox => sample(),
            IssuerKind::Sefaz => CompanyConfig::default(),
        };
        let CompanyConfig { cnpj, name, trade_name, state_registration, regime, phone, .. } =
            self.company.clone();
        Ok(Company {
            address: place(&self.company, &sample)?,
            cnpj: set(cnpj, sample.cnpj, "nfe.company.cnpj is missing")?,
            name: set(name, sample.name, "nfe.company.name is missing")?,
            trade_name: trade_name.or(sample.trade_name),
            state_registration: set(
                state_registration,
                sample.state_registration,
                "nfe.company.state_registration is missing",
            )?,
            regime: set(regime, sample.regime, "nfe.company.regime is missing")?,
            phone: phone.or(sample.phone),
        })
    }

    /// # Errors
    /// [`ConfigError::Unusable`].
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let sefaz = self.issuer == IssuerKind::Sefaz;
        let certificate = (self.certificate_path.is_some(), self.certificate_password.is_some());
        match certificate {
            (true, false) => Err(ConfigError::Unusable("nfe.certificate_password is missing")),
            (false, true) => Err(ConfigError::Unusable("nfe.certificate_path is missing")),
            (false, false) if sefaz => {
                Err(ConfigError::Unusable("nfe.issuer = sefaz needs nfe.certificate_path"))
            }
            _ if !sefaz && self.environment == TaxEnvironment::Production => {
                Err(ConfigError::Unusable("nfe.environment = production needs nfe.issuer = sefaz"))
            }
            _ if self.series > 999 || !(1..=999_999_999).contains(&self.first_number) => {
                Err(ConfigError::Unusable("nfe.series or nfe.first_number is out of range"))
            }
            _ if sefaz => self.company().map(drop),
            _ => Ok(()),
        }
    }
}

fn place(own: &CompanyConfig, sample: &CompanyConfig) -> Result<Place, ConfigError> {
    let (own, sample) = (own.clone(), sample.clone());
    let city_code = set(own.city_code, sample.city_code, "nfe.company.city_code is missing")?;
    let city = City::of_code(&city_code)
        .ok_or(ConfigError::Unusable("nfe.company.city_code is no city's"))?;
    let state = set(own.state, sample.state, "nfe.company.state is missing")?;
    if crate::nfe::state_code(&state) != city_code.get(..2) {
        return Err(ConfigError::Unusable("nfe.company.city_code is not in nfe.company.state"));
    }
    Ok(Place {
        street: set(own.street, sample.street, "nfe.company.street is missing")?,
        number: set(own.number, sample.number, "nfe.company.number is missing")?,
        complement: own.complement.or(sample.complement),
        district: set(own.district, sample.district, "nfe.company.district is missing")?,
        zip_code: set(own.zip_code, sample.zip_code, "nfe.company.zip_code is missing")?,
        city,
        state,
    })
}

fn set<T>(own: Option<T>, sample: Option<T>, missing: &'static str) -> Result<T, ConfigError> {
    own.or(sample).ok_or(ConfigError::Unusable(missing))
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NaiveDate>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(|_| serde::de::Error::custom("expected a day as 2027-01-04"))
}

fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = String::deserialize(deserializer)?;
    match Decimal::from_str_exact(&text) {
        Ok(rate) if rate >= Decimal::ZERO && rate <= Decimal::ONE_HUNDRED && rate.scale() <= 4 => {
            Ok(rate)
        }
        _ => Err(serde::de::Error::custom("expected a percentage with at most four decimals")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    const SEFAZ: &str = "[nfe]\nissuer = 'sefaz'\ncertificate_path = 'a1.pfx'\n\
        certificate_password = 'x'\n[nfe.company]\ncnpj = '12ABC34501DE35'\nname = 'VELAS LTDA'\n\
        state_registration = 'ISENTO'\nregime = 'mei'\nstreet = 'RUA A'\nnumber = '1'\n\
        district = 'CENTRO'\ncity_code = '3304557'\nstate = 'RJ'\nzip_code = '20010-020'\n";

    fn mistake(toml: &str) -> String {
        Config::parse(toml, []).map(drop).expect_err("unusable").to_string()
    }

    #[test]
    fn the_sandbox_needs_no_setting_and_the_tax_office_needs_them_all() {
        let sandbox = Config::parse("", []).expect("usable").nfe.company().expect("a company");
        assert_eq!(sandbox.cnpj.as_str(), "11222333000181");
        let sefaz = Config::parse(SEFAZ, []).expect("usable").nfe.company().expect("a company");
        assert_eq!(
            (sefaz.cnpj.as_str(), sefaz.address.city.name),
            ("12ABC34501DE35", "Rio de Janeiro")
        );
        assert_eq!(sefaz.trade_name, None);
        assert!(mistake(&SEFAZ.replace("street", "complement")).contains("nfe.company.street"));
        assert!(mistake(&SEFAZ.replace("3304557", "3550308")).contains("nfe.company.city_code"));
        assert!(mistake("[nfe]\nissuer = 'sefaz'").contains("certificate_path"));
        assert!(mistake("[nfe]\ncertificate_path = 'a1.pfx'").contains("certificate_password"));
        assert!(mistake("[nfe]\nenvironment = 'producao'").contains("sefaz"));
    }

    #[test]
    fn rates_are_read_from_their_text() {
        let rates = "[nfe.ibs_cbs]\nfrom = '2027-01-04'\nibs_state = '0.05'\nibs_city = '0.05'";
        let config = Config::parse(rates, []).expect("usable").nfe.ibs_cbs;
        assert_eq!(config.from.map(|day| day.to_string()).as_deref(), Some("2027-01-04"));
        assert_eq!(
            (config.ibs_city.to_string(), config.cbs.to_string()),
            ("0.05".into(), "0.90".into())
        );
        assert!(Config::parse("[nfe.ibs_cbs]\ncbs = '101'", []).is_err());
    }
}
