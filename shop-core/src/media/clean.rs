//! Makes a picture of an uploaded file: what it is, whether it is whole, and nothing in it
//! but what it shows; and smaller pictures of it.
//!
//! No picture takes more than 200 MB of memory, whatever its kind: what it will take is reckoned
//! from its header, before any pixel is read ([`MAX_WORK`]).

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits,
};

use super::strip::{self, Stripped};
use super::webp_codes;

/// The most pixels that a picture may have, all its frames together; a few bytes can claim many.
const MAX_PIXELS: u64 = 40_000_000;
/// What decoding a picture and turning it may take, in bytes: 40 megapixels of three each. With the
/// smaller pictures, and with what the allocator keeps of earlier work, that stays below 200 MB.
const MAX_WORK: u64 = 3 * MAX_PIXELS;
/// The most pixels of a smaller picture. One that has more, by being very high, is left out.
const MAX_SMALL: u64 = 8_000_000;
/// What resampling may take beside its source and its result.
const MAX_RESAMPLING: u64 = 64_000_000;
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
    /// It has fewer, but its kind of file takes too much memory for them.
    TooCostly,
}

/// A picture and the end of its name.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
}

/// A picture and the smaller ones of it, by their widths.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) picture: Picture,
    pub(super) smaller: Vec<(u32, Picture)>,
}

/// A decoded picture, eight bits a channel.
struct Decoded {
    image: DynamicImage,
    /// What its colours mean.
    profile: Option<Vec<u8>>,
}

/// The picture without anything that it does not show, and smaller ones of it in those of `widths`
/// (the largest first) that are smaller. It is only written anew where it would lie on its side
/// otherwise; the frames of a GIF stay.
pub(super) fn clean(file: &[u8], widths: &[u32]) -> Result<Set, Flaw> {
    let format = image::guess_format(file).map_err(|_| Flaw::Unknown)?;
    let (stripped, extension) = match format {
        ImageFormat::Gif => {
            let picture = Picture { bytes: gif(file)?, extension: "gif" };
            let smaller = shrink(&picture.bytes, widths).unwrap_or_default();
            return Ok(Set { picture, smaller });
        }
        ImageFormat::Jpeg => (strip::jpeg(file), "jpg"),
        ImageFormat::Png => (strip::png(file), "png"),
        ImageFormat::WebP => (strip::webp(file), "webp"),
        _ => return Err(Flaw::Unknown),
    };
    let Stripped { bytes, exif } = stripped.ok_or(Flaw::Broken)?;
    let orientation = exif.and_then(|exif| Orientation::from_exif_chunk(&exif));
    let orientation = orientation.unwrap_or(Orientation::NoTransforms);
    let turned = orientation != Orientation::NoTransforms;
    // Of what will be kept, so that it is sure to be a picture.
    let mut decoded = decode(&bytes, format, turned)?;
    decoded.image.apply_orientation(orientation);
    let picture = if turned {
        encode(&decoded.image, decoded.profile.as_deref())?
    } else {
        Picture { bytes, extension }
    };
    Ok(Set { picture, smaller: smaller(decoded, widths)? })
}

/// The smaller pictures of one that is kept, in those of `widths` (the largest first) that are
/// smaller.
pub(super) fn shrink(file: &[u8], widths: &[u32]) -> Result<Vec<(u32, Picture)>, Flaw> {
    let format = image::guess_format(file).map_err(|_| Flaw::Unknown)?;
    // What was kept by an earlier program may hold more than it shows.
    let stripped = match format {
        ImageFormat::Jpeg => strip::jpeg(file),
        ImageFormat::Png => strip::png(file),
        ImageFormat::WebP => strip::webp(file),
        _ => Some(Stripped { bytes: file.to_vec(), exif: None }),
    };
    let Stripped { bytes, .. } = stripped.ok_or(Flaw::Broken)?;
    smaller(decode(&bytes, format, false)?, widths)
}

