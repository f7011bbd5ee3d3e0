//! The pictures of a cell: addresses, or the names of files that were uploaded for the import.

use std::collections::HashMap;

use crate::catalog::image::{self, NewImage};
use crate::media::MediaName;
use crate::value::{InvalidValue, PictureUrl};

/// Pictures that cells may name by their file (`mel.jpg`) instead of an address, as
/// [`crate::media::Pictures::upload`] named them.
pub type PictureFiles = HashMap<String, MediaName>;

/// Addresses and names with a space between them, or the pictures as JSON where there is more to say.
pub(super) fn read_images(cell: &str, files: &PictureFiles) -> Result<Vec<NewImage>, InvalidValue> {
    let images = if cell.starts_with('[') {
        read_json(cell, files)?
    } else {
        let image = |said: &str| {
            let url = address(said, files)?;
            Ok(NewImage { url, alt: None, is_primary: false, order: None })
        };
        cell.split_whitespace().map(image).collect::<Result<Vec<_>, InvalidValue>>()?
    };
    image::check_count(&images).map_err(|_| InvalidValue::TooManyImages)?;
    Ok(images)
}

fn read_json(cell: &str, files: &PictureFiles) -> Result<Vec<NewImage>, InvalidValue> {
    let unreadable = |error: serde_json::Error| InvalidValue::Unreadable { why: error.to_string() };
    let mut images: Vec<serde_json::Value> = serde_json::from_str(cell).map_err(unreadable)?;
    for image in &mut images {
        let said = image.get("url").and_then(serde_json::Value::as_str);
        if let Some(said) = said {
            let found = address(said, files)?;
            image["url"] = found.as_str().into();
        }
    }
    serde_json::from_value(images.into()).map_err(unreadable)
}

/// Where a picture is that a cell names.
fn address(said: &str, files: &PictureFiles) -> Result<PictureUrl, InvalidValue> {
    if let Some(name) = files.get(said) {
        return name.path().parse();
    }
    let is_name = !files.is_empty() && !said.contains(['/', ':']);
    said.parse().map_err(|error| if is_name { InvalidValue::PictureFile } else { error })
}
