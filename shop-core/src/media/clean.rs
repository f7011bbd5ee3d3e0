//! Makes a picture of a file that somebody sent: what it is, whether it is whole, and nothing in it
//! but what it shows. A camera writes into its files where and when they were taken, and by what.

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits};
use img_parts::Bytes;
use img_parts::png::Png;
use img_parts::riff::{RiffChunk, RiffContent};
use img_parts::webp::{CHUNK_EXIF, CHUNK_VP8X, CHUNK_XMP, WebP};

/// The most pixels that a picture may have, all its frames together; a few bytes can claim many.
const MAX_PIXELS: u64 = 40_000_000;
/// What a decoder may take at once: that many pixels of four bytes, and its own work on them.
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// Of a JPEG that has to be written anew.
const QUALITY: u8 = 90;

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is none of the kinds of pictures that the shop takes.
    Unknown,
    /// It ends too early, or makes no sense.
    Broken,
    /// It has too many pixels.
    TooLarge,
}

/// A picture and the end of its name.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
}

/// A decoded picture.
struct Decoded {
    image: DynamicImage,
    orientation: Orientation,
    /// What its colours mean.
    profile: Option<Vec<u8>>,
}

/// The picture without anything that it does not show. It is only written anew where it would lie
/// on its side otherwise; the frames of a GIF stay.
pub(super) fn clean(file: Vec<u8>) -> Result<Picture, Flaw> {
    let format = image::guess_format(&file).map_err(|_| Flaw::Unknown)?;
    let extension = match format {
        ImageFormat::Gif => return Ok(Picture { bytes: gif(&file)?, extension: "gif" }),
        ImageFormat::Jpeg => "jpg",
        ImageFormat::Png => "png",
        ImageFormat::WebP => "webp",
        _ => return Err(Flaw::Unknown),
    };
    let orientation = open(&file, format)?.orientation().unwrap_or(Orientation::NoTransforms);
    let bytes = match format {
        ImageFormat::Jpeg => jpeg(&file).ok_or(Flaw::Broken)?,
        ImageFormat::Png => png(file.into())?,
        _ => webp(file.into())?,
    };
    // Of what will be kept, so that it is sure to be a picture.
    let decoded = decode(&bytes, format)?;
    if orientation == Orientation::NoTransforms {
        return Ok(Picture { bytes, extension });
    }
    drop(bytes);
    encode(upright(Decoded { orientation, ..decoded }))
}

/// How wide a picture says that it is.
pub(super) fn own_width(file: &[u8]) -> Option<u32> {
    let format = image::guess_format(file).ok()?;
    open(file, format).map(|decoder| decoder.dimensions().0).ok()
}

/// At most so many pixels wide; `None` where it is no wider already.
pub(super) fn shrink(file: &[u8], width: u32) -> Result<Option<Picture>, Flaw> {
    let format = image::guess_format(file).map_err(|_| Flaw::Unknown)?;
    let Decoded { image, profile, .. } = upright(decode(file, format)?);
    if image.width() <= width {
        return Ok(None);
    }
    let height = (u64::from(image.height()) * u64::from(width)).div_ceil(image.width().into());
    let height = u32::try_from(height).unwrap_or(u32::MAX);
    let image = image.resize_exact(width, height, image::imageops::FilterType::CatmullRom);
    let orientation = Orientation::NoTransforms;
    encode(Decoded { image, orientation, profile }).map(Some)
}

/// Reads what a picture claims to be, and no pixel yet.
fn open(file: &[u8], format: ImageFormat) -> Result<impl ImageDecoder + '_, Flaw> {
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|error| flaw(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Flaw::TooLarge);
    }
    Ok(decoder)
}

fn decode(file: &[u8], format: ImageFormat) -> Result<Decoded, Flaw> {
    let mut decoder = open(file, format)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().unwrap_or_default();
    let image = DynamicImage::from_decoder(decoder).map_err(|error| flaw(&error))?;
    Ok(Decoded { image, orientation, profile })
}

