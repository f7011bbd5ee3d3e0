//! The declaration of content in the form of Correios, two copies on a page: one for the parcel,
//! one for the shop.

use chrono::Datelike;

use super::sheet::{Line, Parcel, Party, Sheet};
use crate::clock::Timestamp;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, HEIGHT, PdfPage, Type, WIDTH};
use crate::pdf::write;

const EDGE: f32 = 8.0;
const INNER: f32 = WIDTH - 2.0 * EDGE;
/// A copy is half a page.
const COPY: f32 = HEIGHT / 2.0;
/// The height of a row of the form.
const ROW: f32 = 4.4;
/// What stands left of a party's data.
const LABEL: f32 = 17.0;
/// Lines of goods that a copy has room for.
const LINES: usize = 10;
/// The columns of the goods: number, content, quantity, value.
const COLUMNS: [f32; 4] = [12.0, INNER - 62.0, 20.0, 30.0];

const TITLE: Type = Type::new(Face::Bold, 11.0, Align::Center);
const HEADING: Type = Type::new(Face::Bold, 7.5, Align::Center);
const TEXT: Type = Type::new(Face::Regular, 7.5, Align::Left).down_to(5.0);
const DECLARED: Type = Type::new(Face::Regular, 6.7, Align::Left);

/// What the sender declares, in the words of Correios' form.
const DECLARATION: [&str; 2] = [
    "Declaro que não me enquadro no conceito de contribuinte previsto no art. 4º da Lei Complementar \
     nº 87/1996, uma vez que não realizo, com habitualidade ou em volume que caracterize intuito \
     comercial, operações de circulação de mercadoria, ainda que se iniciem no exterior, ou estou \
     dispensado da emissão da nota fiscal por força da legislação tributária vigente, \
     responsabilizando-me, nos termos da lei e a quem de direito, por informações inverídicas.",
    "Declaro que não envio objeto que ponha em risco o transporte aéreo, nem objeto proibido no fluxo \
     postal, assumindo responsabilidade pela informação prestada, e ciente de que o descumprimento \
     pode configurar crime, conforme artigo 261 do Código Penal Brasileiro. Declaro, ainda, estar \
     ciente da lista de proibições e restrições, disponível no site dos Correios.",
];
const CRIME: &str = "OBSERVAÇÃO: Constitui crime contra a ordem tributária suprimir ou reduzir \
                     tributo, ou contribuição social e qualquer acessório (Lei 8.137/90 Art. 1º, V).";

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// A row of the goods: a name may take several.
struct Good {
    cells: [String; 4],
}

/// The pages of all parcels of an order.
pub(super) fn pages(sheet: &Sheet, now: Timestamp) -> Vec<printpdf::PdfPage> {
    sheet.parcels.iter().flat_map(|parcel| of_parcel(sheet, parcel, now)).collect()
}

fn of_parcel(sheet: &Sheet, parcel: &Parcel, now: Timestamp) -> Vec<printpdf::PdfPage> {
    let goods: Vec<Good> =
        parcel.lines.iter().enumerate().flat_map(|(n, line)| rows_of(n + 1, line)).collect();
    let parts: Vec<&[Good]> = goods.chunks(LINES).collect();
    let count = parts.len();
    let page = |(n, part): (usize, &&[Good])| {
        let mut pdf = PdfPage::new();
        let copy = Copy { sheet, parcel, goods: part, page: (n + 1, count), now };
        copy.draw(&mut pdf, EDGE / 2.0);
        pdf.dashes(COPY, Area { x: 0.0, y: COPY, w: WIDTH, h: 0.0 });
        copy.draw(&mut pdf, COPY + EDGE / 2.0);
        pdf.finish()
    };
    parts.iter().enumerate().map(page).collect()
}

fn rows_of(n: usize, line: &Line) -> Vec<Good> {
    let names = TEXT.face.wrap(TEXT.size, COLUMNS[1] - 2.0, &line.name);
    let first = [n.to_string(), line.quantity.to_string(), write::money(&line.value.to_string())];
    let row = |(at, name): (usize, String)| {
        let [n, quantity, value] = if at == 0 { first.clone() } else { Default::default() };
        Good { cells: [n, name, quantity, value] }
    };
    names.into_iter().enumerate().map(row).collect()
}

