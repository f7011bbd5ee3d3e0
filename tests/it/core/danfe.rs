//! Invoices on paper: what stands on the sheets, read back by programs that know nothing of how
//! they were made.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use shop_core::nfe::danfe::{DanfeError, DanfeOptions, render};

const KEY: &str = "35261111222333000181550010000000011482719368";
const KEY_WITH_LETTERS: &str = "35261112ABC34501DE35550010000000051704182632";

/// What a test's invoice is about.
struct Note {
    key: &'static str,
    issued: &'static str,
    environment: u8,
    items: usize,
    notes: String,
}

impl Default for Note {
    fn default() -> Self {
        let notes = "PEDIDO PED-20261121-0001.".to_owned();
        Self { key: KEY, issued: "2026-11-21", environment: 1, items: 2, notes }
    }
}

impl Note {
    fn xml(&self) -> String {
        let Self { key, issued, environment, notes, .. } = self;
        let cnpj = &key[6..20];
        let items: String = (1..=self.items).map(item).collect();
        let ide = format!(
            "<ide><cUF>35</cUF><cNF>48271936</cNF><natOp>VENDA DE MERCADORIA</natOp><mod>55</mod>\
             <serie>1</serie><nNF>1234</nNF><dhEmi>{issued}T10:30:00-03:00</dhEmi><tpNF>1</tpNF>\
             <idDest>1</idDest><tpImp>1</tpImp><tpEmis>1</tpEmis><tpAmb>{environment}</tpAmb></ide>"
        );
        let emit = format!(
            "<emit><CNPJ>{cnpj}</CNPJ><xNome>AURORA VELAS ARTESANAIS LTDA</xNome><enderEmit>\
             <xLgr>RUA DAS FLORES</xLgr><nro>100</nro><xBairro>CENTRO</xBairro>\
             <xMun>SÃO PAULO</xMun><UF>SP</UF><CEP>01001000</CEP><fone>1133334444</fone>\
             </enderEmit><IE>110042490114</IE><CRT>1</CRT></emit>"
        );
        let dest = "<dest><CPF>52998224725</CPF><xNome>JOÃO DA CONCEIÇÃO &amp; FILHOS</xNome>\
            <enderDest><xLgr>AVENIDA PAULISTA</xLgr><nro>1578</nro><xCpl>APTO 12</xCpl>\
            <xBairro>BELA VISTA</xBairro><xMun>SÃO PAULO</xMun><UF>SP</UF><CEP>01310200</CEP>\
            <fone>11999998888</fone></enderDest><indIEDest>9</indIEDest></dest>";
        let total = "<total><ICMSTot><vBC>0.00</vBC><vICMS>0.00</vICMS><vBCST>0.00</vBCST>\
            <vST>0.00</vST><vProd>1234567.80</vProd><vFrete>18.50</vFrete><vSeg>0.00</vSeg>\
            <vDesc>13.00</vDesc><vIPI>0.00</vIPI><vOutro>0.00</vOutro><vNF>1234573.30</vNF>\
            </ICMSTot></total><transp><modFrete>0</modFrete><vol><qVol>1</qVol><esp>CAIXA</esp>\
            <pesoL>0.900</pesoL><pesoB>1.050</pesoB></vol></transp>";
        format!(
            "<nfeProc xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><NFe>\
             <infNFe Id=\"NFe{key}\" versao=\"4.00\">{ide}{emit}{dest}{items}{total}\
             <infAdic><infCpl>{notes}</infCpl></infAdic></infNFe></NFe><protNFe versao=\"4.00\">\
             <infProt><chNFe>{key}</chNFe><dhRecbto>{issued}T10:31:05-03:00</dhRecbto>\
             <nProt>135260000000001</nProt><cStat>100</cStat></infProt></protNFe></nfeProc>"
        )
    }

    fn pdf(&self, options: &DanfeOptions) -> Vec<u8> {
        render(&self.xml(), options).expect("a PDF")
    }

    /// What `pdftotext` reads on the sheets; none where it is not installed.
    fn text(&self, options: &DanfeOptions) -> Option<String> {
        read("pdftotext", &["-layout", "-", "-"], &self.pdf(options))
            .map(|text| String::from_utf8(text).expect("UTF-8"))
    }
}

