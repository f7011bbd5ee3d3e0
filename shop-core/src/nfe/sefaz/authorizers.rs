//! Who authorises for which state, and where.

use super::super::TaxEnvironment;
use crate::value::Uf;

/// A service of a tax office.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Authorization,
    Receipt,
    Query,
    Event,
    Disable,
    Status,
}

impl Service {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Authorization => "NFeAutorizacao4",
            Self::Receipt => "NFeRetAutorizacao4",
            Self::Query => "NFeConsultaProtocolo4",
            Self::Event => "NFeRecepcaoEvento4",
            Self::Disable => "NFeInutilizacao4",
            Self::Status => "NFeStatusServico4",
        }
    }

    pub(super) fn operation(self) -> &'static str {
        match self {
            Self::Authorization => "nfeAutorizacaoLote",
            Self::Receipt => "nfeRetAutorizacaoLote",
            Self::Query => "nfeConsultaNF",
            Self::Event => "nfeRecepcaoEvento",
            Self::Disable => "nfeInutilizacaoNF",
            Self::Status => "nfeStatusServicoNF",
        }
    }
}

/// A system that authorises, for one state or several.
struct Authorizer {
    states: &'static [&'static str],
    production: &'static str,
    homologation: &'static str,
    /// In the order of [`Service`].
    paths: [&'static str; 6],
}

/// The usual names of the services.
const NAMES: [&str; 6] = [
    "/NFeAutorizacao4",
    "/NFeRetAutorizacao4",
    "/NFeConsultaProtocolo4",
    "/NFeRecepcaoEvento4",
    "/NFeInutilizacao4",
    "/NFeStatusServico4",
];

const MICROSOFT: [&str; 6] = [
    "/NFeAutorizacao4/NFeAutorizacao4.asmx",
    "/NFeRetAutorizacao4/NFeRetAutorizacao4.asmx",
    "/NFeConsultaProtocolo4/NFeConsultaProtocolo4.asmx",
    "/NFeRecepcaoEvento4/NFeRecepcaoEvento4.asmx",
    "/NFeInutilizacao4/NFeInutilizacao4.asmx",
    "/NFeStatusServico4/NFeStatusServico4.asmx",
];

const RIO_GRANDE: [&str; 6] = [
    "/ws/NfeAutorizacao/NFeAutorizacao4.asmx",
    "/ws/NfeRetAutorizacao/NFeRetAutorizacao4.asmx",
    "/ws/NfeConsulta/NfeConsulta4.asmx",
    "/ws/recepcaoevento/recepcaoevento4.asmx",
    "/ws/nfeinutilizacao/nfeinutilizacao4.asmx",
    "/ws/NfeStatusServico/NfeStatusServico4.asmx",
];

const OLD_NAMES: [&str; 6] = [
    "/NfeAutorizacao4",
    "/NfeRetAutorizacao4",
    "/NfeConsulta4",
    "/RecepcaoEvento4",
    "/NfeInutilizacao4",
    "/NfeStatusServico4",
];

