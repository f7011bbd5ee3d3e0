//! Pictures that staff upload, and smaller ones made of them.

use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::clean::{Flaw, Picture, clean, own_width, shrink};
use super::{Media, MediaName, OpenMedia};
use crate::actor::Actor;
use crate::audit;
use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::storage::Tx;

/// How large a file may be.
pub const MAX_UPLOAD: usize = 5 * 1024 * 1024;
/// The widths, in pixels, that a picture can be had in.
pub const WIDTHS: [u32; 5] = [160, 320, 640, 960, 1280];

/// Where pictures are worked on: one at a time, since each may take hundreds of megabytes.
#[derive(Debug)]
pub(crate) struct Workshop(Semaphore);

impl Default for Workshop {
    fn default() -> Self {
        Self(Semaphore::new(1))
    }
}

/// One's turn in the workshop, until it is dropped.
struct Turn<'w>(#[expect(dead_code, reason = "held, not read")] SemaphorePermit<'w>);

impl Workshop {
    async fn enter(&self) -> Result<Turn<'_>> {
        self.0.acquire().await.map(Turn).map_err(Error::from_source)
    }
}

impl Turn<'_> {
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Flaw> + Send + 'static,
    ) -> Result<T, Flaw> {
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
            tracing::error!(%error, "a picture's decoder failed");
            Err(Flaw::Broken)
        })
    }
}

/// Pictures as staff bring them and pages want them.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
///
/// let mut file = std::io::Cursor::new(Vec::new());
/// image::RgbImage::new(640, 480).write_to(&mut file, image::ImageFormat::Png)?;
/// let name = shop.pictures().upload(&Actor::System, file.into_inner()).await?;
/// assert!(shop.pictures().get(name, Some(160)).await?.is_some());
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pictures<'a> {
    shop: &'a Shop,
}

impl<'a> Pictures<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// Keeps a picture under a name made of its content. It is a JPEG, a PNG, a WebP or a GIF by
    /// what is in it, not by its name, and loses whatever it does not show, such as the place where
    /// it was taken. Nothing is kept of a file that is refused.
    ///
    /// # Errors
    /// [`Error::Invalid`] for anything else, a file that is not whole or too large, and a picture of
    /// too many pixels.
    pub async fn upload(&self, by: &Actor, file: Vec<u8>) -> Result<MediaName> {
        if file.len() > MAX_UPLOAD {
            return Err(Error::field("file", "O arquivo deve ter no máximo 5 MB"));
        }
        let turn = self.shop.workshop().enter().await?;
        let worked_on = turn.work(move || {
            let picture = clean(file)?;
            let digest = hex::encode(&Sha256::digest(&picture.bytes)[..16]);
            Ok((picture, digest))
        });
        let (Picture { bytes, extension }, digest) = worked_on.await.map_err(refusal)?;
        drop(turn);
        let name: MediaName =
            format!("{digest}.{extension}").parse().map_err(Error::from_source)?;
        let kept = serde_json::json!({ "contentType": name.content_type(), "bytes": bytes.len() });
        self.shop.media().put(name.clone(), bytes).await?;
        let (by, id, at) = (by.clone(), name.as_str().to_owned(), self.shop.moment());
        let job =
            move |tx: &mut dyn Tx| audit::record(tx, &at, &by, "media.upload", &id, &(), &kept);
        self.shop.db().write("media.upload", job).await?;
        Ok(name)
    }

    /// A kept picture, at most so many pixels wide where a width is named. The smaller one is made
    /// when it is first asked for, and kept: a JPEG, or a PNG where something shines through. Of a
    /// GIF it shows the first frame. What is no wider, and what was not uploaded, is handed out as
    /// it is.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a width that is none of [`WIDTHS`].
    pub async fn get(&self, name: MediaName, width: Option<u32>) -> Result<Option<Media>> {
        let Some(width) = width else { return self.shop.media().get(name).await };
        if !WIDTHS.contains(&width) {
            let widths = WIDTHS.map(|width| width.to_string()).join(", ");
            return Err(Error::field("w", format!("Deve ser uma destas larguras: {widths}")));
        }
        // What stands under another name may be replaced, and a smaller one of a smaller one could
        // be asked for without end.
        if !name.is_of_content() || name.is_variant() {
            return self.shop.media().get(name).await;
        }
        match self.made(&name, width).await? {
            Some(found) => Ok(Some(found)),
            None => self.make(name, width).await,
        }
    }

    /// As [`Self::get`], to be read piece by piece.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn open(&self, name: MediaName, width: Option<u32>) -> Result<Option<OpenMedia>> {
        let media = self.shop.media();
        let Some(width) = width else { return media.open(name).await };
        let has_widths = name.is_of_content() && !name.is_variant();
        if has_widths && let Some(found) = self.open_made(&name, width).await? {
            return Ok(Some(found));
        }
        // Makes it, or says what is wrong with the width. What it answers is dropped, for it may
        // be the original in full.
        if self.get(name.clone(), Some(width)).await?.is_none() {
            return Ok(None);
        }
        match self.open_made(&name, width).await? {
            Some(found) if has_widths => Ok(Some(found)),
            _ => media.open(name).await,
        }
    }

    async fn open_made(&self, name: &MediaName, width: u32) -> Result<Option<OpenMedia>> {
        for extension in ["jpg", "png"] {
            let found = self.shop.media().open(name.variant(width, extension)?).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn made(&self, name: &MediaName, width: u32) -> Result<Option<Media>> {
        for extension in ["jpg", "png"] {
            let found = self.shop.media().get(name.variant(width, extension)?).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn make(&self, name: MediaName, width: u32) -> Result<Option<Media>> {
        let Some(original) = self.shop.media().get(name.clone()).await? else { return Ok(None) };
        // A file that somebody put into the folder may be no picture at all.
        if own_width(&original.bytes).is_none_or(|own| own <= width) {
            return Ok(Some(original));
        }
        let turn = self.shop.workshop().enter().await?;
        // Somebody else may have wanted the same and come first.
        if let Some(found) = self.made(&name, width).await? {
            return Ok(Some(found));
        }
        let bytes = original.bytes.clone();
        let made = turn.work(move || shrink(&bytes, width)).await;
        let Ok(Some(Picture { bytes, extension })) = made else { return Ok(Some(original)) };
        let name = name.variant(width, extension)?;
        let content_type = name.content_type();
        self.shop.media().put(name, bytes.clone()).await?;
        Ok(Some(Media { bytes, content_type }))
    }
}

fn refusal(flaw: Flaw) -> Error {
    Error::field(
        "file",
        match flaw {
            Flaw::Unknown => "Deve ser uma imagem JPEG, PNG, WebP ou GIF",
            Flaw::Broken => "A imagem está corrompida ou incompleta",
            Flaw::TooLarge => "A imagem deve ter no máximo 40 megapixels",
        },
    )
}