fn flaw(error: &image::ImageError) -> Flaw {
    match error {
        image::ImageError::Limits(_) => Flaw::TooLarge,
        _ => Flaw::Broken,
    }
}

fn upright(mut decoded: Decoded) -> Decoded {
    decoded.image.apply_orientation(decoded.orientation);
    Decoded { orientation: Orientation::NoTransforms, ..decoded }
}

/// JPEG where nothing shines through, PNG otherwise.
fn encode(decoded: Decoded) -> Result<Picture, Flaw> {
    let Decoded { image, profile, .. } = decoded;
    let mut bytes = Vec::new();
    let transparent = image.has_alpha() && image.to_rgba8().pixels().any(|p| p.0[3] < u8::MAX);
    let (written, extension) = if transparent {
        let mut encoder = PngEncoder::new(&mut bytes);
        drop(profile.map(|profile| encoder.set_icc_profile(profile)));
        let image = image.into_rgba8();
        let (width, height) = image.dimensions();
        (encoder.write_image(&image, width, height, image::ExtendedColorType::Rgba8), "png")
    } else {
        let mut encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
        drop(profile.map(|profile| encoder.set_icc_profile(profile)));
        let image = image.into_rgb8();
        let (width, height) = image.dimensions();
        (encoder.write_image(&image, width, height, image::ExtendedColorType::Rgb8), "jpg")
    };
    written.map_err(|_| Flaw::Broken)?;
    Ok(Picture { bytes, extension })
}

/// The segments of a JPEG that a decoder needs, up to the end of the picture; `None` where that is
/// missing. (The decoder fills in what a file that was cut off does not have.)
fn jpeg(file: &[u8]) -> Option<Vec<u8>> {
    const END: u8 = 0xD9;
    const SCAN: u8 = 0xDA;
    let mut clean = file.get(..2)?.to_vec();
    let mut at = 2;
    loop {
        let marker = *file.get(at + 1)?;
        match (file[at], marker) {
            (0xFF, 0xFF) => at += 1,
            (0xFF, END) => {
                clean.extend([0xFF, END]);
                return Some(clean);
            }
            // Markers without a length.
            (0xFF, 0x01 | 0xD0..=0xD8) => at += 2,
            (0xFF, _) => {
                let length = u16::from_be_bytes([*file.get(at + 2)?, *file.get(at + 3)?]);
                let segment = file.get(at..at + 2 + usize::from(length))?;
                if shows(marker, &segment[2..]) {
                    clean.extend(segment);
                }
                at += segment.len();
                if marker == SCAN {
                    let scan = scan(file.get(at..)?)?;
                    clean.extend(scan);
                    at += scan.len();
                }
            }
            _ => return None,
        }
    }
}

/// The coded pixels before the next marker.
fn scan(file: &[u8]) -> Option<&[u8]> {
    let of_scan = |next: u8| matches!(next, 0x00 | 0xD0..=0xD7 | 0xFF);
    let length = file.windows(2).position(|two| two[0] == 0xFF && !of_scan(two[1]))?;
    file.get(..length)
}

/// Whether a JPEG's segment says how to show it: of the application's only the frame (JFIF), the
/// meaning of colours (ICC, Adobe), and no comment.
fn shows(marker: u8, segment: &[u8]) -> bool {
    let says = |name: &[u8]| segment.get(2..).is_some_and(|content| content.starts_with(name));
    match marker {
        0xE0 => says(b"JFIF\0"),
        0xE2 => says(b"ICC_PROFILE\0"),
        0xEE => says(b"Adobe"),
        0xE1..=0xEF | 0xFE => false,
        _ => true,
    }
}

/// The chunks of a PNG that say how to show it.
fn png(file: Bytes) -> Result<Vec<u8>, Flaw> {
    const SHOWS: [&[u8; 4]; 16] = [
        b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
        b"cICP", b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT",
    ];
    let mut png = Png::from_bytes(file).map_err(|_| Flaw::Broken)?;
    png.chunks_mut().retain(|chunk| SHOWS.contains(&&chunk.kind()));
    Ok(png.encoder().bytes().to_vec())
}

