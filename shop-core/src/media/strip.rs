//! What of a picture's file is kept: the parts by which it is shown, and no others. A camera writes
//! into its files where and when they were taken, and by what; and what a decoder passes over could
//! hide anything.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::ZlibDecoder;

/// The largest colour profile that is kept. Those in use have a few kilobytes; compressed, a few
/// bytes can claim hundreds of megabytes.
const MAX_PROFILE: usize = 64 * 1024;
/// The largest other part of a PNG that is neither pixels nor palette.
const MAX_ANCILLARY: usize = 1024;

/// A file without what it does not show.
pub(super) struct Stripped {
    pub(super) bytes: Vec<u8>,
    /// The EXIF that it had, which may say how to turn it.
    pub(super) exif: Option<Vec<u8>>,
}

/// A JPEG's segments that say how to show it, up to the end of the picture; `None` where that is
/// missing. (The decoder fills in what a file that was cut off does not have.)
pub(super) fn jpeg(file: &[u8]) -> Option<Stripped> {
    let segments = segments(file)?;
    let profile = segments.iter().filter(|segment| segment.is_profile());
    let small = profile.map(|segment| segment.bytes.len()).sum::<usize>() <= MAX_PROFILE;
    let mut bytes = file.get(..2)?.to_vec();
    let mut exif = None;
    for segment in &segments {
        if segment.shows() && (small || !segment.is_profile()) {
            bytes.extend(segment.bytes);
        }
        if segment.marker == 0xE1
            && let Some(content) = segment.content().strip_prefix(EXIF)
        {
            exif.get_or_insert_with(|| content.to_vec());
        }
    }
    bytes.extend([0xFF, END]);
    Some(Stripped { bytes, exif })
}

const EXIF: &[u8] = b"Exif\0\0";
/// The marker of a JPEG's end, and of the coded pixels of a scan.
const END: u8 = 0xD9;
const SCAN: u8 = 0xDA;

/// A segment of a JPEG; a scan's has the coded pixels with it.
struct Segment<'f> {
    marker: u8,
    bytes: &'f [u8],
}

impl Segment<'_> {
    /// What follows marker and length.
    fn content(&self) -> &[u8] {
        self.bytes.get(4..).unwrap_or_default()
    }

    fn is_profile(&self) -> bool {
        self.marker == 0xE2 && self.content().starts_with(b"ICC_PROFILE\0")
    }

    /// Of the application's only the frame (JFIF, without its small picture) and the meaning of
    /// colours (ICC, Adobe), and no comment.
    fn shows(&self) -> bool {
        let says =
            |name: &[u8], most| self.content().starts_with(name) && self.content().len() <= most;
        match self.marker {
            0xE0 => says(b"JFIF\0", 14),
            0xE2 => self.is_profile(),
            0xEE => says(b"Adobe", 12),
            0xC8 => false,
            0xC0..=0xCF | 0xDA..=0xDD => true,
            _ => false,
        }
    }
}

fn segments(file: &[u8]) -> Option<Vec<Segment<'_>>> {
    let mut segments = Vec::new();
    let mut at = 2;
    loop {
        let marker = *file.get(at + 1)?;
        match (file[at], marker) {
            (0xFF, 0xFF) => at += 1,
            (0xFF, END) => return Some(segments),
            // Markers without a length.
            (0xFF, 0x01 | 0xD0..=0xD8) => at += 2,
            (0xFF, _) => {
                let length = u16::from_be_bytes([*file.get(at + 2)?, *file.get(at + 3)?]);
                let mut end = at + 2 + usize::from(length);
                if marker == SCAN {
                    end += scan_length(file.get(end..)?)?;
                }
                segments.push(Segment { marker, bytes: file.get(at..end)? });
                at = end;
            }
            _ => return None,
        }
    }
}

/// How long the coded pixels before the next marker are.
fn scan_length(file: &[u8]) -> Option<usize> {
    let of_scan = |next: u8| matches!(next, 0x00 | 0xD0..=0xD7 | 0xFF);
    file.windows(2).position(|two| two[0] == 0xFF && !of_scan(two[1]))
}

/// How many bytes the coefficients of a JPEG take that its decoder holds all at once: one that
/// comes in several scans, as progressive ones do. Two for each sample of each component.
pub(super) fn jpeg_coefficients(file: &[u8]) -> u64 {
    let Some(segments) = segments(file) else { return 0 };
    let scans = segments.iter().filter(|segment| segment.marker == SCAN).count();
    let is_frame = |segment: &&Segment<'_>| {
        matches!(segment.marker, 0xC0..=0xCF) && ![0xC4, 0xC8, 0xCC].contains(&segment.marker)
    };
    let Some(frame) = segments.iter().find(is_frame) else { return 0 };
    if scans < 2 && frame.marker != 0xC2 {
        return 0;
    }
    let content = frame.content();
    let number = |at: usize| {
        let two = content.get(at..at + 2).unwrap_or(&[0, 0]);
        u64::from(u16::from_be_bytes([two[0], two[1]]))
    };
    let sampling = content.get(6..).unwrap_or_default().chunks_exact(3).map(|component| {
        let (wide, high) = (component[1] >> 4, component[1] & 15);
        (u64::from(wide), u64::from(high))
    });
    let widest = sampling.clone().map(|(wide, _)| wide).max().unwrap_or(1).max(1);
    let highest = sampling.clone().map(|(_, high)| high).max().unwrap_or(1).max(1);
    let samples: u64 = sampling.map(|(wide, high)| wide * high).sum();
    2 * (number(1) * number(3) * samples).div_ceil(widest * highest)
}

