//! The pictures of a cell: addresses, or the names of files that were uploaded for the import.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::catalog::image::{self, NewImage};
use crate::media::MediaName;
use crate::value::{InvalidValue, PictureUrl};

/// Pictures that cells may name by their file (`mel.jpg`) instead of an address, as
/// [`crate::media::Pictures::upload`] named them.
pub type PictureFiles = HashMap<String, MediaName>;

/// The cell with addresses in the places of the files that it names.
pub(super) fn resolve_files<'c>(
    cell: &'c str,
    files: &PictureFiles,
) -> Result<Cow<'c, str>, InvalidValue> {
    if files.is_empty() {
        return Ok(cell.into());
    }
    if !cell.starts_with('[') {
        let addresses = cell.split_whitespace().map(|said| address(said, files));
        let addresses: Vec<String> = addresses.collect::<Result<_, InvalidValue>>()?;
        return Ok(addresses.join(" ").into());
    }
    let mut images: Vec<serde_json::Value> =
        serde_json::from_str(cell).map_err(|error| unreadable(&error))?;
    for image in &mut images {
        if let Some(said) = image.get("url").and_then(serde_json::Value::as_str) {
            image["url"] = address(said, files)?.into();
        }
    }
    Ok(serde_json::Value::from(images).to_string().into())
}

/// Where a picture is that a cell names.
fn address(said: &str, files: &PictureFiles) -> Result<String, InvalidValue> {
    if let Some(name) = files.get(said) {
        return Ok(name.path());
    }
    if said.contains(['/', ':']) { Ok(said.to_owned()) } else { Err(InvalidValue::PictureFile) }
}

/// Addresses with a space between them, or the pictures as JSON where there is more to say.
pub(super) fn read_images(cell: &str) -> Result<Vec<NewImage>, InvalidValue> {
    let images = if cell.starts_with('[') {
        let images: Vec<serde_json::Value> =
            serde_json::from_str(cell).map_err(|error| unreadable(&error))?;
        for said in images.iter().filter_map(|image| image.get("url")?.as_str()) {
            said.parse::<PictureUrl>()?;
        }
        serde_json::from_value(images.into()).map_err(|error| unreadable(&error))?
    } else {
        let image = |said: &str| {
            Ok(NewImage { url: said.parse()?, alt: None, is_primary: false, order: None })
        };
        cell.split_whitespace().map(image).collect::<Result<Vec<_>, InvalidValue>>()?
    };
    image::check_count(&images).map_err(|_| InvalidValue::TooManyImages)?;
    Ok(images)
}

fn unreadable(error: &serde_json::Error) -> InvalidValue {
    InvalidValue::Unreadable { why: error.to_string() }
}
