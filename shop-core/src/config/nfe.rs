//! Settings of electronic invoices.

use std::path::PathBuf;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer};

use super::finding::Findings;
use super::nfe_reform::rate;
use super::{ConfigError, IbsCbsConfig, IssueWhen, ResponsibleConfig, Secret};
use crate::fiscal::{
    City, Company, Csosn, Digits, FiscalAddress, Origin, Production, TaxEnvironment, TaxRegime,
    Unit,
};
use crate::value::{Cep, Cnpj, InvalidValue, Uf};

settings! {
    /// Electronic invoices.
    pub struct NfeConfig {
        /// Who authorises.
        pub issuer: IssuerKind = IssuerKind::Sandbox,
        /// Which orders are invoiced without being asked for.
        pub issue: IssueWhen = IssueWhen::Manual,
        /// Whether invoices count. The sandbox's never do.
        pub environment: TaxEnvironment = TaxEnvironment::Homologation,
        /// The series, 0 to 999.
        pub series: u16 = 1,
        /// The number that the series goes on with, where another program issued before.
        pub first_number: u32 = 1,
        /// The company's certificate (A1): a PKCS#12 file.
        pub certificate_path: Option<PathBuf>,
        /// Its password.
        pub certificate_password: Option<Secret>,
        /// Where the tax office is asked, instead of the state's own address.
        pub url: Option<String>,
        /// Certificates in PEM that the tax office's may be issued by, besides the usual ones.
        pub ca_file: Option<PathBuf>,
        /// How long the tax office may take, in milliseconds.
        pub timeout_ms: u64 = 30_000,
        /// What part of the price taxes are, in percent, which invoices tell consumers (Lei
        /// 12.741/2012): a company under Simples Nacional may say its own rate.
        #[serde(deserialize_with = "share")]
        pub tax_share_percent: Option<Decimal>,
        /// A picture for the printed invoice (PNG or JPEG).
        pub logo: Option<PathBuf>,
        /// Whether customers are mailed the invoices of their orders. A shop in production mails
        /// only those that count.
        pub mail_customer: bool = true,
        /// Who issues.
        pub company: CompanyConfig,
        /// Who answers for the program.
        pub responsible: ResponsibleConfig,
        /// What holds for products that say nothing else.
        pub defaults: FiscalDefaults,
        /// The codes of operation.
        pub cfop: CfopConfig,
        /// The taxes of the reform.
        pub ibs_cbs: IbsCbsConfig,
    }

    /// Who issues. For the tax office all but `trade_name`, `complement` and `phone` must be set;
    /// the sandbox takes the rest from a company that does not exist.
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

    /// What holds for products that say nothing else, nor their categories.
    pub struct FiscalDefaults {
        /// The place in the nomenclature of goods. Without it, with `sefaz` each product or its
        /// category must say it; the sandbox takes candles as a sample.
        pub ncm: Option<Digits<8>>,
        /// Where goods come from, 0 (the country) to 8.
        pub origin: Origin = Origin::NATIONAL,
        /// The situation under Simples Nacional.
        pub csosn: Csosn = Csosn::Taxed,
        /// What goods are counted in.
        pub unit: Unit = Unit::known("UN"),
        /// Whether the shop makes them.
        pub production: Production = Production::Own,
    }

    /// The codes of operation of sales to consumers, where they are others than the regime's usual
    /// ones: see [`CfopConfig::of`].
    pub struct CfopConfig {
        /// Goods of the shop's own making, in its state.
        pub own: Option<Digits<4>>,
        /// The same, to another state.
        pub own_interstate: Option<Digits<4>>,
        /// Goods that were bought, in the shop's state.
        pub resale: Option<Digits<4>>,
        /// The same, to another state.
        pub resale_interstate: Option<Digits<4>>,
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

impl CfopConfig {
    /// The code of a sale: as set, else 5101, 6107, 5102 and 6108 in the order of the settings
    /// under Simples Nacional, and 5102 and 6102 for a MEI, whatever was made by whom.
    pub fn of(&self, regime: TaxRegime, production: Production, in_state: bool) -> Digits<4> {
        let (set, simples) = match (production, in_state) {
            (Production::Own, true) => (&self.own, "5101"),
            (Production::Own, false) => (&self.own_interstate, "6107"),
            (Production::Resale, true) => (&self.resale, "5102"),
            (Production::Resale, false) => (&self.resale_interstate, "6108"),
        };
        let usual = match (regime, in_state) {
            (TaxRegime::Simples, _) => simples,
            (TaxRegime::Mei, true) => "5102",
            (TaxRegime::Mei, false) => "6102",
        };
        set.clone().unwrap_or_else(|| Digits::known(usual))
    }
}

impl NfeConfig {
    /// How the company is taxed; the sandbox's sample is under Simples Nacional.
    pub fn regime(&self) -> TaxRegime {
        self.company.regime.unwrap_or(TaxRegime::Simples)
    }

    /// The place in the nomenclature that the sandbox takes where nobody says one: candles. Tax
    /// offices never get it.
    pub(crate) fn sample_ncm(&self) -> Option<Digits<8>> {
        (self.issuer == IssuerKind::Sandbox).then(|| Digits::known("34060000"))
    }

    /// The company that issues.
    ///
    /// # Errors
    /// [`ConfigError`] when something is missing or contradicts itself.
    pub fn company(&self) -> Result<Company, ConfigError> {
        let sample = match self.issuer {
            IssuerKind::Sandbox => sample(),
            IssuerKind::Sefaz => CompanyConfig::default(),
        };
        let CompanyConfig { cnpj, name, trade_name, state_registration, regime, phone, .. } =
            self.company.clone();
        Ok(Company {
            address: place(&self.company, &sample)?,
            cnpj: set(cnpj, sample.cnpj, "nfe.company.cnpj")?,
            name: set(name, sample.name, "nfe.company.name")?,
            trade_name: trade_name.or(sample.trade_name),
            state_registration: set(
                state_registration,
                sample.state_registration,
                "nfe.company.state_registration",
            )?,
            regime: set(regime, sample.regime, "nfe.company.regime")?,
            phone: phone.or(sample.phone),
        })
    }

    /// What the settings say together.
    pub(super) fn look(&self, found: &mut Findings) {
        let is_sefaz = self.issuer == IssuerKind::Sefaz;
        let certificate = (self.certificate_path.is_some(), self.certificate_password.is_some());
        let mut error = |key, what: &str| found.error(key, what.to_owned());
        match certificate {
            (true, false) => error("nfe.certificate_password", "it is missing"),
            (false, true) => error("nfe.certificate_path", "it is missing"),
            (false, false) if is_sefaz => {
                error("nfe.certificate_path", "nfe.issuer = sefaz needs it");
            }
            _ => {}
        }
        if !is_sefaz && self.environment == TaxEnvironment::Production {
            error("nfe.environment", "producao needs nfe.issuer = sefaz");
        }
        if self.series > 999 {
            found.unexpected("nfe.series");
        } else if self.series > 889 {
            found.warning(
                "nfe.series",
                "a company's own program issues in 0 to 889 (rejection 244)",
            );
        }
        if !(1..=999_999_999).contains(&self.first_number) {
            found.unexpected("nfe.first_number");
        }
        self.look_at_codes(found);
        let state = self.company.state.as_ref().filter(|_| is_sefaz);
        self.responsible.look(state.map(Uf::as_str), found);
        self.ibs_cbs.look(self.environment, found);
        if is_sefaz {
            self.look_at_company(found);
        } else if let Err(error) = self.company() {
            // Nothing is missing in the sandbox, where the sample stands in.
            found.list.extend_from_slice(error.findings());
        }
    }

    /// Codes that no sale of the company could have.
    fn look_at_codes(&self, found: &mut Findings) {
        let (regime, csosn) = (self.regime(), self.defaults.csosn);
        if !regime.takes_csosn(csosn) {
            let what = InvalidValue::CsosnOfRegime.to_string();
            found.error("nfe.defaults.csosn", what);
        }
        let CfopConfig { own, own_interstate, resale, resale_interstate } = &self.cfop;
        let codes = [
            ("nfe.cfop.own", own, '5'),
            ("nfe.cfop.own_interstate", own_interstate, '6'),
            ("nfe.cfop.resale", resale, '5'),
            ("nfe.cfop.resale_interstate", resale_interstate, '6'),
        ];
        for (key, code, first) in codes {
            let Some(code) = code else { continue };
            if !code.as_str().starts_with(first) {
                found.error(key, InvalidValue::CfopPlace { first }.to_string());
            } else if !regime.takes_cfop(csosn, code) {
                found.error(key, InvalidValue::CfopOfRegime.to_string());
            }
        }
    }

    fn look_at_company(&self, found: &mut Findings) {
        let own = &self.company;
        let is_set = [
            ("nfe.company.cnpj", own.cnpj.is_some()),
            ("nfe.company.name", own.name.is_some()),
            ("nfe.company.state_registration", own.state_registration.is_some()),
            ("nfe.company.regime", own.regime.is_some()),
            ("nfe.company.street", own.street.is_some()),
            ("nfe.company.number", own.number.is_some()),
            ("nfe.company.district", own.district.is_some()),
            ("nfe.company.city_code", own.city_code.is_some()),
            ("nfe.company.state", own.state.is_some()),
            ("nfe.company.zip_code", own.zip_code.is_some()),
        ];
        if own.state_registration.as_deref() == Some("ISENTO") {
            let what = "the tax office takes the digits of the IE only (rejection 209)";
            found.warning("nfe.company.state_registration", what);
        }
        let missing: Vec<_> = is_set.iter().filter(|(_, is_set)| !is_set).collect();
        for (key, _) in &missing {
            found.error(key, "nfe.issuer = sefaz needs it".to_owned());
        }
        if missing.is_empty()
            && let Err(error) = self.company()
        {
            found.list.extend_from_slice(error.findings());
        }
    }
}

pub(super) fn place(
    own: &CompanyConfig,
    sample: &CompanyConfig,
) -> Result<FiscalAddress, ConfigError> {
    let (own, sample) = (own.clone(), sample.clone());
    let city_code = set(own.city_code, sample.city_code, "nfe.company.city_code")?;
    let city = City::of_code(&city_code)
        .ok_or_else(|| ConfigError::of("nfe.company.city_code", "IBGE gives it to no city"))?;
    let state = set(own.state, sample.state, "nfe.company.state")?;
    if crate::fiscal::state_code(&state) != city_code.get(..2) {
        return Err(ConfigError::of(
            "nfe.company.city_code",
            "the city is not in nfe.company.state",
        ));
    }
    Ok(FiscalAddress {
        street: set(own.street, sample.street, "nfe.company.street")?,
        number: set(own.number, sample.number, "nfe.company.number")?,
        complement: own.complement.or(sample.complement),
        district: set(own.district, sample.district, "nfe.company.district")?,
        zip_code: set(own.zip_code, sample.zip_code, "nfe.company.zip_code")?,
        city,
        state,
    })
}

fn set<T>(own: Option<T>, sample: Option<T>, key: &'static str) -> Result<T, ConfigError> {
    own.or(sample).ok_or_else(|| ConfigError::of(key, "it is missing"))
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let share = rate(&text);
    share.map(Some).ok_or_else(|| serde::de::Error::custom("expected a percentage"))
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
    fn codes_that_the_regime_does_not_take_are_named() {
        let mei = "[nfe.company]\nregime = 'mei'\n";
        for (wrong, key) in [
            ("[nfe.cfop]\nown = '5101'", "nfe.cfop.own"),
            ("[nfe.cfop]\nresale_interstate = '6108'", "nfe.cfop.resale_interstate"),
            ("[nfe.defaults]\ncsosn = '500'", "nfe.defaults.csosn"),
            ("[nfe.cfop]\nown = '6102'", "nfe.cfop.own"),
        ] {
            assert!(mistake(&format!("{mei}{wrong}")).contains(key), "{wrong}");
        }
        let usual = Config::parse(mei, []).expect("usable").nfe;
        let code = |in_state| usual.cfop.of(usual.regime(), usual.defaults.production, in_state);
        assert_eq!((code(true).as_str(), code(false).as_str()), ("5102", "6102"));
        Config::parse("[nfe.cfop]\nresale = '5405'\n[nfe.defaults]\ncsosn = '500'", [])
            .expect("usable under Simples Nacional");
    }
}