/// The chunks of a PNG that say how to show it, up to its end. Of an animated one the first picture
/// stays.
pub(super) fn png(file: &[u8]) -> Option<Stripped> {
    const SHOWS: [&[u8]; 13] = [
        b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
        b"cICP", b"bKGD", b"pHYs",
    ];
    let (mut bytes, mut rest) = (file.get(..8)?.to_vec(), file.get(8..)?);
    let mut exif = None;
    loop {
        let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
        let length = usize::try_from(length).ok()?;
        let chunk = rest.get(..length.checked_add(12)?)?;
        let (kind, content) = (&chunk[4..8], &chunk[8..8 + length]);
        let fits = match kind {
            b"IHDR" | b"PLTE" | b"IDAT" | b"IEND" => true,
            b"iCCP" => has_small_profile(content),
            _ => length <= MAX_ANCILLARY,
        };
        if SHOWS.contains(&kind) && fits {
            bytes.extend(chunk);
        }
        if kind == b"eXIf" {
            exif.get_or_insert_with(|| content.to_vec());
        }
        if kind == b"IEND" {
            return Some(Stripped { bytes, exif });
        }
        rest = &rest[chunk.len()..];
    }
}

/// Whether a profile is small when it is unpacked. Its name, a zero and the way of packing come
/// first.
fn has_small_profile(content: &[u8]) -> bool {
    let name = content.iter().position(|byte| *byte == 0).unwrap_or(content.len());
    let packed = content.get(name + 2..).unwrap_or_default();
    let most = u64::try_from(MAX_PROFILE).unwrap_or(u64::MAX) + 1;
    let mut profile = Vec::new();
    let read = ZlibDecoder::new(packed).take(most).read_to_end(&mut profile);
    read.is_ok() && profile.len() <= MAX_PROFILE
}

/// Where the header of a WebP says that there is a profile, EXIF and XMP.
const HAS_PROFILE: u8 = 0x20;
const HAS_EXIF: u8 = 0x08;
const HAS_XMP: u8 = 0x04;

/// The chunks of a WebP that say how to show it.
pub(super) fn webp(file: &[u8]) -> Option<Stripped> {
    let length = usize::try_from(u32::from_le_bytes(file.get(4..8)?.try_into().ok()?)).ok()?;
    let chunks = chunks(file.get(12..length.checked_add(8)?)?)?;
    let is_kept = |(kind, content): &Chunk<'_>| match &**kind {
        b"VP8X" | b"ANIM" | b"ALPH" | b"VP8 " | b"VP8L" | b"ANMF" => true,
        b"ICCP" => content.len() <= MAX_PROFILE,
        _ => false,
    };
    let has_profile = chunks.iter().any(|chunk| is_kept(chunk) && chunk.0 == b"ICCP");
    let (mut body, mut seen) = (b"WEBP".to_vec(), HashSet::new());
    for chunk @ (kind, content) in &chunks {
        // One of a kind is shown; only frames come in numbers.
        if !is_kept(chunk) || (!seen.insert(*kind) && *kind != b"ANMF") {
            continue;
        }
        let mut content = content.to_vec();
        match &**kind {
            b"VP8X" => {
                let flags = content.first_mut()?;
                *flags &= !(HAS_EXIF | HAS_XMP);
                *flags &= if has_profile { !0 } else { !HAS_PROFILE };
            }
            b"ANMF" => content = frame(&content)?,
            _ => {}
        }
        push(&mut body, **kind, &content)?;
    }
    let exif = chunks
        .iter()
        .find(|(kind, _)| *kind == b"EXIF")
        .map(|(_, content)| content.strip_prefix(EXIF).unwrap_or(content).to_vec());
    let mut bytes = b"RIFF".to_vec();
    bytes.extend(u32::try_from(body.len()).ok()?.to_le_bytes());
    bytes.extend(body);
    Some(Stripped { bytes, exif })
}

/// Whether a WebP has a chunk of this kind, at its top.
pub(super) fn webp_has(file: &[u8], wanted: [u8; 4]) -> bool {
    let chunks = file.get(12..).and_then(chunks).unwrap_or_default();
    chunks.iter().any(|(kind, _)| **kind == wanted)
}

pub(super) type Chunk<'f> = (&'f [u8; 4], &'f [u8]);

/// The parts of a WebP, or of one of its frames.
pub(super) fn chunks(mut rest: &[u8]) -> Option<Vec<Chunk<'_>>> {
    let mut chunks = Vec::new();
    while let Some((kind, behind)) = rest.split_first_chunk::<4>() {
        let (length, behind) = behind.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        chunks.push((kind, behind.get(..length)?));
        // An odd one is padded; the last one's padding may be missing.
        rest = behind.get(length.checked_add(length % 2)?..).unwrap_or_default();
    }
    Some(chunks)
}

/// A frame of an animation: where it stands, and its picture.
fn frame(content: &[u8]) -> Option<Vec<u8>> {
    const PLACE: usize = 16;
    let mut clean = content.get(..PLACE)?.to_vec();
    for (kind, content) in chunks(&content[PLACE..])? {
        if matches!(kind, b"ALPH" | b"VP8 " | b"VP8L") {
            push(&mut clean, *kind, content)?;
        }
    }
    Some(clean)
}

fn push(body: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) -> Option<()> {
    body.extend(kind);
    body.extend(u32::try_from(content.len()).ok()?.to_le_bytes());
    body.extend(content);
    body.extend(vec![0; content.len() % 2]);
    Some(())
}