/// One of the two copies of a page.
struct Copy<'a> {
    sheet: &'a Sheet,
    parcel: &'a Parcel,
    goods: &'a [Good],
    /// Which page of how many.
    page: (usize, usize),
    now: Timestamp,
}

impl Copy<'_> {
    fn draw(&self, pdf: &mut PdfPage, top: f32) {
        let mut y = top;
        self.heading(pdf, y);
        y += 7.5;
        let half = INNER / 2.0;
        party(pdf, Area { x: EDGE, y, w: half, h: 0.0 }, "REMETENTE", &self.sheet.sender);
        let right = Area { x: EDGE + half, y, w: half, h: 0.0 };
        y = party(pdf, right, "DESTINATÁRIO", &self.sheet.recipient);
        y = self.table(pdf, y);
        self.declaration(pdf, y);
    }

    fn heading(&self, pdf: &mut PdfPage, y: f32) {
        let area = Area { x: EDGE, y, w: INNER, h: 7.0 };
        pdf.text(area, y + 5.0, TITLE, "DECLARAÇÃO DE CONTEÚDO");
        pdf.text(area, y + 5.0, TEXT, &format!("Pedido {}", self.sheet.number));
        let (page, count) = self.page;
        if count > 1 {
            let right = Type { align: Align::Right, ..TEXT };
            pdf.text(area, y + 5.0, right, &format!("Folha {page} de {count}"));
        }
    }

    /// The goods and, on the last page, what they come to.
    fn table(&self, pdf: &mut PdfPage, y: f32) -> f32 {
        let mut y = band(pdf, y, "IDENTIFICAÇÃO DOS BENS");
        y = cells(
            pdf,
            y,
            &["ITEM", "CONTEÚDO", "QUANT.", "VALOR (R$)"].map(str::to_owned),
            HEADING,
        );
        for at in 0..LINES {
            let row = self.goods.get(at).map(|good| good.cells.clone()).unwrap_or_default();
            y = cells(pdf, y, &row, TEXT);
        }
        let (page, count) = self.page;
        let (units, value, kilograms) = if page == count {
            let value = write::money(&self.parcel.value().to_string());
            (self.parcel.units().to_string(), value, self.parcel.kilograms())
        } else {
            ("continua".to_owned(), "continua".to_owned(), "continua".to_owned())
        };
        y = totals(pdf, y, "TOTAIS", [units, value]);
        totals(pdf, y, "PESO TOTAL (kg)", [String::new(), kilograms])
    }

    fn declaration(&self, pdf: &mut PdfPage, y: f32) {
        let mut y = band(pdf, y, "DECLARAÇÃO");
        let top = y;
        for paragraph in DECLARATION {
            y = paragraph_at(pdf, y, paragraph) + 0.8;
        }
        let day = self.now.local_day();
        let month = MONTHS[day.month0() as usize];
        let place = if self.sheet.sender.city.is_empty() {
            "_______________________".to_owned()
        } else {
            self.sheet.sender.city.clone()
        };
        let dated = format!("{place}, {} de {month} de {}", day.format("%d"), day.format("%Y"));
        let left = Area { x: EDGE, y, w: INNER / 2.0, h: 9.0 }.inside(1.5);
        pdf.text(left, y + 5.0, TEXT, &dated);
        let right = Area { x: EDGE + INNER / 2.0, y, w: INNER / 2.0, h: 9.0 }.inside(4.0);
        pdf.line((right.x, y + 5.5), (right.x + right.w, y + 5.5));
        let signed = Type { align: Align::Center, ..TEXT };
        pdf.text(right, y + 8.5, signed, "Assinatura do Declarante/Remetente");
        y += 10.0;
        pdf.frame(Area { x: EDGE, y: top, w: INNER, h: y - top });
        paragraph_at(pdf, y, CRIME);
    }
}

