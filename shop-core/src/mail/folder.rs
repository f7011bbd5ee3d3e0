//! Mails as files of a folder, for a developer's machine: nothing waits for the disk to have them.

use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::{Mailer, NotSent, OutgoingMail};
use crate::error::Result;
use crate::private_file;

/// Writes each mail to a file `<time>-<id>.eml` of one folder, which is made with the first.
#[derive(Debug, Clone)]
pub struct FolderMailer {
    folder: PathBuf,
}

impl FolderMailer {
    /// Mails in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }
}

impl Mailer for FolderMailer {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        let name = format!("{}-{}.eml", mail.created_at.millis(), mail.id);
        Box::pin(async move {
            // On this thread: nothing waits for the disk, and to hand a few kilobytes to another
            // thread takes longer than to write them.
            let written = private_file::write_soon(&self.folder, &name, &mail.to_bytes());
            written.map_err(|error| NotSent {
                for_good: false,
                perhaps_taken: false,
                summary: format!("cannot write: {}", error.kind()),
                detail: error.to_string(),
            })
        })
    }
}