fn item(n: usize) -> String {
    format!(
        "<det nItem=\"{n}\"><prod><cProd>VELA-{n:03}</cProd><cEAN>SEM GTIN</cEAN>\
         <xProd>VELA AROMÁTICA DE LAVANDA E CAPIM-LIMÃO NÚMERO {n:03} EM POTE DE VIDRO</xProd>\
         <NCM>34060000</NCM><CFOP>5102</CFOP><uCom>UN</uCom><qCom>2.0000</qCom>\
         <vUnCom>29.9000000000</vUnCom><vProd>59.80</vProd><uTrib>UN</uTrib><qTrib>2.0000</qTrib>\
         <vUnTrib>29.9000000000</vUnTrib></prod><imposto><ICMS><ICMSSN102><orig>0</orig>\
         <CSOSN>102</CSOSN></ICMSSN102></ICMS></imposto></det>"
    )
}

/// What a program makes of an input; none where the program is not installed.
fn read(program: &str, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        println!("left out: {program} is not installed");
        return None;
    };
    let mut stdin = child.stdin.take().expect("its input");
    let input = input.to_vec();
    let writing = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
    let output = child.wait_with_output().expect("runs");
    writing.join().expect("written").expect("written");
    Some(output.stdout)
}

#[test]
fn the_sheet_has_all_that_the_law_wants_to_see() {
    let Some(text) = Note::default().text(&DanfeOptions::default()) else { return };
    for field in [
        "RECEBEMOS DE AURORA VELAS ARTESANAIS LTDA",
        "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR",
        "DANFE",
        "Documento Auxiliar",
        "0 - ENTRADA",
        "1 - SAÍDA",
        "Nº 000.001.234",
        "SÉRIE 001",
        "FOLHA 1/1",
        "3526 1111 2223 3300 0181 5500 1000 0000 0114 8271 9368",
        "www.nfe.fazenda.gov.br/portal",
        "VENDA DE MERCADORIA",
        "135260000000001 - 21/11/2026 10:31:05",
        "110042490114",
        "11.222.333/0001-81",
        "JOÃO DA CONCEIÇÃO & FILHOS",
        "529.982.247-25",
        "21/11/2026",
        "AVENIDA PAULISTA, 1578, APTO 12",
        "01310-200",
        "(11) 99999-8888",
        "CÁLCULO DO IMPOSTO",
        "1.234.567,80",
        "1.234.573,30",
        "0 - Remetente (CIF)",
        "1,050",
        "VELA-001",
        "34060000",
        "0102",
        "5102",
        "29,9000",
        "PEDIDO PED-20261121-0001.",
        "RESERVADO AO FISCO",
    ] {
        assert!(text.contains(field), "{field} is missing in\n{text}");
    }
    assert!(!text.contains("SEM VALOR FISCAL") && !text.contains("CANCELADA"), "{text}");
}

#[test]
fn invoices_from_december_on_have_the_new_form() {
    let text = |issued| Note { issued, ..Note::default() }.text(&DanfeOptions::default());
    let (Some(before), Some(after)) = (text("2026-11-30"), text("2026-12-01")) else { return };
    for heading in [
        "CÓDIGO DO REGIME TRIBUTÁRIO",
        "1 - SIMPLES NACIONAL",
        "TOTAL DOS PRODUTOS E TOTAL DA NOTA",
        "TOTAL DO ICMS / IPI",
        "TOTAL DO IBS / CBS / IS",
        "BASES DE CÁLCULO",
        "VALOR DOS TRIBUTOS",
        "[NCM 34060000]",
    ] {
        assert!(after.contains(heading), "{heading} is missing in\n{after}");
        assert!(!before.contains(heading), "{heading} is in\n{before}");
    }
    assert!(before.contains("CÁLCULO DO IMPOSTO") && !after.contains("CÁLCULO DO IMPOSTO"));
}

