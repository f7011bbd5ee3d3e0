//! What a month's archive keeps: the documents of invoices, and what became of them later.

use super::correction::correction_documents;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::InvoiceId;
use crate::invoicing::issuer_setup::NumberScope;
use crate::storage::{Row, Tx, params};

/// How far an archive is: when something was issued or registered, and its id.
pub(in crate::invoicing) type Position = (Timestamp, String);

/// Documents that are kept for good.
pub(in crate::invoicing) struct Kept {
    pub(in crate::invoicing) position: Position,
    /// Names of files and what is in them.
    pub(in crate::invoicing) files: Vec<(String, String)>,
}

/// All that there is by now of the invoices that were issued in a period, in the order of their
/// issue, after one of them.
pub(in crate::invoicing) fn issued_in(
    tx: &mut dyn Tx,
    scope: NumberScope,
    (from, to): (Timestamp, Timestamp),
    after: Option<&Position>,
    limit: i64,
) -> Result<Vec<Kept>> {
    let (at, id) = after.map_or((from, ""), |(at, id)| (*at, id.as_str()));
    let found = tx.all(
        "SELECT id, issued_at, access_key, series, number, proc_xml, cancel_proc_xml,
                disable_proc_xml
         FROM nfe
         WHERE book = $1 AND issued_at >= $2 AND (issued_at > $2 OR id > $3) AND issued_at < $4
           AND status IN ('AUTHORIZED', 'CANCELLED', 'DENIED', 'DISABLED')
         ORDER BY issued_at, id LIMIT $5",
        params![scope, at, id, to, limit],
        read_issued,
    )?;
    let ids: Vec<InvoiceId> = found.iter().map(|(id, ..)| id.clone()).collect();
    let mut letters = correction_documents(tx, &ids)?;
    let with_letters = |(id, key, mut one): (InvoiceId, String, Kept)| {
        let letters = letters.remove(&id).unwrap_or_default().into_iter();
        one.files.extend(letters.map(|(sequence, xml)| (letter_name(&key, sequence), xml)));
        one
    };
    Ok(found.into_iter().map(with_letters).collect())
}

fn read_issued(row: &dyn Row) -> Result<(InvoiceId, String, Kept)> {
    let id: InvoiceId = row.get(0)?;
    let key: String = row.get::<Option<String>>(2)?.unwrap_or_default();
    let names = [
        format!("{key}-procNFe.xml"),
        cancellation_name(&key),
        disabled_name(row.get(3)?, row.get(4)?),
    ];
    let mut files = Vec::new();
    for (column, name) in (5..).zip(names) {
        if let Some(xml) = row.text(column)? {
            files.push((name, xml.to_owned()));
        }
    }
    let position = (row.get(1)?, id.to_string());
    Ok((id, key, Kept { position, files }))
}

/// What was registered in a period of invoices from before it: cancellations, correction letters
/// and numbers that were made invalid, which the archive of their own month had not yet when it
/// ended.
pub(in crate::invoicing) fn registered_later(
    tx: &mut dyn Tx,
    scope: NumberScope,
    (from, to): (Timestamp, Timestamp),
    after: Option<&Position>,
    limit: i64,
) -> Result<Vec<Kept>> {
    let (at, id) = after.map_or((from, ""), |(at, id)| (*at, id.as_str()));
    tx.all(
        "SELECT * FROM (
           SELECT id, cancelled_at AS at, 'CANCELLED' AS what, access_key, series, number,
                  cancel_proc_xml AS xml
           FROM nfe WHERE book = $1 AND cancelled_at >= $2 AND cancelled_at < $3 AND issued_at < $4
           UNION ALL
           SELECT id, updated_at, 'DISABLED', access_key, series, number, disable_proc_xml
           FROM nfe WHERE book = $1 AND status = 'DISABLED' AND updated_at >= $2
             AND updated_at < $3 AND issued_at < $4
           UNION ALL
           SELECT c.id, c.registered_at, 'CORRECTED', n.access_key, n.series, c.sequence, c.proc_xml
           FROM nfe_correction c JOIN nfe n ON n.id = c.nfe_id
           WHERE n.book = $1 AND c.registered_at >= $2 AND c.registered_at < $3
             AND n.issued_at < $4
         ) AS later
         WHERE xml IS NOT NULL AND (at > $2 OR id > $5) ORDER BY at, id LIMIT $6",
        params![scope, at, to, from, id, limit],
        |row| {
            let key: String = row.get::<Option<String>>(3)?.unwrap_or_default();
            let (series, number): (i64, i64) = (row.get(4)?, row.get(5)?);
            let name = match row.get::<String>(2)?.as_str() {
                "CANCELLED" => cancellation_name(&key),
                "DISABLED" => disabled_name(series, number),
                _ => letter_name(&key, number),
            };
            Ok(Kept { position: (row.get(1)?, row.get(0)?), files: vec![(name, row.get(6)?)] })
        },
    )
}

fn cancellation_name(key: &str) -> String {
    format!("{key}-procEventoNFe.xml")
}

fn letter_name(key: &str, sequence: i64) -> String {
    format!("{key}-cce-{sequence:02}-procEventoNFe.xml")
}

fn disabled_name(series: i64, number: i64) -> String {
    format!("inutilizacao-{series}-{number}.xml")
}
