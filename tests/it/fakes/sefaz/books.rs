//! What the office knows, and what it says by it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use roxmltree::Document;

use super::Behavior;

const NAMESPACE: &str = "http://www.portalfiscal.inf.br/nfe";
const AT: &str = "2026-11-21T12:00:05-03:00";

/// The office's books.
#[derive(Default)]
pub(super) struct Books {
    invoices: BTreeMap<String, Invoice>,
    /// Keys by the number of the receipt, and how often it still has to be asked about.
    receipts: BTreeMap<String, (String, u32)>,
    numbers: u32,
    disabled: Vec<String>,
    /// Correction letters, by key and number: event and answer.
    corrections: BTreeMap<(String, String), (String, String)>,
}

struct Invoice {
    protocol: String,
    /// Its cancellation: event and answer.
    cancelled: Option<(String, String)>,
    denied: bool,
}

pub(super) fn operation(service: &str) -> &'static str {
    match service {
        "NFeAutorizacao4" => "nfeAutorizacaoLote",
        "NFeRetAutorizacao4" => "nfeRetAutorizacaoLote",
        "NFeConsultaProtocolo4" => "nfeConsultaNF",
        "NFeRecepcaoEvento4" => "nfeRecepcaoEvento",
        "NFeInutilizacao4" => "nfeInutilizacaoNF",
        "NFeStatusServico4" => "nfeStatusServicoNF",
        other => panic!("there is no service {other}"),
    }
}

/// The text of the first element of a name.
fn text<'x>(document: &'x Document<'_>, name: &str) -> &'x str {
    let named = |node: &roxmltree::Node<'_, '_>| node.tag_name().name() == name;
    let node = document.descendants().find(named).unwrap_or_else(|| panic!("no {name}"));
    node.text().unwrap_or("")
}

fn wrapped(name: &str, code: u16, words: &str, rest: &str) -> String {
    format!(
        "<{name} xmlns=\"{NAMESPACE}\" versao=\"4.00\"><tpAmb>2</tpAmb><verAplic>TESTE</verAplic>\
         <cStat>{code}</cStat><xMotivo>{words}</xMotivo><cUF>35</cUF>\
         <dhRecbto>{AT}</dhRecbto>{rest}</{name}>"
    )
}

impl Books {
    pub(super) fn good(&self) -> Vec<String> {
        let good = |(_, it): &(&String, &Invoice)| it.cancelled.is_none() && !it.denied;
        self.invoices.iter().filter(good).map(|(key, _)| key.clone()).collect()
    }

    pub(super) fn authorised(&self) -> usize {
        self.invoices.values().filter(|invoice| !invoice.denied).count()
    }