#[test]
fn what_counts_for_nothing_is_marked() {
    // The mark runs across the sheet: read without regard to places and blanks.
    let raw = |xml: &str, cancelled| {
        let options = DanfeOptions { cancelled, ..DanfeOptions::default() };
        let text = read("pdftotext", &["-raw", "-", "-"], &render(xml, &options).expect("a PDF"));
        let text = text.map(|text| String::from_utf8(text).expect("UTF-8"));
        text.map(|text| text.chars().filter(|c| !c.is_whitespace()).collect::<String>())
    };
    let xml = Note::default().xml();
    let test = xml.replace("<tpAmb>1<", "<tpAmb>2<");
    let unauthorised = xml.replace("<cStat>100</cStat>", "<cStat>204</cStat>");
    for (xml, cancelled, mark) in [
        (&xml, false, None),
        (&test, false, Some("SEMVALORFISCAL")),
        (&unauthorised, false, Some("SEMVALORFISCAL")),
        (&xml, true, Some("CANCELADA")),
        (&test, true, Some("CANCELADA-SEMVALORFISCAL")),
    ] {
        let Some(text) = raw(xml, cancelled) else { return };
        for word in ["CANCELADA", "SEMVALORFISCAL"] {
            assert_eq!(text.contains(word), mark.is_some_and(|it| it.contains(word)), "{text}");
        }
        assert!(text.contains(mark.unwrap_or_default()), "{text}");
    }
}

#[test]
fn sixty_items_go_over_several_sheets_each_once() {
    for issued in ["2026-11-21", "2026-12-02"] {
        let note = Note { items: 60, issued, ..Note::default() };
        let Some(text) = note.text(&DanfeOptions::default()) else { return };
        // A sheet ends with a form feed.
        let sheets: Vec<&str> = text.trim_end_matches('\u{c}').split('\u{c}').collect();
        assert!(sheets.len() > 1, "{text}");
        for (index, sheet) in sheets.iter().enumerate() {
            let page = format!("FOLHA {}/{}", index + 1, sheets.len());
            assert!(sheet.contains(&page), "{page} is missing in\n{sheet}");
            assert!(sheet.contains("3526 1111 2223"), "every sheet has the key");
            assert_eq!(sheet.contains("RECEBEMOS DE"), index == 0);
            assert_eq!(sheet.contains("DADOS ADICIONAIS"), index == 0);
        }
        for n in 1..=60 {
            assert_eq!(text.matches(&format!("VELA-{n:03}")).count(), 1, "item {n}");
        }
    }
}

#[test]
fn long_remarks_go_on_behind_the_items_and_lose_nothing() {
    for items in [1, 25] {
        let words = (0..700).fold(String::new(), |mut text, n| {
            write!(text, "OBS{n:04} ").expect("a string");
            text
        });
        let note = Note { items, notes: words, ..Note::default() };
        let Some(text) = note.text(&DanfeOptions::default()) else { return };
        assert!(text.contains("CONTINUAÇÃO DAS INFORMAÇÕES COMPLEMENTARES"), "{text}");
        for n in 0..700 {
            assert_eq!(text.matches(&format!("OBS{n:04}")).count(), 1, "OBS{n:04}");
        }
    }
}

/// What `zbarimg` reads on the first sheet, scanned at so many dots per inch.
fn scanned(pdf: &[u8], dpi: &str, folder: &Path) -> Option<String> {
    let (file, picture) = (folder.join("danfe.pdf"), folder.join("danfe"));
    std::fs::write(&file, pdf).expect("written");
    let drawn = Command::new("pdftoppm")
        .args(["-r", dpi, "-png", "-singlefile"])
        .args([&file, &picture])
        .status();
    if drawn.is_err() {
        println!("left out: pdftoppm is not installed");
        return None;
    }
    let read = Command::new("zbarimg")
        .args(["-q", "--raw"])
        .arg(picture.with_extension("png"))
        .stderr(Stdio::null())
        .output();
    let Ok(read) = read else {
        println!("left out: zbarimg is not installed");
        return None;
    };
    Some(String::from_utf8(read.stdout).expect("text").trim_end().to_owned())
}

