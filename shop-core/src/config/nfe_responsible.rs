//! Settings of the company that answers for the program towards the tax office.

use super::Secret;
use super::finding::Findings;
use crate::fiscal::demand;
use crate::value::{Cnpj, Email};

settings! {
    /// The company that answers for the program ('responsável técnico'): its maker, or the shop
    /// itself where it runs the program on its own. Written into every invoice once it is set.
    pub struct ResponsibleConfig {
        /// Its CNPJ.
        pub cnpj: Option<Cnpj>,
        /// Whom to ask for, 2 to 60 characters.
        pub contact: Option<String>,
        /// Where to write to, 6 to 60 characters.
        pub email: Option<Email>,
        /// Where to call, 6 to 14 digits.
        pub phone: Option<String>,
        /// Which of its codes (CSRT) is used: two digits.
        pub csrt_id: Option<String>,
        /// That code, which the state gave it. Only a hash made with it is sent.
        pub csrt: Option<Secret>,
    }
}

impl ResponsibleConfig {
    fn is_empty(&self) -> bool {
        let Self { cnpj, contact, email, phone, csrt_id, csrt } = self;
        let texts = [contact, phone, csrt_id].into_iter().all(Option::is_none);
        cnpj.is_none() && email.is_none() && csrt.is_none() && texts
    }

    /// What is missing of it, what no document takes, and what a state will refuse.
    pub(super) fn look(&self, state: Option<&str>, found: &mut Findings) {
        if self.is_empty() {
            if state.is_some_and(|state| demand::RESPONSIBLE.contains(&state)) {
                let what = "the state refuses invoices that do not name the company that answers \
                            for the program (rejection 972): set nfe.responsible.cnpj, contact, \
                            email and phone";
                found.warning("nfe.responsible.cnpj", what);
            }
            return;
        }
        let characters = |text: &Option<String>, least: usize, most: usize| {
            text.as_ref().is_none_or(|it| (least..=most).contains(&it.trim().chars().count()))
        };
        let digits = |text: &Option<String>, least: usize, most: usize| {
            let is_digits = |it: &String| it.bytes().all(|byte| byte.is_ascii_digit());
            characters(text, least, most) && text.as_ref().is_none_or(is_digits)
        };
        let email = self.email.as_ref().map(ToString::to_string);
        for (key, is_set, is_good) in [
            ("nfe.responsible.cnpj", self.cnpj.is_some(), true),
            ("nfe.responsible.contact", self.contact.is_some(), characters(&self.contact, 2, 60)),
            ("nfe.responsible.email", email.is_some(), characters(&email, 6, 60)),
            ("nfe.responsible.phone", self.phone.is_some(), digits(&self.phone, 6, 14)),
        ] {
            if !is_set {
                found.error(key, "the rest of nfe.responsible needs it".to_owned());
            } else if !is_good {
                found.unexpected(key);
            }
        }
        self.look_at_csrt(state, digits(&self.csrt_id, 2, 2), found);
    }

    fn look_at_csrt(&self, state: Option<&str>, is_id: bool, found: &mut Findings) {
        match (&self.csrt_id, &self.csrt) {
            (Some(_), None) => found.error("nfe.responsible.csrt", "it is missing".to_owned()),
            (None, Some(_)) => found.error("nfe.responsible.csrt_id", "it is missing".to_owned()),
            (Some(_), Some(_)) if !is_id => found.unexpected("nfe.responsible.csrt_id"),
            (None, None) if state.is_some_and(|state| demand::CSRT.contains(&state)) => {
                let what = "the state refuses invoices without the hash of a CSRT (rejection 975): \
                            set nfe.responsible.csrt_id and csrt, which Receita/PR gives";
                found.warning("nfe.responsible.csrt", what);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    const RESPONSIBLE: &str = "[nfe.responsible]\ncnpj = '11222333000181'\ncontact = 'Equipe'\n\
        email = 'nfe@velas.example'\nphone = '4133334444'\n";

    fn mistake(toml: &str) -> String {
        Config::parse(toml, []).map(drop).expect_err("unusable").to_string()
    }

    /// The warnings of a shop in a state whose tax office is asked.
    fn warned(state: &str, city: &str, rest: &str) -> Vec<String> {
        let toml = format!(
            "[nfe]\nissuer = 'sefaz'\ncertificate_path = 'a1.pfx'\ncertificate_password = 'x'\n\
             [nfe.company]\ncnpj = '12ABC34501DE35'\nname = 'VELAS LTDA'\n\
             state_registration = '1234567890'\nregime = 'simples'\nstreet = 'RUA A'\n\
             number = '1'\ndistrict = 'CENTRO'\ncity_code = '{city}'\nstate = '{state}'\n\
             zip_code = '80010-000'\n{rest}"
        );
        let found = Config::parse(&toml, []).expect("usable").warnings();
        found.into_iter().map(|it| it.key).filter(|it| it.starts_with("nfe.resp")).collect()
    }

    #[test]
    fn it_is_set_as_a_whole_and_its_code_is_never_shown() {
        let toml = format!("{RESPONSIBLE}csrt_id = '01'\ncsrt = 'hushhush'");
        let config = Config::parse(&toml, []).expect("usable");
        assert!(!format!("{config:?}").contains("hushhush"));
        assert!(mistake(&RESPONSIBLE.replace("contact", "csrt_id")).contains("contact"));
        assert!(mistake(&format!("{RESPONSIBLE}csrt_id = '01'")).contains("nfe.responsible.csrt:"));
        let alone = mistake(&format!("{RESPONSIBLE}csrt = 'hushhush'"));
        assert!(alone.contains("csrt_id") && !alone.contains("hushhush"), "{alone}");
        let id = mistake(&format!("{RESPONSIBLE}csrt_id = '1'\ncsrt = 'hushhush'"));
        assert!(id.contains("csrt_id = \"1\": expected two digits"), "{id}");
        assert!(mistake(&RESPONSIBLE.replace("4133334444", "41 3333")).contains("phone"));
    }

    #[test]
    fn states_that_demand_it_are_warned_of_where_it_is_not_set() {
        assert_eq!(warned("SP", "3550308", ""), [""; 0]);
        for (state, city) in [
            ("AM", "1302603"),
            ("MS", "5002704"),
            ("PE", "2611606"),
            ("PR", "4106902"),
            ("SC", "4205407"),
            ("TO", "1721000"),
        ] {
            assert_eq!(warned(state, city, ""), ["nfe.responsible.cnpj"], "{state}");
        }
        assert_eq!(warned("SC", "4205407", RESPONSIBLE), [""; 0]);
        assert_eq!(warned("PR", "4106902", RESPONSIBLE), ["nfe.responsible.csrt"]);
        let whole = format!("{RESPONSIBLE}csrt_id = '01'\ncsrt = 'hush'");
        assert_eq!(warned("PR", "4106902", &whole), [""; 0]);
    }
}