    /// Does what a request asks for, as far as the behavior allows, and says what became of it.
    pub(super) fn answer(&mut self, service: &str, message: &str, behavior: Behavior) -> String {
        let document = Document::parse(message).expect("XML");
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some(NAMESPACE));
        if matches!(
            behavior,
            Behavior::SilentBefore | Behavior::Garbage | Behavior::Fault | Behavior::OtherXml
        ) {
            return String::new();
        }
        let name = root.tag_name().name();
        if behavior == Behavior::Paused {
            let words = "Serviço Paralisado Momentaneamente (curto prazo)";
            return wrapped(
                &format!("ret{}{}", name[..1].to_uppercase(), &name[1..]),
                108,
                words,
                "",
            );
        }
        match (service, name) {
            ("NFeAutorizacao4", "enviNFe") => self.authorise(message, &document, behavior),
            ("NFeRetAutorizacao4", "consReciNFe") => self.receipt(text(&document, "nRec")),
            ("NFeConsultaProtocolo4", "consSitNFe") => {
                let answer = self.situation(text(&document, "chNFe"));
                match behavior {
                    // Of its two codes the protocol's own.
                    Behavior::Unreadable => answer.replacen(
                        "</digVal><cStat>100</cStat>",
                        "</digVal><cStat></cStat>",
                        1,
                    ),
                    _ => answer,
                }
            }
            ("NFeRecepcaoEvento4", "envEvento") if text(&document, "tpEvento") == "110110" => {
                self.correct(message, &document)
            }
            ("NFeRecepcaoEvento4", "envEvento") => self.cancel(message, &document, behavior),
            ("NFeInutilizacao4", "inutNFe") => self.disable(&document),
            ("NFeStatusServico4", "consStatServ") => {
                assert_eq!((text(&document, "cUF"), text(&document, "xServ")), ("35", "STATUS"));
                wrapped("retConsStatServ", 107, "Serviço em Operação", "")
            }
            other => panic!("{other:?}"),
        }
    }

    fn authorise(&mut self, message: &str, document: &Document<'_>, behavior: Behavior) -> String {
        assert_eq!(text(document, "indSinc"), "1");
        assert!(text(document, "idLote").len() <= 15);
        let inf = document.descendants().find(|node| node.has_tag_name("infNFe"));
        let inf =
            inf.or_else(|| document.descendants().find(|it| it.tag_name().name() == "infNFe"));
        let id = inf.and_then(|inf| inf.attribute("Id")).expect("an Id");
        let key = id.strip_prefix("NFe").expect("its prefix").to_owned();
        assert!(message.contains(&format!("<Reference URI=\"#{id}\">")), "it is signed");
        let digest = text(document, "DigestValue");
        match behavior {
            Behavior::Rejects(code, words) => processed(&decided(&key, digest, code, words, None)),
            Behavior::Receipts(times) => {
                self.take(&key, digest, behavior);
                let receipt = format!("3510000000{:05}", self.receipts.len() + 1);
                self.receipts.insert(receipt.clone(), (key, times));
                let rest = format!("<infRec><nRec>{receipt}</nRec><tMed>1</tMed></infRec>");
                wrapped("retEnviNFe", 103, "Lote recebido com sucesso", &rest)
            }
            _ => processed(&self.take(&key, digest, behavior)),
        }
    }

    /// Decides about an invoice, and answers with the protocol of that.
    fn take(&mut self, key: &str, digest: &str, behavior: Behavior) -> String {
        if self.invoices.contains_key(key) {
            return decided(key, digest, 204, "Rejeição: Duplicidade de NF-e", None);
        }
        // Company, series and number.
        let same_number = |other: &&String| other[6..34] == key[6..34];
        if let Some(other) = self.invoices.keys().find(same_number) {
            let words = format!(
                "Rejeição: Duplicidade de NF-e, com diferença na Chave de Acesso [chNFe: {other}]"
            );
            return decided(key, digest, 539, &words, None);
        }
        self.numbers += 1;
        let number = format!("1352600000{:05}", self.numbers);
        let denied = behavior == Behavior::Denies;
        let (code, words) = match behavior {
            Behavior::Denies => (302, "Uso Denegado: Irregularidade fiscal do destinatário"),
            Behavior::Alerts => (120, "Autorizado o uso da NF-e com alerta"),
            _ => (100, "Autorizado o uso da NF-e"),
        };
        let mut protocol = decided(key, digest, code, words, Some(&number));
        if behavior == Behavior::Alerts {
            let messages = "</xMotivo><cMsg>9001</cMsg><xMsg>Confira a IE</xMsg><cMsg>9002</cMsg>\
                <xMsg>Confira o CEP</xMsg>";
            protocol = protocol.replacen("</xMotivo>", messages, 1);
        }
        let invoice = Invoice { protocol: protocol.clone(), cancelled: None, denied };
        self.invoices.insert(key.to_owned(), invoice);
        protocol
    }

    fn receipt(&mut self, number: &str) -> String {
        let Some((key, times)) = self.receipts.get_mut(number) else {
            return wrapped("retConsReciNFe", 106, "Lote não localizado", "");
        };
        if *times > 0 {
            *times -= 1;
            return wrapped("retConsReciNFe", 105, "Lote em processamento", "");
        }
        let protocol = &self.invoices[key.as_str()].protocol;
        wrapped("retConsReciNFe", 104, "Lote processado", protocol)
    }

    fn situation(&self, key: &str) -> String {
        let name = "retConsSitNFe";
        match self.invoices.get(key) {
            None => wrapped(name, 217, "Rejeição: NF-e não consta na base de dados da SEFAZ", ""),
            Some(Invoice { protocol, cancelled: Some((event, answer)), .. }) => {
                let rest = format!(
                    "{protocol}<procEventoNFe versao=\"1.00\">{event}{answer}</procEventoNFe>"
                );
                wrapped(name, 101, "Cancelamento de NF-e homologado", &rest)
            }
            Some(Invoice { protocol, denied: true, .. }) => {
                wrapped(name, 302, "Uso Denegado", protocol)
            }
            Some(Invoice { protocol, .. }) => {
                let corrections = self.corrections.iter().filter(|((of, _), _)| of == key);
                let corrections = corrections.map(|(_, (event, answer))| {
                    format!("<procEventoNFe versao=\"1.00\">{event}{answer}</procEventoNFe>")
                });
                let rest = format!("{protocol}{}", corrections.collect::<String>());
                let alerts = protocol.contains("<cStat>120</cStat>");
                wrapped(name, if alerts { 120 } else { 100 }, "Autorizado o uso da NF-e", &rest)
            }
        }
    }

    fn cancel(&mut self, message: &str, document: &Document<'_>, behavior: Behavior) -> String {
        assert_eq!(text(document, "tpEvento"), "110111");
        assert!((15..=255).contains(&text(document, "xJust").chars().count()));
        let key = text(document, "chNFe").to_owned();
        let event = document.descendants().find(|it| it.tag_name().name() == "evento");
        let event = message[event.expect("an event").range()].to_owned();
        let answer = match self.invoices.get_mut(&key) {
            None => registered(&key, 494, "Rejeição: Chave de Acesso inexistente"),
            Some(Invoice { cancelled: Some(_), .. }) => {
                registered(&key, 573, "Rejeição: Duplicidade de evento")
            }
            Some(_) if behavior == Behavior::TooLate => {
                let words = "Rejeição: Prazo de Cancelamento superior ao previsto na Legislação";
                registered(&key, 501, words)
            }
            Some(invoice) => {
                assert!(invoice.protocol.contains(text(document, "nProt")), "its protocol");
                let answer = registered(&key, 135, "Evento registrado e vinculado a NF-e");
                invoice.cancelled = Some((event, answer.clone()));
                answer
            }
        };
        wrapped("retEnvEvento", 128, "Lote de Evento Processado", &answer)
    }

    fn correct(&mut self, message: &str, document: &Document<'_>) -> String {
        assert!((15..=1000).contains(&text(document, "xCorrecao").chars().count()));
        let (key, number) = (text(document, "chNFe"), text(document, "nSeqEvento"));
        let event = document.descendants().find(|it| it.tag_name().name() == "evento");
        let event = message[event.expect("an event").range()].to_owned();
        let place = (key.to_owned(), number.to_owned());
        let answer = match self.corrections.entry(place) {
            Entry::Occupied(_) => registered(key, 573, "Rejeição: Duplicidade de evento"),
            Entry::Vacant(place) => {
                let answer = registered(key, 135, "Evento registrado e vinculado a NF-e")
                    .replace("110111", "110110")
                    .replace("<nSeqEvento>1<", &format!("<nSeqEvento>{number}<"));
                place.insert((event, answer.clone()));
                answer
            }
        };
        wrapped("retEnvEvento", 128, "Lote de Evento Processado", &answer)
    }

    fn disable(&mut self, document: &Document<'_>) -> String {
        let range = ["ano", "CNPJ", "mod", "serie", "nNFIni", "nNFFin"]
            .map(|name| text(document, name))
            .join("/");
        let (code, words) = if self.disabled.contains(&range) {
            (563, "Rejeição: Já existe pedido de Inutilização com a mesma faixa de inutilização")
        } else {
            self.disabled.push(range);
            (102, "Inutilização de número homologado")
        };
        format!(
            "<retInutNFe xmlns=\"{NAMESPACE}\" versao=\"4.00\"><infInut><tpAmb>2</tpAmb>\
             <verAplic>TESTE</verAplic><cStat>{code}</cStat><xMotivo>{words}</xMotivo>\
             <cUF>35</cUF><dhRecbto>{AT}</dhRecbto></infInut></retInutNFe>"
        )
    }
}

fn processed(protocol: &str) -> String {
    wrapped("retEnviNFe", 104, "Lote processado", protocol)
}

fn decided(key: &str, digest: &str, code: u16, words: &str, number: Option<&str>) -> String {
    let number = number.map_or(String::new(), |number| format!("<nProt>{number}</nProt>"));
    format!(
        "<protNFe versao=\"4.00\"><infProt><tpAmb>2</tpAmb><verAplic>TESTE</verAplic>\
         <chNFe>{key}</chNFe><dhRecbto>{AT}</dhRecbto>{number}<digVal>{digest}</digVal>\
         <cStat>{code}</cStat><xMotivo>{words}</xMotivo></infProt></protNFe>"
    )
}

fn registered(key: &str, code: u16, words: &str) -> String {
    format!(
        "<retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><verAplic>TESTE</verAplic>\
         <cOrgao>35</cOrgao><cStat>{code}</cStat><xMotivo>{words}</xMotivo><chNFe>{key}</chNFe>\
         <tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><dhRegEvento>{AT}</dhRegEvento>\
         <nProt>135260000099999</nProt></infEvento></retEvento>"
    )
}
