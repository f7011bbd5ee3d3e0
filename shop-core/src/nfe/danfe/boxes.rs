//! Boxes that both forms have.

use super::layout::Value::{
    Blank, Cep, Date, Identity, Made, Money, Phone, Proof, Street, Text, Time, Weight,
};
use super::layout::{Block, Field, REST, Row};
use super::parse::{Invoice, Part};
use crate::pdf::write;

pub(super) const OPERATION: Row = Row::new(&[
    Field::new("NATUREZA DA OPERAÇÃO", REST, Text("ide/natOp")),
    Field::new("PROTOCOLO DE AUTORIZAÇÃO DE USO", 95.0, Proof(protocol)),
]);

pub(super) const REGISTRATION: Row = Row::new(&[
    Field::new("INSCRIÇÃO ESTADUAL", REST, Text("emit/IE")),
    Field::new("INSCRIÇÃO ESTADUAL DO SUBST. TRIBUT.", REST, Text("emit/IEST")),
    Field::new("CNPJ / CPF", REST, Identity("emit")),
]);

/// Where the recipient is.
pub(super) const RECIPIENT_ADDRESS: &str = "dest/enderDest";

pub(super) const RECIPIENT: Block = Block::new(
    "DESTINATÁRIO / REMETENTE",
    &[
        Row::new(&[
            Field::new("NOME / RAZÃO SOCIAL", REST, Text("dest/xNome")),
            Field::new("CNPJ / CPF", 38.0, Identity("dest")),
            Field::new("DATA DA EMISSÃO", 30.0, Date("ide/dhEmi")),
        ]),
        Row::new(&[
            Field::new("ENDEREÇO", REST, Street(RECIPIENT_ADDRESS)),
            Field::new("BAIRRO / DISTRITO", 45.0, Text("dest/enderDest/xBairro")),
            Field::new("CEP", 22.0, Cep("dest/enderDest/CEP")),
            Field::new("DATA DA SAÍDA / ENTRADA", 30.0, Date("ide/dhSaiEnt")),
        ]),
        Row::new(&[
            Field::new("MUNICÍPIO", REST, Text("dest/enderDest/xMun")),
            Field::new("FONE / FAX", 36.0, Phone("dest/enderDest/fone")),
            Field::new("UF", 10.0, Text("dest/enderDest/UF")),
            Field::new("INSCRIÇÃO ESTADUAL", 45.0, Text("dest/IE")),
            Field::new("HORA DA SAÍDA / ENTRADA", 30.0, Time("ide/dhSaiEnt")),
        ]),
    ],
);

/// Where goods are picked up or delivered, if not at the company or the recipient.
macro_rules! place {
    ($title:literal, $path:literal) => {
        Block::new(
            $title,
            &[
                Row::with(
                    $path,
                    &[
                        Field::new("NOME / RAZÃO SOCIAL", REST, Text(concat!($path, "/xNome"))),
                        Field::new("CNPJ / CPF", 38.0, Identity($path)),
                        Field::new("INSCRIÇÃO ESTADUAL", 35.0, Text(concat!($path, "/IE"))),
                    ],
                ),
                Row::with(
                    $path,
                    &[
                        Field::new("ENDEREÇO", REST, Street($path)),
                        Field::new("BAIRRO / DISTRITO", 60.0, Text(concat!($path, "/xBairro"))),
                        Field::new("CEP", 22.0, Cep(concat!($path, "/CEP"))),
                    ],
                ),
                Row::with(
                    $path,
                    &[
                        Field::new("MUNICÍPIO", REST, Text(concat!($path, "/xMun"))),
                        Field::new("UF", 10.0, Text(concat!($path, "/UF"))),
                        Field::new("FONE / FAX", 36.0, Phone(concat!($path, "/fone"))),
                    ],
                ),
            ],
        )
    };
}

pub(super) const PICK_UP: Block = place!("INFORMAÇÕES DO LOCAL DE RETIRADA", "retirada");
pub(super) const DELIVERY: Block = place!("INFORMAÇÕES DO LOCAL DE ENTREGA", "entrega");

pub(super) const BILLING: Block = Block {
    title: "FATURA / DUPLICATAS",
    rows: &[Row::with(
        "cobr/fat",
        &[
            Field::new("NÚMERO", REST, Text("cobr/fat/nFat")),
            Field::new("VALOR ORIGINAL", REST, Money("cobr/fat/vOrig")),
            Field::new("VALOR DO DESCONTO", REST, Money("cobr/fat/vDesc")),
            Field::new("VALOR LÍQUIDO", REST, Money("cobr/fat/vLiq")),
        ],
    )],
    list: Some(instalments),
};

