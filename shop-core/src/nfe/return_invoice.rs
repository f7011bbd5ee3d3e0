//! The invoice of goods that come back from a consumer: an entry that the shop issues itself
//! (`finNFe` 4), since a consumer issues none.

use super::check::check_issuer;
use super::document::{self, SIMPLES, SignedInvoice, some_money};
use super::key::AccessKey;
use super::responsible::Responsible;
use super::sale::{IssuedSale, SoldLine};
use super::taxes::{self, Totals};
use super::text::fit;
use super::xml::Xml;
use crate::clock::Timestamp;
use crate::config::certificate::Certificate;
use crate::error::{FieldErrors, Result};
use crate::fiscal::{Company, Csosn, TaxEnvironment, TaxRegime};
use crate::money::{Money, apportion};
use crate::value::{InvalidValue, wire_enum};

wire_enum! {
    /// By which right goods come back.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[derive(Default)]
    pub enum ReturnGround {
        /// The buyer withdrew within seven days, without a reason (art. 49 of Lei 8.078/1990).
        #[default]
        Withdrawal = "WITHDRAWAL",
        /// The goods have a fault (art. 18 of Lei 8.078/1990).
        Defect = "DEFECT",
        /// Buyer and shop agreed on it.
        Agreement = "AGREEMENT",
    }
}

/// An invoice of a return, of a sale as a whole or in part.
#[derive(Debug, Clone)]
pub struct ReturnInvoice {
    /// Whether it counts.
    pub environment: TaxEnvironment,
    /// The series, 0 to 999.
    pub series: u16,
    /// The number, 1 to 999 999 999.
    pub number: u32,
    /// The random part of the key; [`super::is_random_code`] must hold.
    pub code: u32,
    /// When it is issued.
    pub issued_at: Timestamp,
    /// Who issues: the seller.
    pub company: Company,
    /// What was sold, and to whom.
    pub sale: IssuedSale,
    /// What comes back, each line of the sale once.
    pub lines: Vec<ReturnedLine>,
    /// What of the sale's freight goes back to the buyer.
    pub freight: Money,
    /// By which right.
    pub ground: ReturnGround,
    /// Why, in the shop's words.
    pub reason: Option<String>,
    /// The shop's own number of the sale.
    pub order_number: String,
    /// The company that answers for the program, where one is named.
    pub responsible: Option<Responsible>,
}

/// Units of a line of a sale that come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReturnedLine {
    /// The line of the sale, from 1 (`nItem`).
    pub place: usize,
    /// Units.
    pub quantity: i64,
    /// What of the line's discount belongs to them.
    pub discount: Money,
}

impl ReturnInvoice {
    /// What the layout or the tax office would not take.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) names every wrong field.
    pub fn check(&self) -> Result<()> {
        let mut wrong = FieldErrors::default();
        check_issuer(&mut wrong, &self.company, self.series, self.number, self.code);
        if self.company.cnpj.as_str() != self.sale.key.cnpj() {
            wrong.add("company.cnpj", InvalidValue::InvoiceCompany);
        }
        let mut places: Vec<usize> = self.lines.iter().map(|line| line.place).collect();
        places.sort_unstable();
        places.dedup();
        let are_sold = self.lines.iter().all(|line| {
            self.sold(line).is_some_and(|sold| (1..=sold.quantity).contains(&line.quantity))
        });
        if self.lines.is_empty() || places.len() < self.lines.len() || !are_sold {
            wrong.add_form(InvalidValue::ReturnLines);
            return wrong.into_result();
        }
        let fits = |line: &ReturnedLine| (Money::ZERO..=self.gross(line)).contains(&line.discount);
        let is_part = (Money::ZERO..=self.sale.freight).contains(&self.freight);
        if !is_part || !self.lines.iter().all(fits) {
            wrong.add_form(InvalidValue::InvoiceDiscount);
        }
        wrong.into_result()
    }

