//! A month's invoices for the accountant, a piece at a time.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::{self, Stream};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::issuer_setup::NumberScope;
use super::{Invoices, Month, store};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::storage::Tx;

/// How many invoices are read and compressed at once: some 200 KB of XML, a few milliseconds.
const BATCH: i64 = 20;

impl Invoices<'_> {
    /// All that was issued in a month, as a ZIP: authorised invoices, also those that were
    /// cancelled since, their cancellations and corrections, and numbers that were made invalid;
    /// and what was registered in it of earlier invoices, which came too late for their own month's
    /// archive. Empty when there was nothing. A piece is read and compressed when it is asked for,
    /// each in a transaction of its own, so it takes the same memory however many there are, but
    /// for their names.
    pub fn export(&self, month: Month) -> impl Stream<Item = Result<Vec<u8>>> + Send + use<> {
        let export = Export {
            cx: self.cx.clone(),
            scope: self.setup.scope,
            bounds: month.bounds(),
            part: Part::Issued,
            after: None,
            archive: Archive::default(),
        };
        stream::try_unfold(Some(export), |export| async move {
            let Some(mut export) = export else { return Ok(None) };
            Ok(Some(if export.add_batch().await? {
                (export.archive.take(), Some(export))
            } else {
                (export.archive.finish()?, None)
            }))
        })
    }
}

/// How far an export is.
struct Export {
    cx: Context,
    scope: NumberScope,
    bounds: (Timestamp, Timestamp),
    part: Part,
    /// The end of the last batch of this part.
    after: Option<store::Position>,
    archive: Archive,
}

#[derive(Clone, Copy)]
enum Part {
    Issued,
    RegisteredLater,
}

impl Export {
    /// Whether there may be more documents.
    async fn add_batch(&mut self) -> Result<bool> {
        let (scope, bounds, after) = (self.scope, self.bounds, self.after.take());
        let read = match self.part {
            Part::Issued => store::issued_in,
            Part::RegisteredLater => store::registered_later,
        };
        let job = move |tx: &mut dyn Tx| read(tx, scope, bounds, after.as_ref(), BATCH);
        let batch = self.cx.db().read("nfe.export", job).await?;
        for kept in &batch {
            for (name, xml) in &kept.files {
                self.archive.add(name, xml, kept.position.0).map_err(Error::from_source)?;
            }
        }
        match (batch.last(), self.part) {
            (Some(end), _) => self.after = Some(end.position.clone()),
            (None, Part::Issued) => self.part = Part::RegisteredLater,
            (None, Part::RegisteredLater) => return Ok(false),
        }
        Ok(true)
    }
}

/// An archive that is taken away while it is written.
struct Archive {
    /// Tens of kilobytes, which no future is to hold.
    zip: Box<ZipWriter<StreamWriter<Pending>>>,
    pending: Pending,
}

/// What of an archive nobody has taken yet.
#[derive(Clone, Default)]
struct Pending(Arc<Mutex<Vec<u8>>>);

impl Pending {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Default for Archive {
    fn default() -> Self {
        let pending = Pending::default();
        Self { zip: Box::new(ZipWriter::new_stream(pending.clone())), pending }
    }
}

impl Archive {
    fn add(&mut self, name: &str, xml: &str, at: Timestamp) -> zip::result::ZipResult<()> {
        let mut options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        if let Some(at) = dos_time(at) {
            options = options.last_modified_time(at);
        }
        self.zip.start_file(name, options)?;
        self.zip.write_all(xml.as_bytes())?;
        Ok(())
    }

    /// What was written since it was taken last.
    fn take(&self) -> Vec<u8> {
        self.pending.take()
    }

    /// The rest, with the names of all files.
    fn finish(self) -> Result<Vec<u8>> {
        self.zip.finish().map_err(Error::from_source)?;
        Ok(self.pending.take())
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