const CARRIER: &[Field] = &[
    Field::new("NOME / RAZÃO SOCIAL", REST, Text("transp/transporta/xNome")),
    Field::new("FRETE POR CONTA", 32.0, Made(freight)),
    Field::new("CÓDIGO ANTT", 20.0, Text("transp/veicTransp/RNTC")),
    Field::new("PLACA DO VEÍCULO", 22.0, Text("transp/veicTransp/placa")),
    Field::new("UF", 9.0, Text("transp/veicTransp/UF")),
    Field::new("CNPJ / CPF", 38.0, Identity("transp/transporta")),
];

const CARRIER_PLACE: &[Field] = &[
    Field::new("ENDEREÇO", REST, Text("transp/transporta/xEnder")),
    Field::new("MUNICÍPIO", 60.0, Text("transp/transporta/xMun")),
    Field::new("UF", 9.0, Text("transp/transporta/UF")),
    Field::new("INSCRIÇÃO ESTADUAL", 38.0, Text("transp/transporta/IE")),
];

const VOLUMES: &[Field] = &[
    Field::new("QUANTIDADE", 25.0, Text("transp/vol/qVol")),
    Field::new("ESPÉCIE", REST, Text("transp/vol/esp")),
    Field::new("MARCA", REST, Text("transp/vol/marca")),
    Field::new("NUMERAÇÃO", REST, Text("transp/vol/nVol")),
    Field::new("PESO BRUTO", 30.0, Weight("transp/vol/pesoB")),
    Field::new("PESO LÍQUIDO", 30.0, Weight("transp/vol/pesoL")),
];

/// The carrier, with all its boxes.
pub(super) const TRANSPORT: Block = Block::new(
    "TRANSPORTADOR / VOLUMES TRANSPORTADOS",
    &[Row::new(CARRIER), Row::new(CARRIER_PLACE), Row::new(VOLUMES)],
);

/// The carrier, with the boxes of which there is something to say.
pub(super) const TRANSPORT_AS_NEEDED: Block = Block::new(
    "TRANSPORTADOR / VOLUMES TRANSPORTADOS",
    &[
        Row::new(CARRIER),
        Row::with("transp/transporta", CARRIER_PLACE),
        Row::with("transp/vol", VOLUMES),
    ],
);

pub(super) const SERVICES: Block = Block::new(
    "CÁLCULO DO ISSQN",
    &[Row::with(
        "total/ISSQNtot",
        &[
            Field::new("INSCRIÇÃO MUNICIPAL", REST, Text("emit/IM")),
            Field::new("VALOR TOTAL DOS SERVIÇOS", REST, Money("total/ISSQNtot/vServ")),
            Field::new("BASE DE CÁLCULO DO ISSQN", REST, Money("total/ISSQNtot/vBC")),
            Field::new("VALOR DO ISSQN", REST, Money("total/ISSQNtot/vISS")),
        ],
    )],
);

pub(super) const TAX_REGIME: Row = Row::new(&[
    Field::new("CÓDIGO DO REGIME TRIBUTÁRIO", REST, Made(tax_regime)),
    // No element carries it yet; the box is there for when one does.
    Field::new("TIPO DE REGIME DE APURAÇÃO DO IBS E DA CBS", REST, Blank),
]);

fn protocol(invoice: Invoice<'_>) -> String {
    let received = invoice.protocol("dhRecbto");
    if received.is_empty() {
        return String::new();
    }
    let number = invoice.protocol("nProt");
    format!("{number} - {} {}", write::date(received), write::time(received))
}

fn instalments(invoice: Invoice<'_>) -> Vec<String> {
    let Some(billing) = invoice.root.find("cobr") else { return Vec::new() };
    let instalment = |it: Part<'_>| {
        let (day, amount) = (write::date(it.text("dVenc")), write::money(it.text("vDup")));
        format!("{}  {day}  R$ {amount}", it.text("nDup"))
    };
    billing.all("dup").map(instalment).collect()
}

fn freight(invoice: Invoice<'_>) -> String {
    let text = match invoice.text("transp/modFrete") {
        "0" => "0 - Remetente (CIF)",
        "1" => "1 - Destinatário (FOB)",
        "2" => "2 - Terceiros",
        "3" => "3 - Próprio remetente",
        "4" => "4 - Próprio destinat.",
        "9" => "9 - Sem transporte",
        other => other,
    };
    text.to_owned()
}

fn tax_regime(invoice: Invoice<'_>) -> String {
    let text = match invoice.text("emit/CRT") {
        "1" => "1 - SIMPLES NACIONAL",
        "2" => "2 - SIMPLES NACIONAL - EXCESSO DE SUBLIMITE",
        "3" => "3 - REGIME NORMAL",
        "4" => "4 - SIMPLES NACIONAL - MEI",
        other => other,
    };
    text.to_owned()
}
