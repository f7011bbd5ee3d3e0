//! Who sells: what the law wants on each page of a shop (Decreto 7.962/2013, art. 2, I and II).

use super::Config;
use crate::value::{Cep, Cnpj, Email, Uf};

/// Who sells, as pages and mails show it.
#[apply(answer!)]
pub struct Seller {
    /// The registered name.
    pub name: String,
    /// What the company is registered by, without punctuation.
    pub cnpj: Cnpj,
    /// Where the company is.
    pub address: SellerAddress,
    /// Where customers may write to; null where the shop has none of its own.
    pub email: Option<Email>,
    /// The telephone number, as the settings have it; null where they have none.
    pub phone: Option<String>,
}

/// Where a company is.
#[apply(answer!)]
pub struct SellerAddress {
    /// Street.
    pub street: String,
    /// House number.
    pub number: String,
    /// Floor, room and the like.
    pub complement: Option<String>,
    /// District.
    pub district: String,
    /// City.
    pub city: String,
    /// State.
    pub state: Uf,
    /// Postal code.
    pub zip_code: Cep,
}

impl Config {
    /// Who sells: the company of the invoices, once its name, number and address are set. The
    /// sample company of the sandbox is not one, and a build without the feature `nfe` has none.
    pub fn seller(&self) -> Option<Seller> {
        #[cfg(feature = "nfe")]
        return self.company_as_set();
        #[cfg(not(feature = "nfe"))]
        None
    }

    #[cfg(feature = "nfe")]
    fn company_as_set(&self) -> Option<Seller> {
        use super::CompanyConfig;
        use super::nfe::place;
        use crate::fiscal::FiscalAddress;

        let own = &self.nfe.company;
        let FiscalAddress { street, number, complement, district, city, state, zip_code } =
            place(own, &CompanyConfig::default()).ok()?;
        let city = city.name.to_owned();
        Some(Seller {
            name: own.name.clone()?,
            cnpj: own.cnpj.clone()?,
            address: SellerAddress { street, number, complement, district, city, state, zip_code },
            email: self.mail.public_email().cloned(),
            phone: own.phone.clone(),
        })
    }
}

impl Seller {
    /// Name, number and address in one line, for the foot of a mail.
    pub(crate) fn line(&self) -> String {
        let Self { name, cnpj, address, .. } = self;
        let SellerAddress { street, number, complement, district, city, state, zip_code } = address;
        let complement = complement.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
        format!(
            "{name}, CNPJ {}, {street}, {number}{complement}, {district}, {city} - {state}, CEP {}",
            cnpj.punctuated(),
            zip_code.punctuated()
        )
    }
}

#[cfg(all(test, feature = "nfe"))]
mod tests {
    use super::*;

    const COMPANY: &str = "[nfe.company]\ncnpj = '12ABC34501DE35'\nname = 'VELAS LTDA'\n\
        street = 'Rua A'\nnumber = '1'\ndistrict = 'Centro'\ncity_code = '3550308'\nstate = 'SP'\n\
        zip_code = '01001000'\n";

    fn seller(toml: &str) -> Option<Seller> {
        Config::parse(toml, []).expect("usable").seller()
    }

    #[test]
    fn a_seller_is_who_the_shop_says_and_never_the_sample() {
        assert_eq!(seller(""), None);
        for line in COMPANY.lines().skip(1) {
            let part = COMPANY.replace(line, "");
            assert_eq!(seller(&part), None, "without {line}");
        }
        let whole = seller(COMPANY).expect("a seller");
        assert_eq!((whole.email, whole.phone), (None, None));
        let mails = "[mail]\nfrom = 'Loja <loja@a.example>'\n";
        let reached = seller(&format!("{mails}{COMPANY}phone = '1133334444'")).expect("a seller");
        assert_eq!(reached.email.expect("an e-mail").as_str(), "loja@a.example");
        assert_eq!(reached.phone.as_deref(), Some("1133334444"));
    }

    #[test]
    fn a_line_has_name_number_and_address() {
        let with = format!("{COMPANY}complement = 'sala 2'");
        assert_eq!(
            seller(&with).expect("a seller").line(),
            "VELAS LTDA, CNPJ 12.ABC.345/01DE-35, Rua A, 1, sala 2, Centro, São Paulo - SP, \
             CEP 01001-000"
        );
    }
}
