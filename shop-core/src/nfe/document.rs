//! Writes an invoice as XML: the element `infNFe` in canonical form, and with its signature the
//! element `NFe`.

use super::invoice::{Invoice, Line, PaymentMeans, Recipient, RecipientId};
use super::key::AccessKey;
use super::signature::{self, NFE_NS};
use super::taxes;
use super::text::fit;
use super::xml::Xml;
use crate::config::certificate::Certificate;
use crate::error::{Error, Result};
use crate::fiscal::{Company, Digits, FiscalAddress, TaxEnvironment};
use crate::money::{Money, apportion};
use crate::value::digits;

/// The XML declaration that documents begin with where they stand alone.
pub(crate) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
/// How many characters the name of an item has (`xProd`).
pub(crate) const MAX_ITEM_NAME: usize = 120;
/// What the recipient is called where invoices do not count (rejection 598).
pub(super) const NOBODY: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// What an invoice of Simples Nacional must say.
pub(super) const SIMPLES: &str = "DOCUMENTO EMITIDO POR ME OU EPP OPTANTE PELO SIMPLES NACIONAL. \
                       NAO GERA DIREITO A CREDITO FISCAL DE IPI.";
/// Which program writes (`verProc`).
pub(super) const PROGRAM: &str = concat!("shop-core ", env!("CARGO_PKG_VERSION"));

/// A signed invoice, ready to be handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedInvoice {
    /// Its key.
    pub key: AccessKey,
    /// The element `NFe`, without an XML declaration.
    pub xml: String,
    /// The digest of what is signed, in Base64, which an authorisation repeats.
    pub digest: String,
}

impl Invoice {
    /// Writes the invoice and signs it.
    ///
    /// # Errors
    /// As [`Invoice::check`]; [`Error::Internal`] when the certificate does not sign.
    pub fn sign(&self, certificate: &Certificate) -> Result<SignedInvoice> {
        self.check()?;
        let key = self.key();
        let content = write(self, &key);
        signed(key, &content, certificate)
    }

    /// The `NFe` element without its signature: what the rules of the tax office look at
    /// ([`super::rules`]).
    ///
    /// # Errors
    /// As [`Invoice::check`].
    pub fn unsigned(&self) -> Result<String> {
        self.check()?;
        Ok(format!("<NFe xmlns=\"{NFE_NS}\">{}</NFe>", write(self, &self.key())))
    }

    /// The invoice's key.
    pub fn key(&self) -> AccessKey {
        let number = (self.series, self.number);
        AccessKey::issued(&self.company, self.issued_at, number, self.code)
    }

    /// What each line comes to.
    pub(crate) fn gross(&self) -> Vec<Money> {
        self.lines.iter().map(|line| line.price * line.quantity).collect()
    }

    /// Whether seller and buyer are in one state.
    pub(crate) fn is_in_state(&self) -> bool {
        self.company.address.state == self.recipient.address.state
    }
}

/// Signs the element `infNFe` and puts it into an `NFe`.
pub(super) fn signed(
    key: AccessKey,
    content: &str,
    certificate: &Certificate,
) -> Result<SignedInvoice> {
    let signature =
        signature::sign(content, &format!("NFe{key}"), certificate).map_err(Error::from_source)?;
    let xml = format!("<NFe xmlns=\"{NFE_NS}\">{content}{}</NFe>", signature.xml);
    Ok(SignedInvoice { key, xml, digest: signature.digest })
}

/// What the parts of the document are worked out from.
pub(super) struct Sums {
    pub(super) gross: Vec<Money>,
    pub(super) freight: Vec<Money>,
    pub(super) discount: Vec<Money>,
    pub(super) total: Money,
}

impl Sums {
    fn of(invoice: &Invoice) -> Self {
        let gross = invoice.gross();
        let total = gross.iter().copied().sum::<Money>() - invoice.discount + invoice.freight;
        Self {
            freight: apportion(invoice.freight, &gross),
            discount: apportion(invoice.discount, &gross),
            gross,
            total,
        }
    }

    /// What a line comes to with its part of freight and discount.
    pub(super) fn of_line(&self, place: usize) -> Money {
        self.gross[place] - self.discount[place] + self.freight[place]
    }
}

