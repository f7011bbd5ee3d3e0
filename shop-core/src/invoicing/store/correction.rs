//! The SQL of `nfe_correction`.

use std::collections::HashMap;

use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{CorrectionId, InvoiceId};
use crate::invoicing::Correction;
use crate::invoicing::issuer_setup::NumberScope;
use crate::nfe::issuer::DUPLICATE_EVENT;
use crate::storage::{FromColumn, PLACES, Row, Tx, list_placed, params, query_placed};

/// A correction letter with what only its course needs.
#[derive(Debug, Clone)]
pub(in crate::invoicing) struct StoredCorrection {
    pub(in crate::invoicing) id: CorrectionId,
    pub(in crate::invoicing) correction: Correction,
    /// The signed event.
    pub(in crate::invoicing) xml: String,
    pub(in crate::invoicing) tries: i64,
}

/// A correction letter to be kept before it is handed over.
pub(in crate::invoicing) struct NewCorrection<'a> {
    pub(in crate::invoicing) id: &'a CorrectionId,
    pub(in crate::invoicing) invoice: &'a InvoiceId,
    pub(in crate::invoicing) sequence: u8,
    pub(in crate::invoicing) text: &'a str,
    pub(in crate::invoicing) xml: &'a str,
    pub(in crate::invoicing) due_at: Timestamp,
}

/// An office's registration of a correction letter.
pub(in crate::invoicing) struct Registration<'a> {
    pub(in crate::invoicing) proc_xml: Option<&'a str>,
    pub(in crate::invoicing) protocol: Option<&'a str>,
    pub(in crate::invoicing) at: Timestamp,
}

/// From eight columns, in the order of the fields.
impl FromColumn for Correction {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let sequence: i64 = row.get(column)?;
        Ok(Self {
            sequence: u8::try_from(sequence).map_err(Error::from_source)?,
            text: row.get(column + 1)?,
            status: row.get(column + 2)?,
            protocol: row.get(column + 3)?,
            answer_code: row.get(column + 4)?,
            answer: row.get(column + 5)?,
            created_at: row.get(column + 6)?,
            registered_at: row.get(column + 7)?,
        })
    }
}

impl FromColumn for StoredCorrection {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        Ok(Self {
            id: row.get(column)?,
            xml: row.get(column + 1)?,
            tries: row.get(column + 2)?,
            correction: row.get(column + 3)?,
        })
    }
}

/// The columns of a correction letter.
macro_rules! select_correction {
    ($tail:literal) => {
        concat!(
            "SELECT id, xml, tries, sequence, text, status, protocol, answer_code, answer,
                    created_at, registered_at
             FROM nfe_correction ",
            $tail
        )
    };
}

pub(in crate::invoicing) fn correction(
    tx: &mut dyn Tx,
    id: &CorrectionId,
) -> Result<StoredCorrection> {
    let found = tx.find(select_correction!("WHERE id = $1"), params![id])?;
    found.ok_or(Error::NotFound(Entity::Invoice))
}

/// The latest correction letter of an invoice that was not refused.
pub(in crate::invoicing) fn latest_correction(
    tx: &mut dyn Tx,
    invoice: &InvoiceId,
) -> Result<Option<StoredCorrection>> {
    tx.find(
        select_correction!(
            "WHERE nfe_id = $1 AND status <> 'REJECTED' ORDER BY sequence DESC LIMIT 1"
        ),
        params![invoice],
    )
}

/// The highest number that an invoice's correction letters have at the tax office, as far as the
/// shop knows, also those of another program; 0 where there is none.
pub(in crate::invoicing) fn last_sequence(tx: &mut dyn Tx, invoice: &InvoiceId) -> Result<u8> {
    let last: i64 = tx.value(
        "SELECT coalesce(max(sequence), 0) FROM nfe_correction
         WHERE nfe_id = $1 AND (status <> 'REJECTED' OR answer_code = $2)",
        params![invoice, i64::from(DUPLICATE_EVENT)],
    )?;
    u8::try_from(last).map_err(Error::from_source)
}

/// The registered correction letter of a number.
pub(in crate::invoicing) fn registered_correction(
    tx: &mut dyn Tx,
    invoice: &InvoiceId,
    sequence: u8,
) -> Result<Option<StoredCorrection>> {
    tx.find(
        select_correction!("WHERE nfe_id = $1 AND sequence = $2 AND status = 'REGISTERED'"),
        params![invoice, i64::from(sequence)],
    )
}