#[test]
fn the_bars_say_the_key_to_a_scanner() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (key, dpi) in [(KEY, "200"), (KEY, "300"), (KEY_WITH_LETTERS, "300")] {
        // The mark must not be in their way.
        let pdf = Note { key, environment: 2, ..Note::default() }.pdf(&DanfeOptions::default());
        let Some(read) = scanned(&pdf, dpi, folder.path()) else { return };
        assert_eq!(read, key, "at {dpi} dots per inch");
    }
}

#[test]
fn a_qr_code_stands_on_the_new_form_where_the_invoice_has_one() {
    const QR: &str = "https://www.nfe.fazenda.gov.br/qrcode?p=35261111222333000181550010000000011";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let note = Note { issued: "2026-12-02", ..Note::default() };
    let supplement = format!("</infNFe><infNFeSupl><qrCode>{QR}</qrCode></infNFeSupl>");
    let xml = note.xml().replace("</infNFe>", &supplement);
    let pdf = render(&xml, &DanfeOptions::default()).expect("a PDF");
    let Some(read) = scanned(&pdf, "200", folder.path()) else { return };
    let mut codes: Vec<&str> = read.lines().collect();
    codes.sort_unstable();
    assert_eq!(codes, [KEY, QR]);
}

/// A picture of two red and two half transparent pixels.
fn png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 2);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("a header");
    let pixels = [[255, 0, 0, 255], [255, 0, 0, 255], [0, 0, 255, 128], [0, 0, 255, 128]].concat();
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("a file");
    file
}

/// As much of a JPEG as says how large it is.
const JPEG_HEAD: &[u8] =
    b"\xFF\xD8\xFF\xE0\x00\x04\x00\x00\xFF\xC0\x00\x11\x08\x00\x10\x00\x20\x03\
    \x01\x22\x00\x02\x11\x01\x03\x11\x01";

#[test]
fn a_logo_is_part_of_the_file_and_a_broken_one_is_refused() {
    let with = |logo: &[u8]| {
        render(
            &Note::default().xml(),
            &DanfeOptions { logo: Some(logo.to_vec()), cancelled: false },
        )
    };
    let pdf = with(&png()).expect("a PDF");
    let contains = |pdf: &[u8], part: &[u8]| pdf.windows(part.len()).any(|it| it == part);
    assert!(contains(&pdf, b"/Subtype/Image"));
    if let Some(list) = images(&pdf) {
        assert!(list.contains(" 2 ") && list.contains("rgb"), "{list}");
    }
    let pdf = with(JPEG_HEAD).expect("a PDF");
    assert!(contains(&pdf, JPEG_HEAD) && contains(&pdf, b"DCTDecode"), "a JPEG is put in as it is");
    for broken in [&b"GIF89a"[..], &png()[..40], &JPEG_HEAD[..12], b"\xFF\xD8", b""] {
        assert!(matches!(with(broken), Err(DanfeError::Logo(_))), "{broken:?}");
    }
}

fn images(pdf: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("danfe.pdf");
    std::fs::write(&file, pdf).expect("written");
    let list = Command::new("pdfimages").arg("-list").arg(&file).output().ok()?;
    Some(String::from_utf8_lossy(&list.stdout).into_owned())
}

#[test]
fn what_is_no_invoice_of_this_kind_is_refused() {
    let options = DanfeOptions::default();
    let xml = Note::default().xml();
    assert!(matches!(render("", &options), Err(DanfeError::Xml(_))));
    assert!(matches!(render("<a/>", &options), Err(DanfeError::Missing("infNFe"))));
    let no_key = xml.replace("Id=\"NFe", "Id=\"");
    assert!(matches!(render(&no_key, &options), Err(DanfeError::Missing("Id"))));
    let other = xml.replace("<mod>55<", "<mod>65<");
    assert!(matches!(render(&other, &options), Err(DanfeError::Unsupported(_))));
    let contingency = xml.replace("<tpEmis>1<", "<tpEmis>9<");
    assert!(matches!(render(&contingency, &options), Err(DanfeError::Unsupported(_))));
    let bomb = format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{xml}");
    assert!(matches!(render(&bomb, &options), Err(DanfeError::Xml(_))), "no entities");
}