fn write(invoice: &Invoice, key: &AccessKey) -> String {
    let sums = Sums::of(invoice);
    let mut xml = Xml::default();
    let open = format!("infNFe Id=\"NFe{key}\" versao=\"4.00\"");
    xml.with_attributes("infNFe", &open, |xml| {
        identification(xml, invoice, key);
        company(xml, &invoice.company);
        recipient(xml, &invoice.recipient, invoice.environment);
        for place in 0..invoice.lines.len() {
            line(xml, invoice, &sums, place);
        }
        taxes::totals(xml, invoice, &sums);
        transport(xml, invoice.parcels, invoice.weight_grams);
        payment(xml, invoice.means, sums.total);
        let words =
            format!("{SIMPLES} PEDIDO {}.{}", invoice.order_number, taxes_told(invoice, &sums));
        xml.element("infAdic", |xml| {
            xml.text("infCpl", fit(&words, 5000));
        });
        if let Some(responsible) = &invoice.responsible {
            responsible.write(xml, key);
        }
    });
    xml.into_text()
}

/// The sentence about the share of taxes (Lei 12.741/2012), where it is told.
fn taxes_told(invoice: &Invoice, sums: &Sums) -> String {
    let told = invoice.tax_share.zip(taxes::tax_total(invoice, sums));
    told.map_or_else(String::new, |(share, total)| {
        let (total, share) = (decimal_comma(total), decimal_comma(share));
        format!(
            " Valor aproximado dos tributos R$ {total} ({share}%) - Fonte: aliquota do Simples Nacional."
        )
    })
}

/// A number as people in Brazil write it.
fn decimal_comma(number: impl std::fmt::Display) -> String {
    number.to_string().replace('.', ",")
}

fn identification(xml: &mut Xml, invoice: &Invoice, key: &AccessKey) {
    xml.element("ide", |xml| {
        xml.text("cUF", key.state_code())
            .text("cNF", format!("{:08}", invoice.code))
            .text("natOp", "VENDA DE MERCADORIA")
            .text("mod", 55)
            .text("serie", invoice.series)
            .text("nNF", invoice.number)
            .text("dhEmi", invoice.issued_at.local_seconds())
            .text("tpNF", 1)
            .text("idDest", if invoice.is_in_state() { 1 } else { 2 })
            .text("cMunFG", invoice.company.address.city.code)
            .text("tpImp", 1)
            .text("tpEmis", 1)
            .text("cDV", key.check_digit())
            .text("tpAmb", invoice.environment.code())
            .text("finNFe", 1)
            .text("indFinal", u8::from(invoice.recipient.id.is_final()))
            // Over the internet, in the shop's own place: both must be said (rejection 434).
            .text("indPres", 2)
            .text("indIntermed", 0)
            .text("procEmi", 0)
            .text("verProc", PROGRAM);
    });
}

pub(super) fn company(xml: &mut Xml, company: &Company) {
    xml.element("emit", |xml| {
        xml.text("CNPJ", &company.cnpj)
            .text("xNome", fit(&company.name, 60))
            .some("xFant", company.trade_name.as_ref().map(|name| fit(name, 60)))
            .element("enderEmit", |xml| {
                place(xml, &company.address, company.phone.as_deref());
            })
            .text("IE", &company.state_registration)
            .text("CRT", company.regime.code());
    });
}

fn recipient(xml: &mut Xml, recipient: &Recipient, environment: TaxEnvironment) {
    let name = match environment {
        TaxEnvironment::Production => fit(&recipient.name, 60),
        TaxEnvironment::Homologation => NOBODY.to_owned(),
    };
    // An address that had to be changed or cut would be another one.
    let email = recipient.email.as_ref().filter(|email| fit(email, 60) == **email);
    xml.element("dest", |xml| {
        match &recipient.id {
            RecipientId::Person(cpf) => xml.text("CPF", cpf),
            RecipientId::Company { cnpj, .. } => xml.text("CNPJ", cnpj),
        };
        let registration = recipient.id.state_registration();
        xml.text("xNome", name)
            .element("enderDest", |xml| {
                place(xml, &recipient.address, recipient.phone.as_deref());
            })
            // 2, a contributor without a registration, is refused in many states.
            .text("indIEDest", if registration.is_some() { 1 } else { 9 })
            .some("IE", registration)
            .some("email", email);
    });
}

