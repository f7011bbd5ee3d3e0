//! How much memory a picture takes, in a server process.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};
use png::{BitDepth, ColorType};
use serde_json::json;

use crate::binary::Server;
use crate::core::fixture::{TestShop, input};
use crate::http::client::Client;
use crate::http::upload::{plain_png, upload};

/// What one picture may take beside what an idle server does, in KiB: 200 MB.
const MAX_MEMORY: usize = 200_000_000 / 1024;

/// EXIF that says to turn the picture.
const TURNED: &[u8] = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

fn encoded(mut encoder: impl ImageEncoder, side: u32, exif: Option<&[u8]>) {
    if let Some(exif) = exif {
        encoder.set_exif_metadata(exif.to_vec()).expect("it takes EXIF");
    }
    let pixels = vec![9; (side * side * 3) as usize];
    encoder.write_image(&pixels, side, side, ExtendedColorType::Rgb8).expect("a picture");
}

fn jpeg(side: u32, exif: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoded(JpegEncoder::new_with_quality(&mut bytes, 50), side, exif);
    bytes
}

fn webp(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoded(WebPEncoder::new_lossless(&mut bytes), side, None);
    bytes
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
    let Some(idle) = server.peak() else { return };
    let (eight, sixteen) = (BitDepth::Eight, BitDepth::Sixteen);
    for (name, file, taken) in [
        ("a very high PNG", plain_png(1281, 31_225, ColorType::Rgb, eight), true),
        ("40 megapixels", plain_png(6320, 6320, ColorType::Rgb, eight), true),
        ("a transparent one", plain_png(5400, 5400, ColorType::Rgba, eight), true),
        ("a transparent one, too large", plain_png(6320, 6320, ColorType::Rgba, eight), false),
        ("16 bits a channel", plain_png(3100, 3100, ColorType::Rgba, sixteen), true),
        ("16 bits a channel, too many", plain_png(6000, 6000, ColorType::Rgba, sixteen), false),
        ("a JPEG", jpeg(6320, None), true),
        ("a JPEG to be turned", jpeg(4400, Some(TURNED)), true),
        ("a JPEG to be turned, too large", jpeg(6320, Some(TURNED)), false),
        ("a WebP", webp(4000), true),
        ("a WebP, too large", webp(6000), false),
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