/// Each is made of the one before it, so that the large one is gone through once.
fn smaller(decoded: Decoded, widths: &[u32]) -> Result<Vec<(u32, Picture)>, Flaw> {
    let Decoded { mut image, profile } = decoded;
    let mut pictures = Vec::new();
    for width in widths {
        let height = (u64::from(image.height()) * u64::from(*width)).div_ceil(image.width().into());
        if image.width() <= *width || u64::from(*width) * height > MAX_SMALL {
            continue;
        }
        image = resized(image, *width, u32::try_from(height).unwrap_or(u32::MAX));
        pictures.push((*width, encode(&image, profile.as_deref())?));
    }
    Ok(pictures)
}

/// Sharp resampling takes sixteen bytes for each pixel of the source's width and the result's
/// height, so a large source is averaged down to twice the size first, and a very high one no more
/// than that.
fn resized(mut image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if image.width() > 2 * width {
        // In its place, so that the large one is gone.
        image = image.thumbnail_exact(2 * width, height.saturating_mul(2));
    }
    if 16 * u64::from(image.width()) * u64::from(height) > MAX_RESAMPLING {
        return image.thumbnail_exact(width, height);
    }
    image.resize_exact(width, height, FilterType::CatmullRom)
}

/// Reads what a picture claims to be, and no pixel yet. `turned` where it will be turned.
fn open(file: &[u8], format: ImageFormat, turned: bool) -> Result<impl ImageDecoder + '_, Flaw> {
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_WORK);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|error| flaw(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Flaw::TooLarge);
    }
    let codes = match format {
        ImageFormat::WebP => webp_codes::memory(file, (width, height), MAX_PIXELS),
        _ => Some(0),
    };
    if codes.ok_or(Flaw::Broken)? + work(file, format, &decoder, turned) > MAX_WORK {
        return Err(Flaw::TooCostly);
    }
    Ok(decoder)
}

/// How many bytes decoding a picture and turning it takes at most, beside its file.
fn work(file: &[u8], format: ImageFormat, decoder: &impl ImageDecoder, turned: bool) -> u64 {
    let (width, height) = decoder.dimensions();
    let (pixels, colours) = (u64::from(width) * u64::from(height), decoder.color_type());
    let whole = pixels * u64::from(colours.bytes_per_pixel());
    let beside = match format {
        ImageFormat::Jpeg => strip::jpeg_coefficients(file),
        // A frame of its own before it is laid on the others.
        ImageFormat::Gif => 4 * pixels,
        ImageFormat::WebP => match () {
            () if strip::webp_has(file, *b"ANMF") => 12 * pixels,
            () if strip::webp_has(file, *b"ALPH") => 7 * pixels,
            () if strip::webp_has(file, *b"VP8L") => 4 * pixels,
            () => 2 * pixels,
        },
        _ => 0,
    };
    let of_eight_bits = pixels * u64::from(colours.channel_count());
    let narrowing = if whole > of_eight_bits { whole + of_eight_bits } else { whole };
    // Two of it while it is turned; and what shines through is packed as a whole.
    let turning = match (turned, colours.has_alpha()) {
        (false, _) => 0,
        (true, false) => 2 * of_eight_bits,
        (true, true) => 3 * of_eight_bits,
    };
    (whole + beside).max(narrowing).max(turning)
}

fn decode(file: &[u8], format: ImageFormat, turned: bool) -> Result<Decoded, Flaw> {
    let mut decoder = open(file, format, turned)?;
    let profile = decoder.icc_profile().unwrap_or_default();
    let image = DynamicImage::from_decoder(decoder).map_err(|error| flaw(&error))?;
    Ok(Decoded { image: of_eight_bits(image), profile })
}

fn of_eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma16(_) => image.into_luma8().into(),
        DynamicImage::ImageLumaA16(_) => image.into_luma_alpha8().into(),
        DynamicImage::ImageRgb16(_) => image.into_rgb8().into(),
        DynamicImage::ImageRgba16(_) => image.into_rgba8().into(),
        other => other,
    }
}

