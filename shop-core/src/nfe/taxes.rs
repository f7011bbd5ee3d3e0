//! The taxes of an invoice's lines and their totals.

use rust_decimal::Decimal;

use super::document::Sums;
use super::invoice::{IbsCbs, Invoice, Line};
use super::xml::Xml;
use crate::fiscal::Csosn;
use crate::money::Money;

/// `imposto` and, with the reform's taxes, `vItem`. Under Simples Nacional nothing is taxed by the
/// line.
pub(super) fn of_line(xml: &mut Xml, invoice: &Invoice, line: &Line, base: Money) {
    xml.element("imposto", |xml| {
        xml.some("vTotTrib", invoice.tax_share.map(|share| base.percent(share)));
        xml.element("ICMS", |xml| {
            xml.element(icms_group(line.fiscal.csosn), |xml| {
                xml.text("orig", line.fiscal.origin.get()).text("CSOSN", line.fiscal.csosn);
            });
        });
        social_contributions(xml);
        if let Some(rates) = &invoice.ibs_cbs {
            ibs_cbs_of_line(xml, rates, base);
        }
    });
    if invoice.ibs_cbs.is_some() {
        xml.text("vItem", base);
    }
}

/// The group of a situation. Of 500 and 900 all amounts are optional: nothing is taxed by the line.
pub(super) fn icms_group(csosn: Csosn) -> &'static str {
    match csosn {
        Csosn::Taxed | Csosn::Exempt | Csosn::Immune | Csosn::Untaxed => "ICMSSN102",
        Csosn::RetainedBefore => "ICMSSN500",
        Csosn::Other => "ICMSSN900",
    }
}

/// PIS and COFINS, which must stand there (rejections 745 and 748) and are not due by the line.
pub(super) fn social_contributions(xml: &mut Xml) {
    for tax in ["PIS", "COFINS"] {
        xml.element(tax, |xml| {
            xml.element(&format!("{tax}Outr"), |xml| {
                xml.text("CST", 49)
                    .text("vBC", Money::ZERO)
                    .text(&format!("p{tax}"), "0.0000")
                    .text(&format!("v{tax}"), Money::ZERO);
            });
        });
    }
}

/// What the reform's taxes of some amount are.
struct Due {
    state: Money,
    city: Money,
    cbs: Money,
}

impl Due {
    fn of(rates: &IbsCbs, base: Money) -> Self {
        Self {
            state: base.percent(rates.ibs_state),
            city: base.percent(rates.ibs_city),
            cbs: base.percent(rates.cbs),
        }
    }

    fn ibs(&self) -> Money {
        self.state + self.city
    }
}

fn ibs_cbs_of_line(xml: &mut Xml, rates: &IbsCbs, base: Money) {
    let due = Due::of(rates, base);
    xml.element("IBSCBS", |xml| {
        xml.text("CST", "000").text("cClassTrib", "000001").element("gIBSCBS", |xml| {
            xml.text("vBC", base)
                .element("gIBSUF", |xml| {
                    xml.text("pIBSUF", rate(rates.ibs_state)).text("vIBSUF", due.state);
                })
                .element("gIBSMun", |xml| {
                    xml.text("pIBSMun", rate(rates.ibs_city)).text("vIBSMun", due.city);
                })
                .text("vIBS", due.ibs())
                .element("gCBS", |xml| {
                    xml.text("pCBS", rate(rates.cbs)).text("vCBS", due.cbs);
                });
        });
    });
}

/// A rate as the layout writes it, with four decimals.
fn rate(percent: Decimal) -> String {
    format!("{percent:.4}")
}

/// The sums of an invoice.
pub(super) struct Totals {
    pub(super) goods: Money,
    pub(super) freight: Money,
    pub(super) discount: Money,
    pub(super) invoice: Money,
    /// What consumers are told of taxes.
    pub(super) taxes: Option<Money>,
}

/// The group `total`.
pub(super) fn totals(xml: &mut Xml, invoice: &Invoice, sums: &Sums) {
    let totals = Totals {
        goods: sums.gross.iter().copied().sum(),
        freight: invoice.freight,
        discount: invoice.discount,
        invoice: sums.total,
        taxes: tax_total(invoice, sums),
    };
    xml.element("total", |xml| {
        icms_totals(xml, &totals);
        if let Some(rates) = &invoice.ibs_cbs {
            ibs_cbs_totals(xml, rates, sums);
        }
    });
}

/// The group `ICMSTot`. All sums are there, in this order.
pub(super) fn icms_totals(xml: &mut Xml, totals: &Totals) {
    let none = |xml: &mut Xml, tags: &[&str]| {
        for tag in tags {
            xml.text(tag, Money::ZERO);
        }
    };
    xml.element("ICMSTot", |xml| {
        none(xml, &["vBC", "vICMS", "vICMSDeson", "vFCP", "vBCST", "vST", "vFCPST", "vFCPSTRet"]);
        xml.text("vProd", totals.goods)
            .text("vFrete", totals.freight)
            .text("vSeg", Money::ZERO)
            .text("vDesc", totals.discount);
        none(xml, &["vII", "vIPI", "vIPIDevol", "vPIS", "vCOFINS", "vOutro"]);
        xml.text("vNF", totals.invoice).some("vTotTrib", totals.taxes);
    });
}

/// What taxes come to, as far as invoices tell it: the sum of what they say of the lines.
pub(super) fn tax_total(invoice: &Invoice, sums: &Sums) -> Option<Money> {
    let share = invoice.tax_share?;
    let lines = (0..sums.gross.len()).map(|place| sums.of_line(place).percent(share));
    Some(lines.sum())
}

fn ibs_cbs_totals(xml: &mut Xml, rates: &IbsCbs, sums: &Sums) {
    let lines = (0..sums.gross.len()).map(|place| Due::of(rates, sums.of_line(place)));
    let due = lines.fold(Due::of(rates, Money::ZERO), |sum, line| Due {
        state: sum.state + line.state,
        city: sum.city + line.city,
        cbs: sum.cbs + line.cbs,
    });
    let part = |xml: &mut Xml, tag: &str, amount: Money| {
        xml.text("vDif", Money::ZERO).text("vDevTrib", Money::ZERO).text(tag, amount);
    };
    let no_credit = |xml: &mut Xml| {
        xml.text("vCredPres", Money::ZERO).text("vCredPresCondSus", Money::ZERO);
    };
    xml.element("IBSCBSTot", |xml| {
        xml.text("vBCIBSCBS", sums.total)
            .element("gIBS", |xml| {
                xml.element("gIBSUF", |xml| part(xml, "vIBSUF", due.state))
                    .element("gIBSMun", |xml| part(xml, "vIBSMun", due.city))
                    .text("vIBS", due.ibs());
                no_credit(xml);
            })
            .element("gCBS", |xml| {
                part(xml, "vCBS", due.cbs);
                no_credit(xml);
            });
    });
    // In 2026 these taxes are not part of the price.
    xml.text("vNFTot", sums.total);
}
