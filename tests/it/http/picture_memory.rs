//! How much memory a picture takes, in a server process.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};
use png::{BitDepth, ColorType};
use serde_json::json;

use super::client::Client;
use super::upload::{plain_png, upload};
use crate::binary::Server;
use crate::core::fixture::{TestShop, input};

/// What one picture may take beside what an idle server does, in KiB: 200 MB.
const MAX_MEMORY: usize = 200_000_000 / 1024;

/// EXIF that says to turn the picture.
const TURNED: &[u8] = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

fn encoded(encoder: impl ImageEncoder, side: u32) {
    let pixels = vec![9; (side * side * 3) as usize];
    encoder.write_image(&pixels, side, side, ExtendedColorType::Rgb8).expect("a picture");
}

fn jpeg(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoded(JpegEncoder::new_with_quality(&mut bytes, 50), side);
    bytes
}

/// This JPEG, with EXIF that says to turn it.
fn turned(jpeg: &[u8]) -> Vec<u8> {
    let exif = [b"Exif\0\0", TURNED].concat();
    // A segment APP1 behind the marker that begins the file; its length counts itself.
    let length = u16::try_from(exif.len() + 2).expect("short").to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE1], &length, &exif, &jpeg[2..]].concat()
}

fn webp(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoded(WebPEncoder::new_lossless(&mut bytes), side);
    bytes
}

/// A lossless WebP of 64 x 64 pixels in which 65,536 groups of five Huffman codes stand, each of which
/// its decoder makes a table of 4 KiB of: 1.3 GB of 3.8 MB.
fn webp_of_codes() -> Vec<u8> {
    let (mut stream, mut at) = (Vec::new(), 0);
    let mut write = |number: u32, count: u32| {
        for place in 0..count {
            if at % 8 == 0 {
                stream.push(0_u8);
            }
            let last = stream.last_mut().expect("a byte");
            *last |= u8::try_from(number >> place & 1).expect("a bit") << (at % 8);
            at += 1;
        }
    };
    // Signature, size, no transparency, no transformation, no cache; groups by blocks of 4 x 4.
    for (number, count) in [(0x2F, 8), (63, 14), (63, 14), (0, 4), (0, 1), (0, 1), (1, 1), (0, 3)] {
        write(number, count);
    }
    // No cache; every pixel of the image of groups is 65535, in green and red.
    for (number, count) in [(0, 1), (0b101, 3), (255, 8), (0b101, 3), (255, 8)] {
        write(number, count);
    }
    for _ in ["blue", "alpha", "distance"] {
        write(0b0001, 4);
    }
    for _ in 0..65_536 * 5 {
        // Fourteen lengths of the code of lengths: three bits for 1 to 6, four for 7 to 10.
        write(0, 1);
        write(14 - 4, 4);
        for length in [0, 0, 0, 3, 3, 3, 3, 3, 0, 3, 4, 4, 4, 4] {
            write(length, 3);
        }
        // Eleven lengths: 1 to 10, and 10 again. Codes begin with their highest bit.
        for (number, count) in [(1, 1), (1, 3), (11 - 2, 4)] {
            write(number, count);
        }
        for length in (1..=10_u32).chain([10]) {
            let (code, bits) = if length < 7 { (length - 1, 3) } else { (length - 7 + 12, 4) };
            write(code.reverse_bits() >> (32 - bits), bits);
        }
    }
    let length = |bytes: usize| u32::try_from(bytes).expect("small").to_le_bytes();
    stream.resize(stream.len().next_multiple_of(2), 0);
    let head = [b"RIFF", &length(stream.len() + 12)[..], b"WEBPVP8L", &length(stream.len())];
    [head.concat(), stream].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_picture_takes_more_than_200_megabytes_whatever_it_is() {
    let test = TestShop::with_machine_clock().await;
    let staff =
        json!({ "name": "Equipe", "email": "equipe@example.com", "password": "segredo-123" });
    test.shop.accounts().create_admin(input(staff)).await.expect("an admin");
    let server = Server::start(&test.database());
    let address = server.address.parse().expect("an address");
    let admin = Client::new(address).with_token(test.log_in("equipe").await);
    let anyone = Client::new(address);
    anyone.get("/readyz").await.expect(200);
    let (eight, sixteen) = (BitDepth::Eight, BitDepth::Sixteen);
    let largest = jpeg(6320);
    let turned_largest = turned(&largest);
    // What the first upload of all starts up is no picture's.
    let small = upload(&admin, "foto", &plain_png(8, 8, ColorType::Rgb, eight)).await;
    assert_eq!(small.status, 200, "{:?}", small.body);
    let Some(idle) = server.peak() else { return };
    for (name, file, taken) in [
        ("a very high PNG", plain_png(1281, 31_225, ColorType::Rgb, eight), true),
        ("40 megapixels", plain_png(6320, 6320, ColorType::Rgb, eight), true),
        ("a transparent one", plain_png(5400, 5400, ColorType::Rgba, eight), true),
        ("a transparent one, too large", plain_png(6320, 6320, ColorType::Rgba, eight), false),
        ("16 bits a channel", plain_png(3100, 3100, ColorType::Rgba, sixteen), true),
        ("16 bits a channel, too many", plain_png(6000, 6000, ColorType::Rgba, sixteen), false),
        ("a JPEG", largest, true),
        ("a JPEG to be turned", turned(&jpeg(4400)), true),
        ("a JPEG to be turned, too large", turned_largest, false),
        ("a WebP", webp(4000), true),
        ("a WebP, too large", webp(6000), false),
        ("a WebP of codes", webp_of_codes(), false),
    ] {
        let answer = upload(&admin, "foto", &file).await;
        let peak = server.peak().expect("its memory");
        assert!(peak < idle + MAX_MEMORY, "{name} of {}: {idle} to {peak} KiB", file.len());
        assert_eq!(answer.status == 200, taken, "{name}: {:?}", answer.body);
        if taken {
            let url = answer.json()["url"].as_str().expect("a URL").to_owned();
            for width in [160, 1280] {
                assert_eq!(anyone.get(&format!("{url}?w={width}")).await.status, 200);
            }
        }
    }
    let peak = server.peak().expect("its memory");
    assert!(peak < idle + MAX_MEMORY, "{idle} to {peak} KiB");
    server.kill();
}