fn flaw(error: &image::ImageError) -> Flaw {
    match error {
        image::ImageError::Limits(_) => Flaw::TooLarge,
        _ => Flaw::Broken,
    }
}

/// JPEG where nothing shines through, PNG otherwise.
fn encode(image: &DynamicImage, profile: Option<&[u8]>) -> Result<Picture, Flaw> {
    let mut bytes = Vec::new();
    let (width, height) = (image.width(), image.height());
    let extension = if shines_through(image) {
        let mut encoder = PngEncoder::new(&mut bytes);
        drop(profile.map(|profile| encoder.set_icc_profile(profile.to_vec())));
        let colours = ExtendedColorType::from(image.color());
        encoder.write_image(image.as_bytes(), width, height, colours).map_err(|_| Flaw::Broken)?;
        "png"
    } else {
        let mut encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
        drop(profile.map(|profile| encoder.set_icc_profile(profile.to_vec())));
        let written = match image.as_rgb8() {
            Some(rgb) => encoder.write_image(rgb, width, height, ExtendedColorType::Rgb8),
            None => encoder.write_image(&image.to_rgb8(), width, height, ExtendedColorType::Rgb8),
        };
        written.map_err(|_| Flaw::Broken)?;
        "jpg"
    };
    Ok(Picture { bytes, extension })
}

fn shines_through(image: &DynamicImage) -> bool {
    match image {
        DynamicImage::ImageRgba8(pixels) => pixels.pixels().any(|pixel| pixel.0[3] < u8::MAX),
        DynamicImage::ImageLumaA8(pixels) => pixels.pixels().any(|pixel| pixel.0[1] < u8::MAX),
        _ => false,
    }
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
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Flaw::TooLarge);
    }
    let (mut clean, mut pixels) = (Vec::new(), 0);
    let failed = |_| Flaw::Broken;
    let mut encoder = gif::Encoder::new(&mut clean, width, height, &palette).map_err(failed)?;
    let mut frames = 0;
    while let Some(next) = decoder.next_frame_info().map_err(broken)? {
        let mut frame = next.clone();
        pixels += u64::from(frame.width) * u64::from(frame.height);
        if pixels > MAX_PIXELS {
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
            let once = clean(&picture, &[]).unwrap().picture;
            let twice = clean(&once.bytes, &[]).unwrap().picture;
            assert!(once.bytes == twice.bytes && once.extension == twice.extension);
        }
    }

    /// The width and the height of each picture.
    fn sizes(pictures: &[(u32, Picture)]) -> Vec<(u32, u32)> {
        let size = |(_, picture): &(u32, Picture)| {
            let image = image::load_from_memory(&picture.bytes).unwrap();
            (image.width(), image.height())
        };
        pictures.iter().map(size).collect()
    }

    #[test]
    fn smaller_pictures_keep_their_shape_unless_they_would_be_very_high() {
        let widths = [1280, 640, 160];
        let smaller = |width, height| {
            let mut bytes = Cursor::new(Vec::new());
            let image = DynamicImage::new_luma8(width, height);
            image.write_to(&mut bytes, ImageFormat::Png).unwrap();
            sizes(&clean(&bytes.into_inner(), &widths).unwrap().smaller)
        };
        assert_eq!(smaller(1000, 500), [(640, 320), (160, 80)]);
        assert_eq!(smaller(2000, 1501), [(1280, 961), (640, 481), (160, 121)]);
        assert_eq!(smaller(641, 12_600), [(160, 3146)]);
        assert_eq!(smaller(160, 90), []);
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
            if let Ok(Set { picture, smaller }) = clean(&file, &[8]) {
                prop_assert!(image::load_from_memory(&picture.bytes).is_ok());
                prop_assert!(smaller.iter().all(|(_, it)| image::load_from_memory(&it.bytes).is_ok()));
            }
        }
    }
}