    /// Writes the invoice and signs it.
    ///
    /// # Errors
    /// As [`ReturnInvoice::check`]; [`Error::Internal`](crate::Error::Internal) when the
    /// certificate does not sign.
    pub fn sign(&self, certificate: &Certificate) -> Result<SignedInvoice> {
        self.check()?;
        let key = self.key();
        document::signed(key.clone(), &self.write(&key), certificate)
    }

    /// The invoice's key.
    pub fn key(&self) -> AccessKey {
        let number = (self.series, self.number);
        AccessKey::issued(&self.company, self.issued_at, number, self.code)
    }

    /// What it comes to.
    pub fn total(&self) -> Money {
        let goods = self.lines.iter().map(|line| self.gross(line) - line.discount);
        goods.sum::<Money>() + self.freight
    }

    fn sold(&self, line: &ReturnedLine) -> Option<&SoldLine> {
        self.sale.lines.get(line.place.checked_sub(1)?)
    }

    fn gross(&self, line: &ReturnedLine) -> Money {
        self.sold(line).map_or(Money::ZERO, |sold| sold.price * line.quantity)
    }

    fn write(&self, key: &AccessKey) -> String {
        let gross: Vec<Money> = self.lines.iter().map(|line| self.gross(line)).collect();
        let freight = apportion(self.freight, &gross);
        let mut xml = Xml::default();
        let open = format!("infNFe Id=\"NFe{key}\" versao=\"4.00\"");
        xml.with_attributes("infNFe", &open, |xml| {
            self.identification(xml, key);
            document::company(xml, &self.company);
            xml.raw(&self.sale.recipient);
            for (at, line) in self.lines.iter().enumerate() {
                self.line(xml, at + 1, line, freight[at]);
            }
            let totals = Totals {
                goods: gross.iter().copied().sum(),
                freight: self.freight,
                discount: self.lines.iter().map(|line| line.discount).sum(),
                invoice: self.total(),
                taxes: None,
            };
            xml.element("total", |xml| taxes::icms_totals(xml, &totals));
            // The shop pays the way back.
            xml.element("transp", |xml| {
                xml.text("modFrete", 0);
            });
            // Money does not move by this invoice (rejections 871 and 904).
            xml.element("pag", |xml| {
                xml.element("detPag", |xml| {
                    xml.text("tPag", 90).text("vPag", Money::ZERO);
                });
            });
            xml.element("infAdic", |xml| {
                xml.text("infCpl", fit(&self.words(), 5000));
            });
            if let Some(responsible) = &self.responsible {
                responsible.write(xml, key);
            }
        });
        xml.into_text()
    }

    fn identification(&self, xml: &mut Xml, key: &AccessKey) {
        xml.element("ide", |xml| {
            xml.text("cUF", key.state_code())
                .text("cNF", format!("{:08}", self.code))
                .text("natOp", "DEVOLUCAO DE VENDA")
                .text("mod", 55)
                .text("serie", self.series)
                .text("nNF", self.number)
                .text("dhEmi", self.issued_at.local_seconds())
                .text("tpNF", 0)
                .text("idDest", &self.sale.destination)
                .text("cMunFG", self.company.address.city.code)
                .text("tpImp", 1)
                .text("tpEmis", 1)
                .text("cDV", key.check_digit())
                .text("tpAmb", self.environment.code())
                .text("finNFe", 4)
                .text("indFinal", &self.sale.final_buyer)
                // Nothing is sold, so no one mediates a sale either (rejection 435).
                .text("indPres", 0)
                .text("procEmi", 0)
                .text("verProc", document::PROGRAM);
        });
    }

    fn line(&self, xml: &mut Xml, number: usize, line: &ReturnedLine, freight: Money) {
        let Some(sold) = self.sold(line) else { return };
        xml.with_attributes("det", &format!("det nItem=\"{number}\""), |xml| {
            xml.element("prod", |xml| {
                self.product(xml, sold, line);
                xml.some("vFrete", some_money(freight))
                    .some("vDesc", some_money(line.discount))
                    .text("indTot", 1);
            });
            xml.element("imposto", |xml| {
                icms(xml, sold, self.company.regime);
                taxes::social_contributions(xml);
            });
            // Each item names the item of the sale that it was (rejections 321 and 1048).
            xml.element("DFeReferenciado", |xml| {
                xml.text("chaveAcesso", &self.sale.key).text("nItem", line.place);
            });
        });
    }

