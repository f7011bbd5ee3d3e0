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
        let (folder, bytes) = (self.folder.clone(), mail.to_bytes());
        Box::pin(async move {
            let write = move || private_file::write_soon(&folder, &name, &bytes);
            let written = tokio::task::spawn_blocking(write).await.map_err(std::io::Error::other);
            written.and_then(|written| written).map_err(|error| NotSent {
                for_good: false,
                summary: format!("cannot write: {}", error.kind()),
                detail: error.to_string(),
            })
        })
    }
}
