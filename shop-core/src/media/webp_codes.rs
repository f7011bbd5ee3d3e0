//! How much memory the Huffman codes of a lossless WebP take while it is decoded.
//!
//! A file may name 65,536 groups of five codes, and its decoder makes a table of 4 KiB or more of
//! each before it looks at a pixel: 5 MB of file would fill more than a gigabyte. Nothing in a
//! header says how many there are, so the stream (RFC 9649, section 3) is walked up to the pixels.
//! Copies and the colour cache only repeat pixels, so that nothing of the images on the way has to
//! be kept.

use super::strip;

/// Codes longer than this have a tree beside the table.
const TABLE_BITS: usize = 10;
/// What a code takes besides.
const CODE: u64 = 96;
/// A node of a tree, of which a symbol may take two, in a vector that may be half empty.
const NODES_OF_SYMBOL: u64 = 4 * 16;

const GREEN: usize = 256 + 24;
const DISTANCES: usize = 40;
/// The order in which the lengths of the code of code lengths stand.
const LENGTH_ORDER: [usize; 19] =
    [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Where the picture begins in a frame of an animation, and before it its width and height less
/// one.
const FRAME_HEAD: usize = 16;

/// The bytes that the codes of a picture of this size take, or of an animation's first frame, which
/// is all that is decoded; `None` where they make no sense, or a frame has more pixels than that.
pub(super) fn memory(file: &[u8], size: (u32, u32), max_pixels: u64) -> Option<u64> {
    let chunks = strip::chunks(file.get(12..)?)?;
    match chunks.iter().find(|(kind, _)| *kind == b"ANMF") {
        None => of_chunks(&chunks, size, max_pixels),
        Some((_, frame)) => {
            let side = |at: usize| {
                let three = frame.get(at..at + 3)?;
                Some(1 + u32::from_le_bytes([three[0], three[1], three[2], 0]))
            };
            of_chunks(&strip::chunks(frame.get(FRAME_HEAD..)?)?, (side(6)?, side(9)?), max_pixels)
        }
    }
}

fn of_chunks(chunks: &[strip::Chunk<'_>], size: (u32, u32), max_pixels: u64) -> Option<u64> {
    chunks.iter().try_fold(0, |sum, (kind, content)| {
        let mut bits = Bits { bytes: content, at: 0 };
        let size = match *kind {
            b"VP8L" => {
                // A signature; whether it is transparent, and the version, come behind the size.
                bits.read(8)?;
                let size = (bits.read(14)? + 1, bits.read(14)? + 1);
                bits.read(4)?;
                size
            }
            // It may be lossless too, without a head.
            b"ALPH" if bits.read(8)? & 3 == 1 => size,
            _ => return Some(sum),
        };
        let fits = u64::from(size.0) * u64::from(size.1) <= max_pixels;
        Some(sum + if fits { of_stream(&mut bits, size)? } else { return None })
    })
}

fn of_stream(bits: &mut Bits<'_>, (mut width, height): (u32, u32)) -> Option<u64> {
    let mut seen = [false; 4];
    while bits.read(1)? == 1 {
        let kind = bits.read(2)?;
        if std::mem::replace(&mut seen[kind as usize], true) {
            return None;
        }
        match kind {
            // How pixels are predicted, and how colours hang together, each for blocks of the
            // image.
            0 | 1 => {
                let block = bits.read(3)? + 2;
                largest_group(bits, blocks(width, block), blocks(height, block))?;
            }
            2 => {}
            // Colours by numbers, several in a pixel where they are few.
            _ => {
                let colours = bits.read(8)? + 1;
                largest_group(bits, colours, 1)?;
                width = blocks(
                    width,
                    match colours {
                        0..=2 => 3,
                        3..=4 => 2,
                        5..=16 => 1,
                        _ => 0,
                    },
                );
            }
        }
    }
    let cache = cache_size(bits)?;
    let mut groups = 1;
    if bits.read(1)? == 1 {
        let block = bits.read(3)? + 2;
        groups = largest_group(bits, blocks(width, block), blocks(height, block))? + 1;
    }
    (0..groups).try_fold(0, |sum, _| Some(sum + Group::read(bits, cache)?.memory()))
}

/// How many blocks of `1 << bits` pixels a length has.
fn blocks(length: u32, bits: u32) -> u32 {
    length.div_ceil(1 << bits)
}

fn cache_size(bits: &mut Bits<'_>) -> Option<usize> {
    match bits.read(1)? {
        0 => Some(0),
        _ => match bits.read(4)? {
            bits @ 1..=11 => Some(1 << bits),
            _ => None,
        },
    }
}

/// Reads an image on the way, and returns the largest number of a group in it, should it be the one
/// that says which group holds for which block: red and green of a pixel.
fn largest_group(bits: &mut Bits<'_>, width: u32, height: u32) -> Option<u32> {
    let cache = cache_size(bits)?;
    let Group([green, red, blue, alpha, distance]) = Group::read(bits, cache)?;
    let (mut left, mut largest) = (u64::from(width) * u64::from(height), 0);
    while left > 0 {
        let symbol = green.decode(bits)?;
        match symbol as usize {
            0..256 => {
                largest = largest.max((red.decode(bits)? << 8) | symbol);
                blue.decode(bits)?;
                alpha.decode(bits)?;
                left -= 1;
            }
            256..GREEN => {
                let length = number(bits, symbol - 256)?;
                let code = distance.decode(bits)?;
                number(bits, code)?;
                left = left.saturating_sub(length.into());
            }
            _ => left -= 1,
        }
    }
    Some(largest)
}

/// A length or a distance, by its prefix.
fn number(bits: &mut Bits<'_>, prefix: u32) -> Option<u32> {
    if prefix < 4 {
        return Some(prefix + 1);
    }
    let extra = (prefix - 2) >> 1;
    Some(((2 + (prefix & 1)) << extra) + bits.read(extra)? + 1)
}

/// The codes for green with lengths and cached colours, red, blue, alpha, and distances.
struct Group([Code; 5]);

impl Group {
    fn read(bits: &mut Bits<'_>, cache: usize) -> Option<Self> {
        let mut code = |symbols| Code::read(bits, symbols);
        Some(Self([code(GREEN + cache)?, code(256)?, code(256)?, code(256)?, code(DISTANCES)?]))
    }

    fn memory(&self) -> u64 {
        self.0.iter().map(Code::memory).sum()
    }
}

/// A canonical Huffman code.
struct Code {
    /// How many symbols have a code of each length.
    counts: [u32; 16],
    /// The symbols in the order of their codes, short ones first.
    symbols: Vec<u16>,
}

impl Code {
    fn read(bits: &mut Bits<'_>, symbols: usize) -> Option<Self> {
        if bits.read(1)? == 1 {
            let several = bits.read(1)? == 1;
            let first = if bits.read(1)? == 1 { bits.read(8)? } else { bits.read(1)? };
            let mut symbols = vec![u16::try_from(first).ok()?];
            if several {
                // In the order in which they stand.
                symbols.push(u16::try_from(bits.read(8)?).ok()?);
            }
            let mut counts = [0; 16];
            counts[1] = u32::try_from(symbols.len()).ok()?;
            return Some(Self { counts, symbols });
        }
        let mut lengths = vec![0; symbols];
        let mut of_lengths = [0; LENGTH_ORDER.len()];
        let known = bits.read(4)? as usize + 4;
        for place in LENGTH_ORDER.get(..known)? {
            of_lengths[*place] = u8::try_from(bits.read(3)?).ok()?;
        }
        Self::of(&of_lengths).read_lengths(bits, &mut lengths)?;
        Some(Self::of(&lengths))
    }

    /// Reads the lengths of another code, which are coded by this one.
    fn read_lengths(&self, bits: &mut Bits<'_>, lengths: &mut [u8]) -> Option<()> {
        let mut words = lengths.len();
        if bits.read(1)? == 1 {
            let size = 2 + 2 * bits.read(3)?;
            words = 2 + bits.read(size)? as usize;
        }
        let (mut at, mut previous) = (0, 8);
        while at < lengths.len() && words > 0 {
            words -= 1;
            let (length, times) = match self.decode(bits)? {
                length @ 0..=15 => (u8::try_from(length).ok()?, 1),
                16 => (previous, 3 + bits.read(2)?),
                17 => (0, 3 + bits.read(3)?),
                _ => (0, 11 + bits.read(7)?),
            };
            if length > 0 {
                previous = length;
            }
            lengths.get_mut(at..at + times as usize)?.fill(length);
            at += times as usize;
        }
        Some(())
    }

    fn of(lengths: &[u8]) -> Self {
        let mut counts = [0; 16];
        for length in lengths {
            counts[usize::from(*length)] += 1;
        }
        // A symbol without a length has no code.
        counts[0] = 0;
        let mut next = [0; 16];
        for length in 1..16 {
            next[length] = next[length - 1] + counts[length - 1] as usize;
        }
        let mut symbols = vec![0; next[15] + counts[15] as usize];
        for (symbol, length) in (0..).zip(lengths).filter(|(_, length)| **length > 0) {
            let place = &mut next[usize::from(*length)];
            symbols[*place] = symbol;
            *place += 1;
        }
        Self { counts, symbols }
    }

    /// The next symbol; the only one there is takes no bits.
    fn decode(&self, bits: &mut Bits<'_>) -> Option<u32> {
        if let [only] = self.symbols[..] {
            return Some(only.into());
        }
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in &self.counts[1..] {
            code |= bits.read(1)?;
            if code < first + count {
                let place = (index + code).checked_sub(first)?;
                return self.symbols.get(place as usize).map(|it| (*it).into());
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }

    fn memory(&self) -> u64 {
        let longest = self.counts.iter().rposition(|count| *count > 0).unwrap_or(0);
        let table = if self.symbols.len() < 2 { 0 } else { 4 << longest.min(TABLE_BITS) };
        let long: u32 = self.counts[TABLE_BITS + 1..].iter().sum();
        CODE + table + NODES_OF_SYMBOL * u64::from(long)
    }
}

/// Bits, the lowest of each byte first.
struct Bits<'f> {
    bytes: &'f [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next `count` bits as a number, at most 24.
    fn read(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        for place in 0..count {
            let byte = *self.bytes.get(self.at / 8)?;
            number |= u32::from((byte >> (self.at % 8)) & 1) << place;
            self.at += 1;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat, RgbaImage};

    use super::*;

    const MAX: u64 = 1_000_000;

    fn lossless(width: u32, height: u32) -> Vec<u8> {
        let pixels = RgbaImage::from_fn(width, height, |x, y| {
            let noise = u8::try_from((x * 31 + y * 17 + x * y) % 251).unwrap();
            image::Rgba([noise, noise / 2, 255 - noise, 255 - noise / 3])
        });
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::from(pixels).write_to(&mut bytes, ImageFormat::WebP).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn an_ordinary_picture_has_few_codes() {
        for (width, height) in [(1, 1), (24, 16), (301, 203)] {
            let memory = memory(&lossless(width, height), (width, height), MAX);
            // One group: five codes of at most 4 KiB and a tree.
            assert!(memory.is_some_and(|memory| memory < 64 * 1024), "{memory:?}");
        }
    }

    #[test]
    fn what_is_cut_off_before_its_pixels_or_too_large_makes_no_sense() {
        let file = lossless(24, 16);
        assert_eq!(memory(&file, (24, 16), 24 * 16 - 1), None);
        for end in 12..40 {
            // The length that the chunk claims, so that the stream itself is what ends.
            let mut cut = file[..end].to_vec();
            if let Some(length) = cut.get_mut(16..20) {
                length.copy_from_slice(&u32::try_from(end - 20).unwrap_or(0).to_le_bytes());
            }
            assert_ne!(memory(&cut, (24, 16), MAX), memory(&file, (24, 16), MAX), "{end}");
        }
    }
}