    fn product(&self, xml: &mut Xml, sold: &SoldLine, line: &ReturnedLine) {
        let quantity = format!("{}.0000", line.quantity);
        xml.text("cProd", &sold.code)
            .text("cEAN", &sold.gtin)
            .text("xProd", &sold.name)
            .text("NCM", &sold.ncm)
            .some("CEST", sold.cest.as_ref())
            .text("CFOP", return_cfop(&sold.cfop, self.company.regime))
            .text("uCom", &sold.unit)
            .text("qCom", &quantity)
            .text("vUnCom", sold.price)
            .text("vProd", self.gross(line))
            .text("cEANTrib", &sold.gtin)
            .text("uTrib", &sold.unit)
            .text("qTrib", &quantity)
            .text("vUnTrib", sold.price);
    }

    /// What the law and the accountant want to read on it.
    fn words(&self) -> String {
        let IssuedSale { series, number, key, .. } = &self.sale;
        let day = self.sale.day();
        let ground = match self.ground {
            ReturnGround::Withdrawal => "DIREITO DE ARREPENDIMENTO - ART. 49 DA LEI 8.078/1990.",
            ReturnGround::Defect => "VICIO DO PRODUTO - ART. 18 DA LEI 8.078/1990.",
            ReturnGround::Agreement => "DEVOLUCAO ACORDADA ENTRE AS PARTES.",
        };
        let reason = self.reason.as_ref().map(|reason| format!(" MOTIVO: {reason}."));
        format!(
            "{SIMPLES} DEVOLUCAO REFERENTE A NF-E {number}, SERIE {series}, DE {day}, CHAVE {key}. \
             {ground}{} PEDIDO {}.",
            reason.unwrap_or_default(),
            self.order_number
        )
    }
}

/// The situation of goods that come back. A micro-entrepreneur may use 102 for sales only, and
/// takes 900 (rejection 337); under Simples Nacional it is that of the sale.
fn icms(xml: &mut Xml, sold: &SoldLine, regime: TaxRegime) {
    let csosn = match regime {
        TaxRegime::Mei => Csosn::Other,
        TaxRegime::Simples => sold.csosn,
    };
    xml.element("ICMS", |xml| {
        xml.element(taxes::icms_group(csosn), |xml| {
            xml.some("orig", sold.origin.as_ref()).text("CSOSN", csosn);
        });
    });
}

/// The code of operation under which goods come back that were sold under another (rejection 327;
/// 1179 for a micro-entrepreneur).
fn return_cfop(sold: &str, regime: TaxRegime) -> String {
    let state = if sold.starts_with('6') { 2 } else { 1 };
    let operation = match (regime, sold.get(1..).unwrap_or_default()) {
        (TaxRegime::Mei, _) | (_, "102" | "104" | "106" | "108") => "202",
        (_, "101" | "103" | "105" | "107") => "201",
        (_, "401" | "402") => "410",
        (_, "403" | "404" | "405") => "411",
        _ => "949",
    };
    format!("{state}{operation}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goods_come_back_under_the_code_that_belongs_to_their_sale() {
        for (sold, back, of_mei) in [
            ("5101", "1201", "1202"),
            ("5102", "1202", "1202"),
            ("6107", "2201", "2202"),
            ("6108", "2202", "2202"),
            ("6102", "2202", "2202"),
            ("5405", "1411", "1202"),
            ("6404", "2411", "2202"),
            ("5401", "1410", "1202"),
            ("5910", "1949", "1202"),
        ] {
            assert_eq!(return_cfop(sold, TaxRegime::Simples), back, "{sold}");
            assert_eq!(return_cfop(sold, TaxRegime::Mei), of_mei, "{sold}");
        }
    }
}
