//! How much memory a picture takes, in a server process.

use std::time::{Duration, Instant};

use png::{BitDepth, ColorType};
use serde_json::json;
use shop_tests::repeats;

use super::client::Client;
use super::upload::upload;
use super::upload_png::plain_png;
use crate::binary::Server;
use crate::core::fixture::{TestShop, input};

/// What one picture may take beside what an idle server does, in KiB: 200 MB.
const MAX_MEMORY: usize = 200_000_000 / 1024;

/// What may stay of the pictures before, in KiB; on a calm machine it is 26,000 at most.
const GIVEN_BACK: usize = 40_000;

/// EXIF that says to turn the picture.
const TURNED: &[u8] = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

/// A square JPEG of one shade, three channels of whole resolution. Every block is two codes of one
/// zero bit: no difference, and the end of the block. An encoder would take seconds to find that
/// out.
fn jpeg(side: u16) -> Vec<u8> {
    let [high, low] = side.to_be_bytes();
    let quantization = [&[0xFF, 0xDB, 0, 67, 0][..], &[1; 64]].concat();
    let channels = [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0];
    let frame = [&[0xFF, 0xC0, 0, 17, 8, high, low, high, low], &channels[..]].concat();
    // One code, of one bit, for the symbol 0.
    let codes = |table| [&[0xFF, 0xC4, 0, 20, table, 1][..], &[0; 16]].concat();
    let scan = [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0];
    let blocks = 3 * usize::from(side).div_ceil(8).pow(2);
    [
        &[0xFF, 0xD8][..],
        &quantization,
        &frame,
        &codes(0x00),
        &codes(0x10),
        &scan,
        &vec![0; (blocks * 2).div_ceil(8)],
        &[0xFF, 0xD9],
    ]
    .concat()
}

/// This JPEG, with EXIF that says to turn it.
fn turned(jpeg: &[u8]) -> Vec<u8> {
    let exif = [b"Exif\0\0", TURNED].concat();
    // A segment APP1 behind the marker that begins the file; its length counts itself.
    let length = u16::try_from(exif.len() + 2).expect("short").to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE1], &length, &exif, &jpeg[2..]].concat()
}

/// A lossless WebP as it is written: bits, from the lowest of each byte.
#[derive(Default)]
struct WebP {
    stream: Vec<u8>,
    bits: usize,
}

impl WebP {
    /// A square one: signature, size, no transparency, no transformation, no cache.
    fn new(side: u32) -> Self {
        let mut webp = Self::default();
        webp.write(&[(0x2F, 8), (side - 1, 14), (side - 1, 14), (0, 4), (0, 1), (0, 1)]);
        webp
    }

    /// Numbers, and how many bits each takes.
    fn write(&mut self, numbers: &[(u32, u8)]) {
        for &(number, count) in numbers {
            for place in 0..count {
                if self.bits.is_multiple_of(8) {
                    self.stream.push(0);
                }
                let last = self.stream.last_mut().expect("a byte");
                *last |= u8::try_from(number >> place & 1).expect("a bit") << (self.bits % 8);
                self.bits += 1;
            }
        }
    }

    /// A code of one symbol, 0, which takes no bits where it is used.
    fn write_code_of_zero(&mut self) {
        self.write(&[(0b0001, 4)]);
    }

    fn into_file(mut self) -> Vec<u8> {
        let length = |bytes: usize| u32::try_from(bytes).expect("small").to_le_bytes();
        let stream = &mut self.stream;
        stream.resize(stream.len().next_multiple_of(2), 0);
        let head = [b"RIFF", &length(stream.len() + 12)[..], b"WEBPVP8L", &length(stream.len())];
        [&head.concat(), &stream[..]].concat()
    }
}

/// A WebP of one shade: five codes of one symbol, and no bit for any pixel.
fn webp(side: u32) -> Vec<u8> {
    let mut webp = WebP::new(side);
    webp.write(&[(0, 1)]);
    for _ in ["green", "red", "blue", "alpha", "distance"] {
        webp.write_code_of_zero();
    }
    webp.into_file()
}

