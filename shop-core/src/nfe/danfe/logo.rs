//! The company's logo, as it goes into a PDF.

use std::collections::BTreeMap;
use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};
use printpdf::{DictItem, ExternalStream, ExternalXObject};

use super::DanfeError;

const NO_PICTURE: DanfeError = DanfeError::Logo("neither a PNG nor a JPEG that can be read");

/// A picture, ready to be put into a document.
pub(super) struct Logo {
    pub(super) object: ExternalXObject,
    /// Its width, where its height is 1.
    pub(super) ratio: f32,
}

impl Logo {
    pub(super) fn new(bytes: &[u8]) -> Result<Self, DanfeError> {
        if bytes.starts_with(b"\x89PNG") {
            png(bytes).ok_or(NO_PICTURE)
        } else {
            jpeg(bytes).ok_or(NO_PICTURE)
        }
    }
}

/// Decoded, and laid on white where it can be seen through.
fn png(bytes: &[u8]) -> Option<Logo> {
    let limits = Limits { bytes: 64 * 1024 * 1024 };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(frame.buffer_size());
    let rgb: Vec<u8> = match frame.color_type {
        ColorType::Rgb => pixels,
        ColorType::Rgba => pixels
            .as_chunks()
            .0
            .iter()
            .flat_map(|[r, g, b, a]| [r, g, b].map(|color| on_white(*color, *a)))
            .collect(),
        ColorType::Grayscale => pixels.iter().flat_map(|grey| [*grey; 3]).collect(),
        ColorType::GrayscaleAlpha => {
            pixels.as_chunks().0.iter().flat_map(|[grey, a]| [on_white(*grey, *a); 3]).collect()
        }
        ColorType::Indexed => return None,
    };
    Some(picture(frame.width, frame.height, "DeviceRGB", None, rgb))
}

fn on_white(color: u8, alpha: u8) -> u8 {
    let (color, alpha) = (u16::from(color), u16::from(alpha));
    u8::try_from((color * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
}

/// As it is: PDF reads JPEG. Only its head is looked at.
fn jpeg(bytes: &[u8]) -> Option<Logo> {
    let mut rest = bytes.strip_prefix(b"\xFF\xD8")?;
    loop {
        let ([0xFF, marker, high, low], after) = rest.split_first_chunk()? else { return None };
        let length = usize::from(u16::from_be_bytes([*high, *low])).checked_sub(2)?;
        let segment = after.get(..length)?;
        // The frames that PDF can show: baseline, extended and progressive.
        if matches!(marker, 0xC0..=0xC2) {
            let [8, h1, h0, w1, w0, components, ..] = segment else { return None };
            let space = match components {
                1 => "DeviceGray",
                3 => "DeviceRGB",
                _ => return None,
            };
            let (width, height) = ([*w1, *w0], [*h1, *h0]);
            let [width, height] = [width, height].map(|it| u32::from(u16::from_be_bytes(it)));
            let usable = width > 0 && height > 0;
            return usable
                .then(|| picture(width, height, space, Some("DCTDecode"), bytes.to_vec()));
        }
        rest = after.get(length..)?;
    }
}

fn picture(width: u32, height: u32, space: &str, filter: Option<&str>, content: Vec<u8>) -> Logo {
    let name = |text: &str| DictItem::Name(text.as_bytes().to_vec());
    let mut dict = BTreeMap::from([
        ("Type".to_owned(), name("XObject")),
        ("Subtype".to_owned(), name("Image")),
        ("Width".to_owned(), DictItem::Int(width.into())),
        ("Height".to_owned(), DictItem::Int(height.into())),
        ("BitsPerComponent".to_owned(), DictItem::Int(8)),
        ("ColorSpace".to_owned(), name(space)),
    ]);
    dict.extend(filter.map(|filter| ("Filter".to_owned(), name(filter))));
    let stream = ExternalStream { dict, content, compress: filter.is_none() };
    let object = ExternalXObject { stream, width: None, height: None, dpi: None };
    let side = |pixels: u32| f32::from(u16::try_from(pixels).unwrap_or(u16::MAX));
    Logo { object, ratio: side(width) / side(height) }
}