/// All correction letters of these invoices, each with its invoice, in their order.
pub(in crate::invoicing) fn corrections_of(
    tx: &mut dyn Tx,
    invoices: &[InvoiceId],
) -> Result<Vec<(InvoiceId, Correction)>> {
    let sql = format!(
        "SELECT nfe_id, sequence, text, status, protocol, answer_code, answer, created_at,
                registered_at
         FROM nfe_correction WHERE nfe_id IN ({}) ORDER BY nfe_id, created_at, id",
        *PLACES
    );
    list_placed(tx, &sql, invoices)
}

/// The registered letters of these invoices with the office's registration: number and document, in
/// the order of their numbers.
pub(in crate::invoicing) fn correction_documents(
    tx: &mut dyn Tx,
    invoices: &[InvoiceId],
) -> Result<HashMap<InvoiceId, Vec<(i64, String)>>> {
    let sql = format!(
        "SELECT nfe_id, sequence, proc_xml FROM nfe_correction
         WHERE nfe_id IN ({}) AND status = 'REGISTERED' AND proc_xml IS NOT NULL
         ORDER BY nfe_id, sequence",
        *PLACES
    );
    let mut documents: HashMap<InvoiceId, Vec<(i64, String)>> = HashMap::new();
    query_placed(tx, &sql, invoices, &mut |row| {
        documents.entry(row.get(0)?).or_default().push((row.get(1)?, row.get(2)?));
        Ok(())
    })?;
    Ok(documents)
}

/// Correction letters that the office must be asked about, the longest waiting first.
pub(in crate::invoicing) fn due_corrections(
    tx: &mut dyn Tx,
    scope: NumberScope,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<CorrectionId>> {
    tx.list(
        "SELECT c.id FROM nfe_correction c JOIN nfe n ON n.id = c.nfe_id
         WHERE c.due_at <= $1 AND n.book = $2 ORDER BY c.due_at LIMIT $3",
        params![now, scope, limit],
    )
}

/// Keeps a signed correction letter; false where another one has its number.
pub(in crate::invoicing) fn insert_correction(
    tx: &mut dyn Tx,
    new: &NewCorrection<'_>,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "INSERT INTO nfe_correction (id, nfe_id, sequence, status, text, xml, tries, due_at,
           created_at)
         VALUES ($1, $2, $3, 'SIGNED', $4, $5, 0, $6, $7)
         ON CONFLICT (nfe_id, sequence) WHERE status <> 'REJECTED' DO NOTHING",
        params![new.id, new.invoice, i64::from(new.sequence), new.text, new.xml, new.due_at, now],
    )
}

/// Puts the next question about a letter off, before this one is asked; false where another server
/// asks.
pub(in crate::invoicing) fn take_correction(
    tx: &mut dyn Tx,
    stored: &StoredCorrection,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE nfe_correction SET tries = $1, due_at = $2 WHERE id = $3 AND due_at <= $4",
        params![stored.tries + 1, due_at, &stored.id, now],
    )
}

/// Delays the next attempt to register a correction letter; one that is settled has none.
pub(in crate::invoicing) fn postpone_correction(
    tx: &mut dyn Tx,
    stored: &StoredCorrection,
    due_at: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE nfe_correction SET due_at = $1 WHERE id = $2 AND due_at < $1",
        params![due_at, &stored.id],
    )
}

pub(in crate::invoicing) fn register_correction(
    tx: &mut dyn Tx,
    id: &CorrectionId,
    registration: &Registration<'_>,
    said: (i64, &str),
) -> Result<()> {
    tx.run(
        "UPDATE nfe_correction SET status = 'REGISTERED', proc_xml = $1, protocol = $2,
           registered_at = $3, answer_code = $4, answer = $5, due_at = NULL
         WHERE id = $6 AND status = 'SIGNED'",
        params![registration.proc_xml, registration.protocol, registration.at, said.0, said.1, id],
    )
}

/// The office refused a correction letter: its number is free again.
pub(in crate::invoicing) fn reject_correction(
    tx: &mut dyn Tx,
    id: &CorrectionId,
    said: (i64, &str),
) -> Result<()> {
    tx.run(
        "UPDATE nfe_correction SET status = 'REJECTED', answer_code = $1, answer = $2, due_at = NULL
         WHERE id = $3 AND status = 'SIGNED'",
        params![said.0, said.1, id],
    )
}
