//! Pictures that staff upload, and smaller ones made of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, oneshot};

use super::clean::{Flaw, Picture, Set, clean, shrink};
use super::{MediaName, MediaStore, OpenMedia};
use crate::actor::Actor;
use crate::audit;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::lane;
use crate::setting;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How large a file may be.
pub const MAX_UPLOAD: usize = 5 * 1024 * 1024;
/// The widths, in pixels, that a picture can be had in.
pub const WIDTHS: [u32; 5] = [160, 320, 640, 960, 1280];
/// The same, the largest first.
const LARGEST_FIRST: [u32; 5] = [1280, 960, 640, 320, 160];

/// Where pictures are worked on: one at a time, since each may take up to 200 MB, and all by one
/// thread. An allocator keeps memory for each thread that asked for some; so what it kept of one
/// picture serves the next.
pub(crate) struct ImageProcessor {
    turns: Arc<Semaphore>,
    /// None until there is a thread.
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Default for ImageProcessor {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(1)), jobs: Mutex::default() }
    }
}

opaque! { ImageProcessor; }

impl ImageProcessor {
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Flaw> + Send + 'static,
    ) -> Result<Result<T, Flaw>> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(Error::from_source)?;
        let (done, worked) = oneshot::channel();
        // The turn goes with the work, which goes on when the caller goes away.
        let job = move || {
            let _turn = turn;
            drop(done.send(work()));
        };
        let queued = self.jobs()?.send(Box::new(job));
        queued.map_err(|_| Error::internal("no thread works on pictures"))?;
        Ok(worked.await.unwrap_or_else(|_| {
            tracing::error!("a picture's decoder failed");
            Err(Flaw::Broken)
        }))
    }

    /// Where the thread gets its work; it starts with the first picture. Where the machine gives
    /// none, the next picture tries again.
    fn jobs(&self) -> Result<mpsc::Sender<Job>> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        match &*jobs {
            Some(known) => Ok(known.clone()),
            None => Ok(jobs.insert(start_thread()?).clone()),
        }
    }
}

/// Ends when the processor is dropped.
fn start_thread() -> Result<mpsc::Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let work = move || {
        for job in jobs {
            // A decoder that panics answers its caller by the channel that it drops.
            drop(catch_unwind(AssertUnwindSafe(job)));
        }
    };
    let thread = std::thread::Builder::new().name("shop-pictures".to_owned());
    thread.spawn(work).map_err(Error::from_source)?;
    Ok(sender)
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
/// let small = shop.pictures().open(name, Some(160)).await?;
/// assert!(small.is_some_and(|small| small.exact));
/// # Ok(())
/// # });
/// ```
#[derive(Clone, Copy)]
pub struct Pictures<'a> {
    cx: &'a Context,
    media: &'a dyn MediaStore,
    processor: &'a ImageProcessor,
}

/// A picture as a page gets it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ShownPicture {
    /// The picture, to be read piece by piece.
    pub media: OpenMedia,
    /// Whether it is what was asked for, and not a larger one that stands in for it.
    pub exact: bool,
}

