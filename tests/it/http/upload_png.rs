//! Uploads that a decoder only half reads: what it passes over, and old ones without smaller
//! pictures.

use super::TestServer;
use super::upload::{SECRET, encoded, holds, kept, size, upload, url};

/// A PNG of one shade, which packs well. Which filter would pack each row best is not tried:
/// without optimisation that takes seconds.
pub(crate) fn plain_png(
    width: u32,
    height: u32,
    colour: png::ColorType,
    depth: png::BitDepth,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.set_filter(png::Filter::NoFilter);
    let row = colour.samples() * (depth as usize) * (width as usize) / 8;
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&vec![7; row * height as usize]).expect("pixels");
    writer.finish().expect("an end");
    bytes
}

/// A small PNG with the secret in a chunk of this kind, or with a colour profile.
fn png_with(kind: Option<[u8; 4]>, profile: Option<Vec<u8>>) -> Vec<u8> {
    let mut info = png::Info::with_size(200, 100);
    info.icc_profile = profile.map(Into::into);
    let mut bytes = Vec::new();
    let encoder = png::Encoder::with_info(&mut bytes, info).expect("a header");
    let mut writer = encoder.write_header().expect("a header");
    if let Some(kind) = kind {
        writer.write_chunk(png::chunk::ChunkType(kind), SECRET).expect("a chunk");
    }
    writer.write_image_data(&vec![0; 200 * 100]).expect("pixels");
    writer.finish().expect("an end");
    bytes
}

#[tokio::test]
async fn what_a_decoder_passes_over_is_gone_and_so_is_a_profile_that_is_too_large() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let clean = png_with(None, None);
    let whole = upload(&admin, "foto.png", &clean).await;
    for kind in [b"vpAg", b"tEXt", b"zTXt", b"acTL", b"fcTL", b"fdAT", b"sPLT"] {
        let file = png_with(Some(*kind), None);
        assert!(holds(&file, SECRET));
        assert_eq!(url(&upload(&admin, "foto.png", &file).await), url(&whole));
    }
    let large = png_with(None, Some(vec![0; 50_000_000]));
    assert!(large.len() < 100_000);
    assert_eq!(url(&upload(&admin, "foto.png", &large).await), url(&whole));
    let small = url(&upload(&admin, "foto.png", &png_with(None, Some(vec![0; 64 * 1024]))).await);
    assert!(holds(&anyone.get(&small).await.body, b"iCCP"), "one that is in use stays");
    let mut webp = encoded("webp", None);
    webp.extend(b"JUNK");
    webp.extend(u32::try_from(SECRET.len()).expect("short").to_le_bytes());
    webp.extend(SECRET);
    webp.extend(vec![0; SECRET.len() % 2]);
    let length = u32::try_from(webp.len() - 8).expect("short");
    webp[4..8].copy_from_slice(&length.to_le_bytes());
    let url = url(&upload(&admin, "foto.webp", &webp).await);
    assert_eq!(&anyone.get(&url).await.body[..], &encoded("webp", None)[..]);
}

#[tokio::test]
async fn strangers_get_a_larger_picture_until_the_smaller_ones_of_an_old_upload_are_made() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let large = plain_png(1000, 500, png::ColorType::Rgb, png::BitDepth::Eight);
    let url = url(&upload(&admin, "foto.png", &large).await);
    let folder = server.test.shop.config().uploads_dir();
    let name = url.trim_start_matches("/uploads/").to_owned();
    // As an earlier program left it.
    for width in [160, 320, 640] {
        std::fs::remove_file(folder.join(format!("{name}.w{width}.jpg"))).expect("removed");
    }
    let small = format!("{url}?w=160");
    let stand_in = anyone.get(&small).await;
    assert_eq!(size(&stand_in), (960, 480));
    assert_eq!(stand_in.header("cache-control"), Some("public, max-age=3600"));
    std::fs::remove_file(folder.join(format!("{name}.w960.jpg"))).expect("removed");
    assert_eq!(size(&anyone.get(&small).await), (1000, 500));
    assert_eq!(kept(&server), 1, "nothing is made for strangers");
    // What cannot be shrunk is tried once.
    let broken = format!("{}.png", "b".repeat(32));
    std::fs::write(folder.join(&broken), b"no picture").expect("written");
    server.test.raw_sql(&format!(
        "INSERT INTO audit (actor, action, resource_id, old_values, new_values, created_at)
         VALUES ('SYSTEM', 'media.upload', '{broken}', '{{}}', '{{}}', 0)"
    ));
    assert_eq!(server.test.shop.run_due().await.expect("done").pictures_done, 2);
    assert_eq!(server.test.shop.run_due().await.expect("done").pictures_done, 0);
    let made = anyone.get(&small).await;
    assert_eq!(size(&made), (160, 80));
    assert_eq!(made.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(kept(&server), 6);
    let same = anyone.get(&format!("/uploads/{broken}?w=160")).await;
    assert_eq!((same.status.as_u16(), &same.body[..]), (200, &b"no picture"[..]));
}