const AUTHORIZERS: [Authorizer; 12] = [
    Authorizer {
        states: &["SP"],
        production: "https://nfe.fazenda.sp.gov.br/ws",
        homologation: "https://homologacao.nfe.fazenda.sp.gov.br/ws",
        paths: [
            "/nfeautorizacao4.asmx",
            "/nferetautorizacao4.asmx",
            "/nfeconsultaprotocolo4.asmx",
            "/nferecepcaoevento4.asmx",
            "/nfeinutilizacao4.asmx",
            "/nfestatusservico4.asmx",
        ],
    },
    Authorizer {
        states: &["MG"],
        production: "https://nfe.fazenda.mg.gov.br/nfe2/services",
        homologation: "https://hnfe.fazenda.mg.gov.br/nfe2/services",
        paths: NAMES,
    },
    Authorizer {
        states: &["PR"],
        production: "https://nfe.sefa.pr.gov.br/nfe",
        homologation: "https://homologacao.nfe.sefa.pr.gov.br/nfe",
        paths: NAMES,
    },
    Authorizer {
        states: &["RS"],
        production: "https://nfe.sefazrs.rs.gov.br",
        homologation: "https://nfe-homologacao.sefazrs.rs.gov.br",
        paths: RIO_GRANDE,
    },
    Authorizer {
        states: &["BA"],
        production: "https://nfe.sefaz.ba.gov.br/webservices",
        homologation: "https://hnfe.sefaz.ba.gov.br/webservices",
        paths: MICROSOFT,
    },
    Authorizer {
        states: &["GO"],
        production: "https://nfe.sefaz.go.gov.br/nfe/services",
        homologation: "https://homolog.sefaz.go.gov.br/nfe/services",
        paths: NAMES,
    },
    Authorizer {
        states: &["PE"],
        production: "https://nfe.sefaz.pe.gov.br/nfe-service/services",
        homologation: "https://nfehomolog.sefaz.pe.gov.br/nfe-service/services",
        paths: NAMES,
    },
    Authorizer {
        states: &["AM"],
        production: "https://nfe.sefaz.am.gov.br/services2/services",
        homologation: "https://homnfe.sefaz.am.gov.br/services2/services",
        paths: OLD_NAMES,
    },
    Authorizer {
        states: &["MS"],
        production: "https://nfe.sefaz.ms.gov.br/ws",
        homologation: "https://hom.nfe.sefaz.ms.gov.br/ws",
        paths: NAMES,
    },
    Authorizer {
        states: &["MT"],
        production: "https://nfe.sefaz.mt.gov.br/nfews/v2/services",
        homologation: "https://homologacao.sefaz.mt.gov.br/nfews/v2/services",
        paths: OLD_NAMES,
    },
    // The federal government's (SVAN).
    Authorizer {
        states: &["MA"],
        production: "https://www.sefazvirtual.fazenda.gov.br",
        homologation: "https://hom.sefazvirtual.fazenda.gov.br",
        paths: MICROSOFT,
    },
    // Rio Grande do Sul's for other states (SVRS).
    Authorizer {
        states: &[
            "AC", "AL", "AP", "CE", "DF", "ES", "PA", "PB", "PI", "RJ", "RN", "RO", "RR", "SC",
            "SE", "TO",
        ],
        production: "https://nfe.svrs.rs.gov.br",
        homologation: "https://nfe-homologacao.svrs.rs.gov.br",
        paths: RIO_GRANDE,
    },
];

/// Where a service of a state's authoriser is: host and path.
pub(super) fn address(
    state: &Uf,
    environment: TaxEnvironment,
    service: Service,
) -> (String, String) {
    let serves = |it: &&Authorizer| it.states.contains(&state.as_str());
    // A state that is in no other list is in the last one.
    let authorizer = AUTHORIZERS.iter().find(serves).unwrap_or(&AUTHORIZERS[11]);
    let base = match environment {
        TaxEnvironment::Production => authorizer.production,
        TaxEnvironment::Homologation => authorizer.homologation,
    };
    (base.to_owned(), authorizer.paths[service as usize].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_authoriser() {
        let states: Vec<&str> = AUTHORIZERS.iter().flat_map(|it| it.states).copied().collect();
        assert_eq!(states.len(), 27);
        for state in states {
            let uf: Uf = state.parse().expect("a state");
            assert_eq!(AUTHORIZERS.iter().filter(|it| it.states.contains(&uf.as_str())).count(), 1);
        }
    }

    #[test]
    fn addresses_are_those_of_the_portal() {
        let at = |state: &str, environment, service| {
            let (base, path) = address(&state.parse().expect("a state"), environment, service);
            base + &path
        };
        assert_eq!(
            at("SP", TaxEnvironment::Homologation, Service::Authorization),
            "https://homologacao.nfe.fazenda.sp.gov.br/ws/nfeautorizacao4.asmx"
        );
        assert_eq!(
            at("RJ", TaxEnvironment::Production, Service::Query),
            "https://nfe.svrs.rs.gov.br/ws/NfeConsulta/NfeConsulta4.asmx"
        );
        assert_eq!(
            at("AM", TaxEnvironment::Production, Service::Event),
            "https://nfe.sefaz.am.gov.br/services2/services/RecepcaoEvento4"
        );
        assert_eq!(
            at("MA", TaxEnvironment::Homologation, Service::Disable),
            "https://hom.sefazvirtual.fazenda.gov.br/NFeInutilizacao4/NFeInutilizacao4.asmx"
        );
        assert_eq!(
            at("BA", TaxEnvironment::Production, Service::Status),
            "https://nfe.sefaz.ba.gov.br/webservices/NFeStatusServico4/NFeStatusServico4.asmx"
        );
    }
}