/// The data of a sender or recipient under a title; answers where they end.
fn party(pdf: &mut PdfPage, area: Area, title: &str, party: &Party) -> f32 {
    let mut y = area.y;
    pdf.frame(Area { y, h: ROW, ..area });
    pdf.text(area, y + 3.2, HEADING, title);
    y += ROW;
    let [first, second] = in_two_lines(area.w - LABEL - 3.0, party);
    let (place, zip_code) = (party.place(), write::cep(&party.zip_code));
    let rows: [(&str, &str); 6] = [
        ("NOME:", &party.name),
        ("ENDEREÇO:", &first),
        ("", &second),
        ("CIDADE/UF:", &place),
        ("CEP:", &zip_code),
        ("CPF/CNPJ:", &party.document),
    ];
    for (label, text) in rows {
        let row = Area { y, h: ROW, ..area };
        pdf.frame(row);
        let inside = row.inside(1.0);
        pdf.text(inside, y + 3.2, Type { align: Align::Left, ..HEADING }, label);
        pdf.text(Area { x: inside.x + LABEL, w: inside.w - LABEL, ..inside }, y + 3.2, TEXT, text);
        y += ROW;
    }
    y + 1.0
}

/// Street and district, broken for the size at which they take two lines at most.
fn in_two_lines(width: f32, party: &Party) -> [String; 2] {
    let parts = [party.street.as_str(), &party.district];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let sizes = [TEXT.size, 6.5, 5.75, TEXT.least];
    let broken = |size: f32| TEXT.face.wrap(size, width, &parts.join(" - "));
    let lines = sizes.into_iter().map(broken).find(|lines| lines.len() <= 2);
    let mut lines = lines.unwrap_or_else(|| broken(TEXT.least)).into_iter();
    [lines.next().unwrap_or_default(), lines.collect::<Vec<_>>().join(" ")]
}

/// A title over the whole width; answers where it ends.
fn band(pdf: &mut PdfPage, y: f32, title: &str) -> f32 {
    let area = Area { x: EDGE, y, w: INNER, h: ROW };
    pdf.frame(area);
    pdf.text(area, y + 3.2, HEADING, title);
    y + ROW
}

/// A row of the goods; answers where it ends.
fn cells(pdf: &mut PdfPage, y: f32, texts: &[String; 4], kind: Type) -> f32 {
    let mut x = EDGE;
    for (at, (text, w)) in texts.iter().zip(COLUMNS).enumerate() {
        let area = Area { x, y, w, h: ROW };
        pdf.frame(area);
        let align = if at == 1 { kind.align } else { Align::Center };
        pdf.text(area.inside(1.0), y + 3.2, Type { align, ..kind }, text);
        x += w;
    }
    y + ROW
}

/// A sum below the goods; answers where it ends.
fn totals(pdf: &mut PdfPage, y: f32, label: &str, [units, value]: [String; 2]) -> f32 {
    let w = COLUMNS[0] + COLUMNS[1];
    let area = Area { x: EDGE, y, w, h: ROW };
    pdf.frame(area);
    pdf.text(area.inside(1.0), y + 3.2, Type { align: Align::Right, ..HEADING }, label);
    let mut x = EDGE + w;
    for (text, w) in [units, value].iter().zip([COLUMNS[2], COLUMNS[3]]) {
        let area = Area { x, y, w, h: ROW };
        pdf.frame(area);
        pdf.text(area.inside(1.0), y + 3.2, HEADING, text);
        x += w;
    }
    y + ROW
}

fn paragraph_at(pdf: &mut PdfPage, y: f32, text: &str) -> f32 {
    let area = Area { x: EDGE, y, w: INNER, h: 0.0 }.inside(1.5);
    let mut base = y + 3.0;
    for line in DECLARED.face.wrap(DECLARED.size, area.w, text) {
        pdf.text(area, base, DECLARED, &line);
        base += 2.75;
    }
    base - 2.75 + 0.6
}
