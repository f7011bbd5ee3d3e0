//! A file as an answer's body: read while it is sent, so that a slow client holds one piece of it
//! and not all.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::header::HeaderValue;
use shop_core::{Error, Result};
use tokio::task::JoinHandle;

/// How much is read at a time.
const PIECE: usize = 32 * 1024;

/// The rest of a file.
#[derive(Debug)]
pub struct FileBody {
    reader: Reader,
    remaining: u64,
}

#[derive(Debug)]
enum Reader {
    Ready(File),
    /// On a thread that may wait for the disk.
    Reading(JoinHandle<io::Result<(File, Bytes)>>),
    Done,
}

impl FileBody {
    /// The first `length` bytes of a file, which is at its beginning.
    pub(crate) fn new(file: File, length: u64) -> Self {
        Self { reader: Reader::Ready(file), remaining: length }
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        loop {
            match std::mem::replace(&mut self.reader, Reader::Done) {
                Reader::Done => return Poll::Ready(None),
                Reader::Ready(_) if self.remaining == 0 => return Poll::Ready(None),
                Reader::Ready(file) => {
                    let length = usize::try_from(self.remaining).unwrap_or(PIECE).min(PIECE);
                    let read = tokio::task::spawn_blocking(move || read(file, length));
                    self.reader = Reader::Reading(read);
                }
                Reader::Reading(mut read) => {
                    let Poll::Ready(done) = Pin::new(&mut read).poll(context) else {
                        self.reader = Reader::Reading(read);
                        return Poll::Pending;
                    };
                    let done = done.map_err(Error::from_source);
                    let done = done.and_then(|read| read.map_err(Error::from_source));
                    return Poll::Ready(Some(done.map(|(file, piece)| {
                        self.remaining -= piece.len() as u64;
                        self.reader = Reader::Ready(file);
                        piece
                    })));
                }
            }
        }
    }
}

/// # Errors
/// Also when the file has become shorter than it was: its length was announced.
fn read(mut file: File, length: usize) -> io::Result<(File, Bytes)> {
    let mut piece = vec![0; length];
    file.read_exact(&mut piece)?;
    Ok((file, piece.into()))
}

/// A tag that changes with the file, without reading it. A replaced file has another inode: file
/// systems tell times in steps of milliseconds, within which there may be two files of one length.
pub(crate) fn tag_of(metadata: &Metadata) -> HeaderValue {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    let modified = metadata.modified().ok();
    let since = modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let nanos = since.unwrap_or_default().as_nanos();
    let etag = format!("\"{nanos:x}-{:x}-{inode:x}\"", metadata.len());
    HeaderValue::from_str(&etag).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use http_body_util::BodyExt;

    use super::*;
    use crate::payload::Payload;

    fn body(length: usize, announced: usize) -> Payload {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&vec![7; length]).expect("written");
        std::io::Seek::rewind(&mut file).expect("rewound");
        Payload::File(FileBody::new(file, announced as u64))
    }

    #[test]
    fn files_of_one_moment_and_length_have_different_tags() {
        let at = std::time::UNIX_EPOCH;
        let [one, other] = ["one", "two"].map(|content| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(content.as_bytes()).expect("written");
            file.set_modified(at).expect("set");
            file
        });
        let tag = |file: &File| tag_of(&file.metadata().expect("metadata"));
        assert_ne!(tag(&one), tag(&other));
        assert_eq!(tag(&one), tag(&one));
    }

    #[tokio::test]
    async fn a_file_comes_in_pieces_and_as_long_as_announced() {
        for length in [0, 1, PIECE, PIECE + 1, 3 * PIECE] {
            let mut body = body(length + 5, length);
            let mut read = 0;
            while let Some(frame) = body.frame().await {
                let piece = frame.expect("read").into_data().expect("data");
                assert!((1..=PIECE).contains(&piece.len()));
                read += piece.len();
            }
            assert_eq!(read, length);
        }
        let cut_short = body(PIECE, PIECE + 1).collect().await;
        assert!(cut_short.is_err(), "it must not end as if it were whole");
    }
}
