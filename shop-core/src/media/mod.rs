//! Pictures that the shop keeps itself and hands out under `/uploads/`.

#[cfg(feature = "media")]
mod clean;
#[cfg(feature = "media")]
mod strip;
#[cfg(feature = "media")]
mod upload;
#[cfg(feature = "media")]
mod webp_codes;

use std::path::PathBuf;
use std::str::FromStr;

use futures_util::future::BoxFuture;

#[cfg(feature = "media")]
pub(crate) use self::upload::ImageProcessor;
#[cfg(feature = "media")]
pub use self::upload::{MAX_UPLOAD, Pictures, ShownPicture, WIDTHS};
use crate::error::{Error, Result};
use crate::private_file;
use crate::value::InvalidValue;

/// The kinds of pictures, by the end of their names.
const CONTENT_TYPES: &[(&str, &str)] = &[
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];

/// The name of a stored picture: small letters, digits, `.`, `_` and `-`, no dot in front, and an
/// ending that gives its format. Such a name cannot leave the folder it is kept in.
///
/// # Example: what can be a name
/// ```
/// use shop_core::media::MediaName;
/// assert!("vela-lavanda.jpg".parse::<MediaName>().is_ok());
/// assert!("../shop.db".parse::<MediaName>().is_err());
/// assert!("script.js".parse::<MediaName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MediaName {
    name: String,
    content_type: &'static str,
}

impl MediaName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The content type by the name's ending, e.g. `image/png`.
    pub fn content_type(&self) -> &'static str {
        self.content_type
    }

    /// Whether the name is made of the picture's content, so that there will never be another under
    /// it.
    pub fn is_of_content(&self) -> bool {
        let digest = self.name.split('.').next().unwrap_or_default();
        digest.len() == 32 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// The name of this picture in another width.
    #[cfg(feature = "media")]
    fn variant(&self, width: u32, extension: &str) -> Result<Self> {
        format!("{}.w{width}.{extension}", self.name).parse().map_err(Error::from_source)
    }

    /// Whether it names a picture in another width than its own.
    #[cfg(feature = "media")]
    fn is_variant(&self) -> bool {
        let is_width = |part: &str| {
            let digits = part.strip_prefix('w').unwrap_or_default();
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        };
        self.name.split('.').any(is_width)
    }

    /// The path under which the picture is handed out.
    pub fn path(&self) -> String {
        format!("/uploads/{}", self.name)
    }
}

impl FromStr for MediaName {
    type Err = InvalidValue;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let allowed =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
        let fine =
            (1..=150).contains(&name.len()) && name.bytes().all(allowed) && !name.starts_with('.');
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        match CONTENT_TYPES.iter().find(|(known, _)| *known == end) {
            Some((_, content_type)) if fine => Ok(Self { name: name.to_owned(), content_type }),
            _ => Err(InvalidValue::FileName),
        }
    }
}

/// A stored picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// The file as it was stored.
    pub bytes: Vec<u8>,
    /// The content type, e.g. `image/png`.
    pub content_type: &'static str,
}

/// A stored picture that is read while it is handed out.
#[derive(Debug)]
pub struct OpenMedia {
    /// In pieces, as they are read.
    pub content: MediaContent,
    /// Of the whole file, in bytes.
    pub length: u64,
    /// The content type, e.g. `image/png`.
    pub content_type: &'static str,
}

/// Where the bytes of a picture are.
#[derive(Debug)]
pub enum MediaContent {
    /// In memory.
    Bytes(Vec<u8>),
    /// In a file, from its beginning.
    File(std::fs::File),
}

impl From<Media> for OpenMedia {
    fn from(media: Media) -> Self {
        Self {
            length: media.bytes.len() as u64,
            content: MediaContent::Bytes(media.bytes),
            content_type: media.content_type,
        }
    }
}

/// Where pictures are kept. [`LocalFolder`] unless the embedding program brings its own.
pub trait MediaStore: Send + Sync + 'static {
    /// Keeps a picture; one of the same name is replaced, and no reader ever sees half of either.
    fn put(&self, name: MediaName, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>>;

    /// The picture of this name, if there is one.
    fn get(&self, name: MediaName) -> BoxFuture<'_, Result<Option<Media>>>;

    /// The picture of this name, to be read piece by piece. A store that cannot do that reads it
    /// into memory.
    fn open(&self, name: MediaName) -> BoxFuture<'_, Result<Option<OpenMedia>>> {
        Box::pin(async { Ok(self.get(name).await?.map(OpenMedia::from)) })
    }
}

/// Pictures as files of one folder, which is made when the first is put.
#[derive(Debug, Clone)]
pub struct LocalFolder {
    folder: PathBuf,
}

impl LocalFolder {
    /// Pictures in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }
}

impl MediaStore for LocalFolder {
    fn put(&self, name: MediaName, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>> {
        let folder = self.folder.clone();
        Box::pin(off_the_async_threads(move || private_file::write(&folder, name.as_str(), &bytes)))
    }

    fn get(&self, name: MediaName) -> BoxFuture<'_, Result<Option<Media>>> {
        let path = self.folder.join(name.as_str());
        let content_type = name.content_type();
        let read = move || match std::fs::read(path) {
            Ok(bytes) => Ok(Some(Media { bytes, content_type })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Box::pin(off_the_async_threads(read))
    }

    fn open(&self, name: MediaName) -> BoxFuture<'_, Result<Option<OpenMedia>>> {
        let path = self.folder.join(name.as_str());
        let content_type = name.content_type();
        let open = move || match std::fs::File::open(path) {
            Ok(file) => {
                let length = file.metadata()?.len();
                Ok(Some(OpenMedia { content: MediaContent::File(file), length, content_type }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Box::pin(off_the_async_threads(open))
    }
}

async fn off_the_async_threads<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::from_source)?;
    done.map_err(Error::from_source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> MediaName {
        text.parse().unwrap()
    }

    #[test]
    fn names_stay_in_their_folder_and_tell_their_kind() {
        assert_eq!(name("a_b-1.png").content_type(), "image/png");
        assert_eq!(name("vela.jpg").path(), "/uploads/vela.jpg");
        let long = format!("{}.png", "a".repeat(150));
        for bad in
            ["", ".png", "..", "../a.png", "a/b.png", "A.png", "a b.png", "a\0.png", "é.png", &long]
        {
            assert!(bad.parse::<MediaName>().is_err(), "{bad:?}");
        }
        assert!(name("0123456789abcdef0123456789abcdef.w320.jpg").is_of_content());
        assert!(!name("0123456789abcdef.jpg").is_of_content());
        for unknown in ["a", "a.html", "a.png.exe"] {
            assert!(unknown.parse::<MediaName>().is_err(), "{unknown:?}");
        }
    }

    #[tokio::test]
    async fn what_was_put_comes_back_and_replaces_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let store = LocalFolder::new(dir.path().join("uploads"));
        assert_eq!(store.get(name("a.png")).await.unwrap(), None);
        for bytes in [vec![1, 2, 3], vec![4]] {
            store.put(name("a.png"), bytes.clone()).await.unwrap();
            let found = store.get(name("a.png")).await.unwrap();
            assert_eq!(found, Some(Media { bytes, content_type: "image/png" }));
        }
        let files = std::fs::read_dir(dir.path().join("uploads")).unwrap().count();
        assert_eq!(files, 1, "no draft stays behind");
    }
}