opaque! { Pictures<'a>; }

impl<'a> Pictures<'a> {
    pub(crate) fn new(
        cx: &'a Context,
        media: &'a dyn MediaStore,
        processor: &'a ImageProcessor,
    ) -> Self {
        Self { cx, media, processor }
    }

    /// Keeps a picture under a name made of its content, and smaller ones of it in those of
    /// [`WIDTHS`] that are smaller. It is a JPEG, a PNG, a WebP or a GIF by what is in it, not by
    /// its name, and loses whatever it does not show, such as the place where it was taken. Nothing
    /// is kept of a file that is refused.
    ///
    /// # Errors
    /// [`Error::Invalid`] for anything else, a file that is not whole or too large, and a picture
    /// of too many pixels.
    ///
    /// Cancel safe: files, then one transaction; the same upload again completes what was left.
    pub async fn upload(&self, by: &Actor, file: Vec<u8>) -> Result<MediaName> {
        let (name, Set { picture: Picture { bytes, .. }, smaller }) = self.look_at(file).await?;
        let kept = serde_json::json!({ "contentType": name.content_type(), "bytes": bytes.len() });
        // The smaller ones first: where the picture is, they are.
        self.put_smaller(&name, smaller).await?;
        self.media.put(name.clone(), bytes).await?;
        let (by, id, at) = (by.clone(), name.as_str().to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| audit::record(tx, &at, &by, UPLOADED, &id, &(), &kept);
        self.cx.db().write(lane::CATALOG, "media.upload", job).await?;
        Ok(name)
    }

    /// The name that [`Pictures::upload`] would keep a picture under. Nothing is kept.
    ///
    /// # Errors
    /// Those of [`Pictures::upload`].
    ///
    /// Cancel safe: only looks.
    pub async fn name_of(&self, file: Vec<u8>) -> Result<MediaName> {
        self.look_at(file).await.map(|(name, _)| name)
    }

    async fn look_at(&self, file: Vec<u8>) -> Result<(MediaName, Set)> {
        if file.len() > MAX_UPLOAD {
            return Err(Error::field("file", InvalidValue::FileTooLarge { most_mb: 5 }));
        }
        let worked_on = self.processor.work(move || {
            let set = clean(&file, &LARGEST_FIRST)?;
            let digest = hex::encode(&Sha256::digest(&set.picture.bytes)[..16]);
            Ok((set, digest))
        });
        let (set, digest) = worked_on.await?.map_err(refusal)?;
        let name = format!("{digest}.{}", set.picture.extension);
        Ok((name.parse().map_err(Error::from_source)?, set))
    }

    /// A kept picture, at most so many pixels wide where a width is named: a JPEG, or a PNG where
    /// something shines through; of a GIF its first frame. Where there is none of this width, since
    /// the picture is no wider, or its smaller ones are still to be made, the next larger one
    /// stands in for it. Nothing is made here, so that no stranger can make the shop work.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a width that is none of [`WIDTHS`].
    ///
    /// Cancel safe: reads only.
    pub async fn open(&self, name: MediaName, width: Option<u32>) -> Result<Option<ShownPicture>> {
        if width.is_some_and(|width| !WIDTHS.contains(&width)) {
            let widths = WIDTHS.map(|width| width.to_string()).join(", ");
            return Err(Error::field("w", InvalidValue::PictureWidth { widths }));
        }
        // What stands under another name may be replaced, and has no smaller ones.
        if let Some(width) = width.filter(|_| name.is_of_content() && !name.is_variant()) {
            for larger in WIDTHS.into_iter().filter(|larger| *larger >= width) {
                if let Some(media) = self.made(&name, larger).await? {
                    return Ok(Some(ShownPicture { media, exact: larger == width }));
                }
            }
        }
        let found = self.media.open(name).await?;
        Ok(found.map(|media| ShownPicture { media, exact: width.is_none() }))
    }

    async fn made(&self, name: &MediaName, width: u32) -> Result<Option<OpenMedia>> {
        for extension in ["jpg", "png"] {
            let found = self.media.open(name.variant(width, extension)?).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn put_smaller(&self, name: &MediaName, smaller: Vec<(u32, Picture)>) -> Result<()> {
        for (width, Picture { bytes, extension }) in smaller {
            self.media.put(name.variant(width, extension)?, bytes).await?;
        }
        Ok(())
    }

    /// Makes the smaller ones of pictures that were uploaded before they were made at once, a few
    /// in a call; how many were gone through. Each is gone through once, whatever comes of it.
    ///
    /// # Errors
    /// When the database or the place of pictures fails.
    pub(crate) async fn make_missing(&self) -> Result<usize> {
        let next = |tx: &mut dyn Tx| {
            let after = setting::get(tx, MADE_UP_TO)?.and_then(|id| id.parse().ok()).unwrap_or(0);
            audit::after(tx, UPLOADED, after, BATCH)
        };
        let uploads = self.cx.db().read("media.uploads", next).await?;
        let count = uploads.len();
        for (id, name) in uploads {
            if let Ok(name) = name.parse() {
                self.make_smaller(&name).await?;
            }
            let now = self.cx.now();
            let done = move |tx: &mut dyn Tx| setting::set(tx, MADE_UP_TO, &id.to_string(), now);
            self.cx.db().write(lane::CATALOG, "media.made", done).await?;
        }
        Ok(count)
    }

    async fn make_smaller(&self, name: &MediaName) -> Result<()> {
        if self.made(name, WIDTHS[0]).await?.is_some() {
            return Ok(());
        }
        let Some(original) = self.media.get(name.clone()).await? else { return Ok(()) };
        let work = move || shrink(&original.bytes, &LARGEST_FIRST);
        match self.processor.work(work).await? {
            Ok(smaller) => self.put_smaller(name, smaller).await,
            Err(flaw) => {
                tracing::warn!(name = name.as_str(), ?flaw, "a picture has no smaller ones");
                Ok(())
            }
        }
    }
}

/// What the audit log calls an upload.
const UPLOADED: &str = "media.upload";
/// Up to which entry of the audit log the smaller pictures are made.
const MADE_UP_TO: &str = "media_made_up_to";
/// How many pictures are gone through at once.
const BATCH: i64 = 5;

fn refusal(flaw: Flaw) -> Error {
    Error::field(
        "file",
        match flaw {
            Flaw::Unknown => InvalidValue::PictureFormat,
            Flaw::Broken => InvalidValue::PictureBroken,
            Flaw::TooLarge => InvalidValue::PictureTooLarge { most_megapixels: 40 },
            Flaw::TooCostly => InvalidValue::PictureTooCostly,
        },
    )
}