/// A WebP of 64 x 64 pixels in which 65,536 groups of five Huffman codes stand, each of which its
/// decoder makes a table of 4 KiB of: 1.3 GB of 3.8 MB.
fn webp_of_codes() -> Vec<u8> {
    let mut webp = WebP::new(64);
    // Groups by blocks of 4 x 4. No cache; every pixel of the image of groups is 65535, in green
    // and red.
    webp.write(&[(1, 1), (0, 3), (0, 1), (0b101, 3), (255, 8), (0b101, 3), (255, 8)]);
    for _ in ["blue", "alpha", "distance"] {
        webp.write_code_of_zero();
    }
    // Fourteen lengths of the code of lengths: three bits for 1 to 6, four for 7 to 10.
    let lengths = [0, 0, 0, 3, 3, 3, 3, 3, 0, 3, 4, 4, 4, 4].map(|length| (length, 3));
    // Eleven lengths: 1 to 10, and 10 again. Codes begin with their highest bit.
    let codes = (1..=10_u32).chain([10]).map(|length| {
        let (code, bits) = if length < 7 { (length - 1, 3) } else { (length - 7 + 12, 4) };
        (code.reverse_bits() >> (32 - bits), u8::try_from(bits).expect("few"))
    });
    let code: Vec<_> = [(0, 1), (14 - 4, 4)]
        .into_iter()
        .chain(lengths)
        .chain([(1, 1), (1, 3), (11 - 2, 4)])
        .chain(codes)
        .collect();
    for _ in 0..65_536 * 5 {
        webp.write(&code);
    }
    webp.into_file()
}

/// Uploads pictures to a server of their own: each with its name, and whether it is taken.
async fn takes_little_memory(pictures: Vec<(&str, Vec<u8>, bool)>) {
    let test = TestShop::with_machine_clock().await;
    let staff =
        json!({ "name": "Equipe", "email": "equipe@example.com", "password": "segredo-123" });
    test.shop.accounts().create_admin(input(staff)).await.expect("an admin");
    let server = Server::start(&test.database());
    let address = server.address.parse().expect("an address");
    let admin = Client::new(address).with_token(test.log_in("equipe").await);
    let anyone = Client::new(address);
    anyone.get("/readyz").await.expect(200);
    // What the first upload of all starts up is no picture's.
    let small = plain_png(8, 8, ColorType::Rgb, BitDepth::Eight);
    let small = upload(&admin, "foto", &small).await;
    assert_eq!(small.status, 200, "{:?}", small.body);
    let Some(idle) = server.peak() else { return };
    for (name, file, taken) in pictures {
        settled(&server, idle).await;
        let answer = upload(&admin, "foto", &file).await;
        assert_eq!(answer.status == 200, taken, "{name}: {:?}", answer.body);
        if taken {
            let url = answer.json()["url"].as_str().expect("a URL").to_owned();
            for width in [160, 1280] {
                settled(&server, idle).await;
                assert_eq!(anyone.get(&format!("{url}?w={width}")).await.status, 200);
            }
        }
        let peak = server.peak().expect("its memory");
        assert!(peak < idle + MAX_MEMORY, "{name} of {}: {idle} to {peak} KiB", file.len());
    }
    server.kill();
}

/// Until the server has given back what the last picture took. The allocator may do so a moment
/// later, and what is not given back yet would count for the next picture.
async fn settled(server: &Server, idle: usize) {
    let begun = Instant::now();
    while server.resident().is_some_and(|now| now > idle + GIVEN_BACK) {
        // It is measured anyway, and then fails if it is too much.
        if begun.elapsed() > Duration::from_secs(5) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_png_takes_more_than_200_megabytes_whatever_it_is() {
    let (eight, sixteen) = (BitDepth::Eight, BitDepth::Sixteen);
    let mut pictures = vec![
        ("16 bits a channel", plain_png(3100, 3100, ColorType::Rgba, sixteen), true),
        ("a transparent one, too large", plain_png(6320, 6320, ColorType::Rgba, eight), false),
        ("16 bits a channel, too many", plain_png(6000, 6000, ColorType::Rgba, sixteen), false),
    ];
    if repeats(false, true) {
        pictures.extend([
            ("a very high one", plain_png(1281, 31_225, ColorType::Rgb, eight), true),
            ("a transparent one", plain_png(5400, 5400, ColorType::Rgba, eight), true),
            ("40 megapixels", plain_png(6320, 6320, ColorType::Rgb, eight), true),
        ]);
    }
    takes_little_memory(pictures).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_jpeg_or_webp_takes_more_than_200_megabytes_whatever_it_is() {
    let mut pictures = vec![
        ("a JPEG to be turned", turned(&jpeg(4400)), true),
        ("a JPEG to be turned, too large", turned(&jpeg(6320)), false),
        ("a WebP, too large", webp(6000), false),
        ("a WebP of codes", webp_of_codes(), false),
    ];
    if repeats(false, true) {
        pictures.extend([("a JPEG", jpeg(6320), true), ("a WebP", webp(4000), true)]);
    }
    takes_little_memory(pictures).await;
}