fn webp(file: Bytes) -> Result<Vec<u8>, Flaw> {
    /// Where the header says that there is EXIF and XMP.
    const METADATA: u8 = 0b1100;
    let mut webp = WebP::from_bytes(file).map_err(|_| Flaw::Broken)?;
    webp.chunks_mut().retain(|chunk| ![CHUNK_EXIF, CHUNK_XMP].contains(&chunk.id()));
    for chunk in webp.chunks_mut() {
        if let (CHUNK_VP8X, RiffContent::Data(header)) = (chunk.id(), chunk.content()) {
            let mut header = header.to_vec();
            header.first_mut().map(|flags| *flags &= !METADATA).ok_or(Flaw::Broken)?;
            *chunk = RiffChunk::new(CHUNK_VP8X, RiffContent::Data(header.into()));
        }
    }
    Ok(webp.encoder().bytes().to_vec())
}

/// The frames of a GIF, without comments and other extensions.
fn gif(file: &[u8]) -> Result<Vec<u8>, Flaw> {
    let broken = |_| Flaw::Broken;
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    options.check_frame_consistency(true);
    let mut decoder = options.read_info(Cursor::new(file)).map_err(broken)?;
    let (width, height) = (decoder.width(), decoder.height());
    let palette = decoder.global_palette().unwrap_or_default().to_vec();
    let (mut clean, mut pixels) = (Vec::new(), u64::from(width) * u64::from(height));
    let failed = |_| Flaw::Broken;
    let mut encoder = gif::Encoder::new(&mut clean, width, height, &palette).map_err(failed)?;
    let mut frames = 0;
    while let Some(next) = decoder.next_frame_info().map_err(broken)? {
        let mut frame = next.clone();
        pixels += u64::from(frame.width) * u64::from(frame.height);
        if pixels > 2 * MAX_PIXELS {
            return Err(Flaw::TooLarge);
        }
        let mut buffer = vec![0; decoder.buffer_size()];
        decoder.read_into_buffer(&mut buffer).map_err(broken)?;
        frame.buffer = Cow::Owned(buffer);
        frame.interlaced = false;
        if frames == 0 {
            encoder.set_repeat(decoder.repeat()).map_err(failed)?;
        }
        encoder.write_frame(&frame).map_err(failed)?;
        frames += 1;
    }
    drop(encoder);
    if frames == 0 { Err(Flaw::Broken) } else { Ok(clean) }
}

#[cfg(test)]
mod tests {
    use image::RgbImage;
    use proptest::prelude::*;

    use super::*;

    /// A small picture of each kind.
    fn pictures() -> Vec<Vec<u8>> {
        let pixels = RgbImage::from_fn(24, 16, |x, y| {
            let shade = |n: u32| u8::try_from(n * 9).unwrap();
            image::Rgb([shade(x), shade(y), 99])
        });
        let kinds = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif];
        let encode = |kind| {
            let mut bytes = Cursor::new(Vec::new());
            DynamicImage::from(pixels.clone()).write_to(&mut bytes, kind).unwrap();
            bytes.into_inner()
        };
        kinds.map(encode).into()
    }

    #[test]
    fn cleaning_twice_changes_nothing() {
        for picture in pictures() {
            let once = clean(picture).unwrap();
            let twice = clean(once.bytes.clone()).unwrap();
            assert!(once.bytes == twice.bytes && once.extension == twice.extension);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn whatever_a_file_holds_it_is_refused_or_a_picture(
            which in 0..4_usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            end in any::<prop::sample::Index>(),
            cut in any::<bool>(),
        ) {
            let mut file = pictures().swap_remove(which);
            for (place, byte) in changes {
                let place = place.index(file.len());
                file[place] = byte;
            }
            if cut {
                file.truncate(end.index(file.len()));
            }
            if let Ok(picture) = clean(file) {
                prop_assert!(image::load_from_memory(&picture.bytes).is_ok());
                prop_assert!(shrink(&picture.bytes, 8).is_ok());
            }
        }
    }
}
