//! The pictures of a folder into the shop, for a file of products that names them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::catalog::PictureFiles;
use shop_core::media::{MAX_UPLOAD, MediaName};

use crate::failure::{Exit, Failure};
use crate::output::warn;
use crate::progress::Progress;

/// What pictures' names end with, in small or capital letters.
const ENDINGS: [&str; 5] = ["gif", "jpeg", "jpg", "png", "webp"];

/// Uploads each picture of a folder, or only looks at them, and gives their names in the shop. One
/// that the shop has is not kept twice; one that cannot be kept is told and left out, so that only
/// a cell that names it is bad.
pub(super) async fn upload(
    shop: &Shop,
    folder: &Path,
    dry_run: bool,
    progress: &Progress,
) -> Result<PictureFiles, Failure> {
    let pictures = pictures(folder)?;
    let (mut files, of) = (PictureFiles::new(), pictures.len() as u64);
    for ((name, path), done) in pictures.into_iter().zip(1..) {
        match keep(shop, &path, dry_run).await {
            Ok(kept) => {
                files.insert(name, kept);
            }
            // What is wrong with the file itself; a shop that does not work would keep no other.
            Err(failure) if failure.exit() == Exit::Failed => {
                progress.aside(|| warn(&format!("left out: {failure}")));
            }
            Err(failure) => return Err(failure),
        }
        progress.show("pictures", done, of);
    }
    Ok(files)
}

/// The pictures of a folder, with the names that cells may give them, in their order.
fn pictures(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::file(folder, &error))?;
    let mut pictures = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::file(folder, &error))?.path();
        let ending = path.extension().and_then(|it| it.to_str()).map(str::to_lowercase);
        let is_picture = ending.is_some_and(|it| ENDINGS.contains(&&*it));
        let name = path.file_name().and_then(|it| it.to_str()).map(str::to_owned);
        if let Some(name) = name.filter(|_| is_picture && path.is_file()) {
            pictures.push((name, path));
        }
    }
    pictures.sort();
    Ok(pictures)
}

async fn keep(shop: &Shop, path: &Path, dry_run: bool) -> Result<MediaName, Failure> {
    let mut file = Vec::new();
    // One byte too many is enough for the shop to refuse it.
    let read = File::open(path)
        .and_then(|opened| opened.take(MAX_UPLOAD as u64 + 1).read_to_end(&mut file));
    read.map_err(|error| Failure::file(path, &error))?;
    let pictures = shop.pictures();
    let kept = if dry_run {
        pictures.name_of(file).await
    } else {
        pictures.upload(&Actor::System, file).await
    };
    kept.map_err(|error| Failure::from(error).about(path))
}
