//! A month's invoices for the accountant.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Invoices, Month, store};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::InvoiceId;
use crate::storage::Tx;

/// How many invoices are read at once.
const BATCH: i64 = 200;

impl Invoices<'_> {
    /// All that was issued in a month, as a ZIP: authorised invoices, also those that were
    /// cancelled since, their cancellations and corrections, and numbers that were made invalid. Empty when there
    /// was nothing.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or the archive fails.
    ///
    /// Cancel safe: reads only.
    pub async fn export(&self, month: Month) -> Result<Vec<u8>> {
        let (scope, bounds) = (self.setup.scope, month.bounds());
        let mut archive = Archive::default();
        let mut last: Option<(Timestamp, InvoiceId)> = None;
        loop {
            let after = last.clone();
            let job = move |tx: &mut dyn Tx| store::kept(tx, scope, bounds, after.as_ref(), BATCH);
            let batch = self.cx.db().read("nfe.export", job).await?;
            let Some(end) = batch.last() else { break };
            last = Some((end.issued_at, end.id.clone()));
            for kept in &batch {
                for (name, xml) in &kept.files {
                    archive.add(name, xml, kept.issued_at).map_err(Error::from_source)?;
                }
            }
        }
        archive.finish().map_err(Error::from_source)
    }
}

struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Default for Archive {
    fn default() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }
}

impl Archive {
    fn add(&mut self, name: &str, xml: &str, at: Timestamp) -> zip::result::ZipResult<()> {
        let mut options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        if let Some(at) = dos_time(at) {
            options = options.last_modified_time(at);
        }
        self.0.start_file(name, options)?;
        self.0.write_all(xml.as_bytes())?;
        Ok(())
    }

    fn finish(self) -> zip::result::ZipResult<Vec<u8>> {
        self.0.finish().map(Cursor::into_inner)
    }
}

/// The local time as archives keep it.
fn dos_time(at: Timestamp) -> Option<zip::DateTime> {
    let text = at.local_seconds();
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
    let year = text.get(0..4)?.parse().ok()?;
    let (month, day) = (part(5, 7)?, part(8, 10)?);
    zip::DateTime::from_date_and_time(year, month, day, part(11, 13)?, part(14, 16)?, part(17, 19)?)
        .ok()
}
