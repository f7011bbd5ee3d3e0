//! Holds the shop's invoices against the tax office's own books.

use std::collections::BTreeMap;

use super::action::Action;
use super::books::{Books, InvoiceRow};
use super::judge::{Step, Verdict, ensure};
use super::model::Model;
use super::office::{Authorised, Office};

/// Invoices that are good or may become so.
const LIVE: [&str; 4] = ["NUMBERED", "SIGNED", "AUTHORIZED", "REJECTED"];
/// Orders whose goods are, or will be, the customer's.
const REVENUE: [&str; 3] = ["PROCESSING", "SHIPPED", "DELIVERED"];

/// The invoices after a step.
pub(super) fn judge(step: &Step<'_>, model: &Model) -> Verdict {
    let office = step.house.office.all();
    numbers(step.now)?;
    for (id, row) in &step.now.invoices {
        let wrong = |why: &str| format!("invoice {} of {}: {why}, {row:?}", row.number, row.order);
        let order = step.now.orders.get(&row.order).ok_or_else(|| wrong("of no order"))?;
        let known = row.key.as_ref().and_then(|key| office.get(key));
        agrees(row, known, &step.house.office).map_err(|why| wrong(&why))?;
        // What was withdrawn before sending is on no invoice.
        let withdrawn = step.now.returns.values().any(|it| it.order == row.order);
        let right = row.total == order.total || (withdrawn && row.total < order.total);
        ensure(row.key.is_none() || right, || wrong("comes to another sum"))?;
        let before = step.before.invoices.get(id).map_or("new", |it| it.status.as_str());
        ensure(before != "new" || is_wanted(step, model, row), || wrong("nobody wanted it"))?;
        ensure(may_follow(before, &row.status), || wrong(&format!("it was {before}")))?;
    }
    of_the_office(step.now, &office)
}

/// Numbers have no gap, and an order has one invoice.
fn numbers(books: &Books) -> Verdict {
    let mut numbers: Vec<i64> = books.invoices.values().map(|it| it.number).collect();
    numbers.sort_unstable();
    let whole = numbers.iter().zip(1..).all(|(number, nth)| *number == nth);
    ensure(whole, || format!("invoices have the numbers {numbers:?}"))?;
    let mut live: BTreeMap<&str, usize> = BTreeMap::new();
    for row in books.invoices.values().filter(|it| LIVE.contains(&it.status.as_str())) {
        *live.entry(row.order.as_str()).or_default() += 1;
    }
    let twice = live.iter().find(|(_, n)| **n > 1);
    ensure(twice.is_none(), || format!("order {twice:?} has two invoices"))
}

/// What the shop says of an invoice is so at the office.
fn agrees(row: &InvoiceRow, known: Option<&Authorised>, office: &Office) -> Result<(), String> {
    let (good, cancelled) = known.map_or((false, false), |it| (!it.is_cancelled, it.is_cancelled));
    let holds = match row.status.as_str() {
        "AUTHORIZED" => good || (cancelled && row.is_being_cancelled),
        "CANCELLED" => cancelled,
        "DISABLED" => known.is_none() && office.has_disabled(row.number),
        "NUMBERED" | "REJECTED" => known.is_none(),
        "SIGNED" => true,
        _ => false,
    };
    ensure(holds, || format!("the office has {known:?}"))?;
    ensure(known.is_none_or(|it| it.total == row.total && it.number == row.number), || {
        format!("another document than {known:?}")
    })
}

/// Whether somebody asked for a new invoice of an order that may have one.
fn is_wanted(step: &Step<'_>, model: &Model, row: &InvoiceRow) -> bool {
    let Action::Invoice { order } = step.action else { return false };
    let order = &model.orders[*order];
    order.id == row.order && REVENUE.contains(&order.status.as_str())
}

/// Whether an invoice may be so after a step in which it was like this before.
fn may_follow(before: &str, now: &str) -> bool {
    match before {
        "CANCELLED" | "DISABLED" => now == before,
        "AUTHORIZED" => matches!(now, "AUTHORIZED" | "CANCELLED"),
        _ => true,
    }
}

/// Every invoice that the office authorised is one of the shop's, and no order has two good ones.
fn of_the_office(books: &Books, office: &BTreeMap<String, Authorised>) -> Verdict {
    let mut good: BTreeMap<&str, i64> = BTreeMap::new();
    for (key, known) in office {
        let row = books.invoices.values().find(|it| it.key.as_ref() == Some(key));
        let row = row.ok_or_else(|| format!("the shop does not know invoice {}", known.number))?;
        if !known.is_cancelled {
            let other = good.insert(&row.order, known.number);
            ensure(other.is_none(), || {
                format!("{} has the invoices {other:?} and {}", row.order, known.number)
            })?;
        }
    }
    Ok(())
}

/// Once everything works, the shop and the office say the same, and nothing is under way.
pub(super) fn nothing_is_open(books: &Books, office: &Office) -> Verdict {
    let known = office.all();
    for row in books.invoices.values() {
        let at_office = row.key.as_ref().and_then(|key| known.get(key));
        // What the office never got stays signed where its order is not paid any more.
        let settled = match row.status.as_str() {
            "AUTHORIZED" => at_office.is_some_and(|it| !it.is_cancelled),
            "SIGNED" => at_office.is_none(),
            _ => true,
        };
        ensure(settled, || format!("{row:?} is open, the office has {at_office:?}"))?;
    }
    Ok(())
}
