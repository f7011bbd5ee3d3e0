//! Rules about the head of the document (`ide`) and its key.

use std::time::Duration;

use super::{Note, Rule, rule};
use crate::nfe::document::NOBODY;
use crate::nfe::key::{AccessKey, is_random_code};

/// How far the issuer's clock may be ahead of the office's.
const CLOCK: Duration = Duration::from_secs(5 * 60);
/// How old an invoice may be that comes in.
const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub(super) const RULES: &[Rule] = &[
    rule(
        502,
        "Erro na Chave de Acesso - Campo Id não corresponde à concatenação dos campos \
         correspondentes",
        "MOC 7.0, Anexo I, A03-10",
        |note, _| note.key.get(..43) != Some(&*key_of(note)),
    ),
    rule(
        253,
        "Digito Verificador da chave de acesso composta inválida",
        "MOC 7.0, Anexo I, B23-10",
        |note, _| note.key.parse::<AccessKey>().is_err(),
    ),
    rule(897, "Código numérico em formato inválido", "MOC 7.0, Anexo I, B03-10", |note, _| {
        let number = |name| note.header.text(name).parse::<u32>().unwrap_or_default();
        !is_random_code(number("cNF"), number("nNF"))
    }),
    rule(
        244,
        "Processo de Emissão pelo Contribuinte incompatível com a Série da NF",
        "MOC 7.0, Anexo I, B26-10",
        |note, _| {
            let series = note.header.text("serie").parse::<u16>();
            note.header.text("procEmi") == "0" && series.is_ok_and(|series| series > 889)
        },
    ),
    rule(
        703,
        "Data-Hora de Emissão posterior ao horário de recebimento",
        "MOC 7.0, Anexo I, B09-10",
        |note, reception| note.issued_at.is_some_and(|it| it > reception.at.plus(CLOCK)),
    ),
    rule(228, "Data de Emissão muito atrasada", "MOC 7.0, Anexo I, B09-20", |note, reception| {
        note.issued_at.is_some_and(|it| it.plus(AGE) < reception.at)
    }),
    rule(434, "NF-e sem indicativo do intermediador", "NT 2020.006, B25c-10", |note, _| {
        takes_intermediary(note) && !note.header.has("indIntermed")
    }),
    rule(
        435,
        "NF-e não pode ter o indicativo do intermediador",
        "NT 2020.006, B25c-20",
        |note, _| !takes_intermediary(note) && note.header.has("indIntermed"),
    ),
    rule(
        438,
        "Obrigatória as informações do intermediador da transação para operação por site de \
         terceiros",
        "NT 2020.006, YB01-10",
        |note, _| note.header.text("indIntermed") == "1" && !note.root.has("infIntermed"),
    ),
    rule(
        439,
        "Informações do intermediador da transação para operação por site de terceiros preenchido \
         indevidamente",
        "NT 2020.006, YB01-20",
        |note, _| note.header.text("indIntermed") != "1" && note.root.has("infIntermed"),
    ),
    rule(
        598,
        "NF-e emitida em ambiente de homologação com Razão Social do destinatário diferente de \
         NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL",
        "MOC 7.0, Anexo I, E04-20",
        |note, _| {
            let name = note.recipient.map_or("", |part| part.text("xNome"));
            note.header.text("tpAmb") == "2" && name != NOBODY
        },
    ),
];

/// Sales over distance say whether somebody else's site is between seller and buyer.
fn takes_intermediary(note: &Note<'_>) -> bool {
    matches!(note.header.text("indPres"), "2" | "3" | "4" | "9")
}

/// What the key must be without its check digit.
fn key_of(note: &Note<'_>) -> String {
    let text = |name| note.header.text(name);
    let month = note.day.format("%y%m");
    let cnpj = note.issuer.text("CNPJ");
    format!(
        "{}{month}{cnpj}{}{:0>3}{:0>9}{}{}",
        text("cUF"),
        text("mod"),
        text("serie"),
        text("nNF"),
        text("tpEmis"),
        text("cNF")
    )
}