fn place(xml: &mut Xml, place: &FiscalAddress, phone: Option<&str>) {
    let number = Some(fit(&place.number, 60)).filter(|number| !number.is_empty());
    let phone = phone.map(digits).filter(|phone| (6..=14).contains(&phone.len()));
    xml.text("xLgr", fit(&place.street, 60))
        .text("nro", number.unwrap_or_else(|| "S/N".to_owned()))
        .some("xCpl", place.complement.as_ref().map(|complement| fit(complement, 60)))
        .text("xBairro", fit(&place.district, 60))
        .text("cMun", place.city.code)
        .text("xMun", fit(place.city.name, 60))
        .text("UF", &place.state)
        .text("CEP", &place.zip_code)
        .text("cPais", 1058)
        .text("xPais", "BRASIL")
        .some("fone", phone);
}

fn line(xml: &mut Xml, invoice: &Invoice, sums: &Sums, place: usize) {
    let open = format!("det nItem=\"{}\"", place + 1);
    let line = &invoice.lines[place];
    xml.with_attributes("det", &open, |xml| {
        xml.element("prod", |xml| {
            product(xml, line, sums.gross[place]);
            // Nothing is not written as 0.00 here.
            xml.some("vFrete", some_money(sums.freight[place]))
                .some("vDesc", some_money(sums.discount[place]))
                .text("indTot", 1);
        });
        taxes::of_line(xml, invoice, line, sums.of_line(place));
    });
}

fn product(xml: &mut Xml, line: &Line, gross: Money) {
    let fiscal = &line.fiscal;
    let gtin = fiscal.gtin.as_ref().map_or("SEM GTIN", |gtin| gtin.as_str());
    let quantity = format!("{}.0000", line.quantity);
    xml.text("cProd", fit(&line.code, 60))
        .text("cEAN", gtin)
        .text("xProd", fit(&line.name, MAX_ITEM_NAME))
        .text("NCM", fiscal.ncm.as_str())
        .some("CEST", fiscal.cest.as_ref().map(Digits::as_str))
        .text("CFOP", line.cfop.as_str())
        .text("uCom", fiscal.unit.as_str())
        .text("qCom", &quantity)
        .text("vUnCom", line.price)
        .text("vProd", gross)
        .text("cEANTrib", gtin)
        .text("uTrib", fiscal.unit.as_str())
        .text("qTrib", &quantity)
        .text("vUnTrib", line.price);
}

pub(super) fn some_money(amount: Money) -> Option<Money> {
    (amount != Money::ZERO).then_some(amount)
}

/// The shop hires the carrier, also where the buyer pays nothing for it (`modFrete` 0).
fn transport(xml: &mut Xml, parcels: usize, grams: i64) {
    let weight = format!("{}.{:03}", grams / 1000, grams % 1000);
    xml.element("transp", |xml| {
        xml.text("modFrete", 0).element("vol", |xml| {
            xml.text("qVol", parcels).text("esp", "CAIXA");
            xml.text("pesoL", &weight).text("pesoB", &weight);
        });
    });
}

fn payment(xml: &mut Xml, means: PaymentMeans, total: Money) {
    let (code, name, electronic) = match means {
        _ if total == Money::ZERO => ("90", None, false),
        PaymentMeans::Nothing => ("90", None, false),
        PaymentMeans::Cash => ("01", None, false),
        PaymentMeans::Card => ("03", None, true),
        PaymentMeans::Pix => ("17", None, true),
        PaymentMeans::Transfer => ("18", None, false),
        PaymentMeans::Other => ("99", Some("Outros"), false),
    };
    xml.element("pag", |xml| {
        xml.element("detPag", |xml| {
            if code != "90" {
                xml.text("indPag", 0);
            }
            xml.text("tPag", code);
            if let Some(name) = name {
                xml.text("xPag", name);
            }
            xml.text("vPag", total);
            if electronic {
                // The payment was not made by a terminal that is part of this program.
                xml.element("card", |xml| {
                    xml.text("tpIntegra", 2);
                });
            }
        });
    });
}
