//! The pictures of a product. They are kept as JSON on the product's row, written as they are
//! served, so that a list of products neither joins nor parses them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::ImageId;
use crate::storage::{FromColumn, Row};
use crate::value::{InvalidValue, OptionalText, PictureUrl};

/// How many pictures a product can have; every list of products carries them.
const MAX_IMAGES: usize = 20;

/// A picture of a product.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Image {
    /// UUID version 7, set by the shop.
    pub id: ImageId,
    /// A path of this shop, or an address elsewhere.
    pub url: String,
    /// What it shows, for screen readers.
    pub alt: String,
    /// Whether it stands for the product where only one fits.
    pub is_primary: bool,
    /// Its place among the product's pictures.
    pub order: u32,
}

/// A picture to be added to a product.
#[apply(input!)]
#[derive(PartialEq, Eq, Serialize)]
pub struct NewImage {
    /// Where it is.
    pub url: PictureUrl,
    /// What it shows; the product's name where it is not said.
    #[serde(default)]
    pub alt: Option<OptionalText<300>>,
    /// Whether it stands for the product. The first so marked does, or the first of all.
    #[serde(default)]
    pub is_primary: bool,
    /// Its place; pictures without one keep the order they came in.
    #[serde(default)]
    pub order: Option<u32>,
}

/// The pictures of a product in their order, as JSON that is passed on unread.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Images(#[cfg_attr(feature = "schema", schemars(with = "Vec<Image>"))] Box<RawValue>);

impl Images {
    /// The pictures one by one.
    ///
    /// # Errors
    /// [`Error::Internal`] when the stored list is damaged.
    pub fn to_vec(&self) -> Result<Vec<Image>> {
        serde_json::from_str(self.as_str()).map_err(Error::from_source)
    }

    /// The same, with the one that stands for the product first.
    ///
    /// # Errors
    /// [`Error::Internal`] when the stored list is damaged.
    pub fn main_first(&self) -> Result<Vec<Image>> {
        let mut images = self.to_vec()?;
        images.sort_by_key(|image| !image.is_primary);
        Ok(images)
    }

    /// The list as JSON.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    pub(crate) fn of(at: &Work, product: &str, new: &[NewImage]) -> Result<Self> {
        Self::write(&arrange(at, product, new))
    }

    /// Pictures in place of these. One whose address is among these keeps its id; where all are as
    /// they were, nothing changes.
    pub(super) fn replaced(&self, at: &Work, product: &str, new: &[NewImage]) -> Result<Self> {
        let before = self.to_vec()?;
        let (mut images, mut kept) = (arrange(at, product, new), before.clone());
        for image in &mut images {
            if let Some(place) = kept.iter().position(|known| known.url == image.url) {
                image.id = kept.remove(place).id;
            }
        }
        if images == before { Ok(self.clone()) } else { Self::write(&images) }
    }

    /// The same pictures for another product.
    pub(super) fn copied(&self, at: &Work) -> Result<Self> {
        let own = |image| Image { id: at.id(), ..image };
        let copies: Vec<Image> = self.to_vec()?.into_iter().map(own).collect();
        Self::write(&copies)
    }

    fn write(images: &[Image]) -> Result<Self> {
        let raw = serde_json::value::to_raw_value(images);
        raw.map(Self).map_err(Error::from_source)
    }
}

impl Eq for Images {}

impl PartialEq for Images {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl FromColumn for Images {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.get(column).map(Self)
    }
}

pub(super) fn check_count(images: &[NewImage]) -> Result<()> {
    if images.len() > MAX_IMAGES {
        return Err(Error::field("images", InvalidValue::MaxItems { most: MAX_IMAGES as u64 }));
    }
    Ok(())
}

/// Puts the pictures in order and sees to it that exactly one is the primary one.
fn arrange(at: &Work, product: &str, new: &[NewImage]) -> Vec<Image> {
    let place = |(index, image): (usize, &NewImage)| {
        image.order.unwrap_or_else(|| u32::try_from(index).unwrap_or(u32::MAX))
    };
    let mut images: Vec<Image> = new
        .iter()
        .enumerate()
        .map(|(index, image)| Image {
            id: at.id(),
            url: image.url.as_str().to_owned(),
            alt: image.alt.as_ref().map_or(product, OptionalText::as_str).to_owned(),
            is_primary: image.is_primary,
            order: place((index, image)),
        })
        .collect();
    images.sort_by_key(|image| image.order);
    let primary = images.iter().position(|image| image.is_primary).unwrap_or(0);
    for (index, image) in images.iter_mut().enumerate() {
        image.is_primary = index == primary;
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::context::IdSource;

    fn arranged(json: &str) -> Vec<(String, bool, u32)> {
        let at = Work::at(Timestamp::from_millis(0), &IdSource::default(), 0);
        let new: Vec<NewImage> = serde_json::from_str(json).unwrap();
        let images = Images::of(&at, "Vela", &new).unwrap().to_vec().unwrap();
        images.into_iter().map(|i| (i.url, i.is_primary, i.order)).collect()
    }

    #[test]
    fn exactly_one_picture_is_primary() {
        assert_eq!(arranged("[]"), []);
        assert_eq!(
            arranged(r#"[{"url": "/a"}, {"url": "/b"}]"#),
            [("/a".into(), true, 0), ("/b".into(), false, 1)]
        );
        assert_eq!(
            arranged(
                r#"[{"url": "/a", "order": 5}, {"url": "/b", "isPrimary": true, "order": 9},
                         {"url": "/c", "isPrimary": true}]"#
            ),
            [("/c".into(), true, 2), ("/a".into(), false, 5), ("/b".into(), false, 9)]
        );
    }
}
