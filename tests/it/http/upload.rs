//! Pictures that staff upload, and what shoppers get of them.

use std::io::Cursor;

use hyper::Method;
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{AnimationDecoder, ExtendedColorType, Frame, ImageEncoder, RgbImage, RgbaImage};
use serde_json::{Value, json};

use super::TestServer;
use super::client::{Answer, Client};

/// What a stored picture must not tell.
pub(super) const SECRET: &[u8] = b"Rua das Flores, 123";

/// EXIF that says to turn the picture by 90 degrees clockwise, with an address behind it.
pub(super) fn exif() -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    exif.extend(SECRET);
    exif
}

/// Noise, so that a file has a size: red above, blue below.
pub(super) fn picture(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let noise = u8::try_from((x * 31 + y * 17) % 64).expect("small");
        image::Rgb(if y < height / 2 { [255 - noise, noise, 0] } else { [0, noise, 255 - noise] })
    })
}

pub(super) fn encoded(kind: &str, exif: Option<Vec<u8>>) -> Vec<u8> {
    fn write(mut encoder: impl ImageEncoder, exif: Option<Vec<u8>>) {
        let picture = picture(200, 100);
        if let Some(exif) = exif {
            encoder.set_exif_metadata(exif).expect("it takes EXIF");
        }
        encoder.write_image(&picture, 200, 100, ExtendedColorType::Rgb8).expect("a picture");
    }
    let mut bytes = Vec::new();
    match kind {
        "jpg" => write(JpegEncoder::new_with_quality(&mut bytes, 95), exif),
        "png" => write(PngEncoder::new(&mut bytes), exif),
        "webp" => write(WebPEncoder::new_lossless(&mut bytes), exif),
        _ => {
            let frame =
                |n: u8| Frame::new(RgbaImage::from_pixel(200, 100, image::Rgba([n, 0, 0, 255])));
            let mut encoder = GifEncoder::new(&mut bytes);
            encoder.encode_frames([frame(0), frame(200)]).expect("a picture");
        }
    }
    bytes
}

/// A form with one part a file.
pub(super) fn form(files: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut form = Vec::new();
    for (field, name, content) in files {
        let head = format!(
            "--limite\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        form.extend(head.into_bytes());
        form.extend(*content);
        form.extend(b"\r\n");
    }
    form.extend(b"--limite--\r\n");
    form
}

pub(super) async fn send(admin: &Client, body: Vec<u8>) -> Answer {
    let multipart = [("content-type", "multipart/form-data; boundary=limite")];
    admin.send(Method::POST, "/api/admin/upload", &multipart, body).await
}

pub(crate) async fn upload(admin: &Client, name: &str, content: &[u8]) -> Answer {
    send(admin, form(&[("file", name, content)])).await
}

pub(super) fn url(answer: &Answer) -> String {
    answer.expect(200)["url"].as_str().expect("a URL").to_owned()
}

pub(super) fn kept(server: &TestServer) -> usize {
    std::fs::read_dir(server.test.shop.config().uploads_dir()).map_or(0, Iterator::count)
}

pub(super) fn size(answer: &Answer) -> (u32, u32) {
    let picture = image::load_from_memory(&answer.body).expect("a picture");
    (picture.width(), picture.height())
}

pub(super) fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[tokio::test]
async fn each_kind_is_known_by_its_content_and_handed_out_as_it_is() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    for (kind, content_type) in
        [("jpg", "image/jpeg"), ("png", "image/png"), ("webp", "image/webp"), ("gif", "image/gif")]
    {
        let url = url(&upload(&admin, "foto.exe", &encoded(kind, None)).await);
        assert!(url.starts_with("/uploads/") && url.ends_with(&format!(".{kind}")), "{url}");
        let picture = anyone.get(&url).await;
        assert_eq!(
            (picture.status.as_u16(), picture.header("content-type")),
            (200, Some(content_type))
        );
        assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
        let forever = Some("public, max-age=31536000, immutable");
        assert_eq!(picture.header("cache-control"), forever);
        assert_eq!(size(&picture), (200, 100), "{kind}");
        let etag = picture.header("etag").expect("a tag").to_owned();
        let again = anyone.send(Method::GET, &url, &[("if-none-match", &*etag)], "").await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    }
    assert_eq!(kept(&server), 8, "each with the one width that is smaller");
    upload(&admin, "outra.png", &encoded("png", None)).await.expect(200);
    assert_eq!(kept(&server), 8, "the same picture is kept once");
    let log = admin.get("/api/admin/audit?action=media.upload").await.expect(200);
    assert_eq!(
        (&log["pagination"]["total"], &log["data"][0]["actor"]["kind"]),
        (&json!(5), &json!("ADMIN"))
    );
}

#[tokio::test]
async fn a_picture_keeps_nothing_that_it_does_not_show_and_stands_upright() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    for kind in ["jpg", "png", "webp"] {
        let file = encoded(kind, Some(exif()));
        assert!(holds(&file, SECRET), "{kind}");
        let url = url(&upload(&admin, "foto", &file).await);
        let kept = anyone.get(&url).await;
        assert!(!holds(&kept.body, SECRET) && !holds(&kept.body, b"Exif"), "{kind}");
        assert_eq!(size(&kept), (100, 200), "{kind} is turned");
        let shown = image::load_from_memory(&kept.body).expect("a picture").to_rgb8();
        let (left, right) = (shown.get_pixel(5, 100).0, shown.get_pixel(95, 100).0);
        assert!(left[2] > 150 && right[0] > 150, "{kind}: {left:?} {right:?}");
    }
    let mut upright = exif();
    upright[18] = 1;
    for kind in ["jpg", "png", "webp"] {
        let url = url(&upload(&admin, "foto", &encoded(kind, Some(upright.clone()))).await);
        assert!(url.ends_with(kind), "{url}");
        let kept = anyone.get(&url).await;
        assert!(!holds(&kept.body, SECRET), "{kind}");
        let before = image::load_from_memory(&encoded(kind, None)).expect("a picture");
        let after = image::load_from_memory(&kept.body).expect("a picture");
        assert!(before.to_rgb8() == after.to_rgb8(), "{kind} loses no quality");
    }
}

#[tokio::test]
async fn a_gif_keeps_its_frames_and_loses_its_comments() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let mut file = encoded("gif", None);
    let trailer = file.pop();
    file.extend([0x21, 0xFE, u8::try_from(SECRET.len()).expect("short")]);
    file.extend(SECRET);
    file.extend([0]);
    file.extend(trailer);
    let url = url(&upload(&admin, "anima.gif", &file).await);
    let kept = anyone.get(&url).await.body;
    assert!(!holds(&kept, SECRET));
    let decoder = image::codecs::gif::GifDecoder::new(Cursor::new(kept)).expect("a GIF");
    let frames = decoder.into_frames().collect_frames().expect("frames");
    let reds: Vec<u8> = frames.iter().map(|frame| frame.buffer().get_pixel(9, 9).0[0]).collect();
    assert_eq!((reds.len(), reds[0]), (2, 0));
    assert!(reds[1] > 190);
}

#[tokio::test]
async fn what_is_no_whole_picture_is_refused_and_leaves_nothing_behind() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let mut program = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF\0\0".to_vec();
    program.resize(4096, 0);
    let page = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let unknown = "Deve ser uma imagem JPEG, PNG, WebP ou GIF";
    for file in [&program[..], page, b"\xFF", &[0; 100]] {
        let wrong = upload(&admin, "foto.jpg", file).await.wrong_fields();
        assert_eq!(wrong, json!({ "file": [unknown] }));
    }
    let broken = json!({ "file": ["A imagem está corrompida ou incompleta"] });
    for kind in ["jpg", "png", "webp", "gif"] {
        let file = encoded(kind, None);
        for end in [12, file.len() / 2, file.len() - 40] {
            let wrong = upload(&admin, "foto.jpg", &file[..end]).await.wrong_fields();
            assert_eq!(wrong, broken, "{kind} of {end} bytes");
        }
    }
    let mut mangled = encoded("png", None);
    let middle = mangled.len() / 2;
    mangled[middle..middle + 20].fill(0);
    assert_eq!(upload(&admin, "foto.png", &mangled).await.wrong_fields(), broken);
    assert_eq!(kept(&server), 0);
    assert_eq!(server.test.count("SELECT count(*) FROM audit WHERE action = 'media.upload'"), 0);
}

#[tokio::test]
async fn a_few_bytes_that_claim_many_pixels_are_refused() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let mut bomb = Vec::new();
    let mut encoder = png::Encoder::new(&mut bomb, 8000, 8000);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&vec![0; 8_000_000]).expect("zeros");
    writer.finish().expect("an end");
    assert!(bomb.len() < 100_000);
    let too_large = json!({ "file": ["A imagem deve ter no máximo 40 megapixels"] });
    assert_eq!(upload(&admin, "bomba.png", &bomb).await.wrong_fields(), too_large);
    // A screen of 65535 x 65535 with one frame of one pixel.
    let mut gif = b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF".to_vec();
    gif.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    assert_eq!(upload(&admin, "bomba.gif", &gif).await.wrong_fields(), too_large);
    // One of 8000 x 9000, whose smaller pictures nothing can make.
    gif[6..10].copy_from_slice(b"\x40\x1F\x28\x23");
    assert_eq!(upload(&admin, "bomba.gif", &gif).await.wrong_fields(), too_large);
    assert_eq!(kept(&server), 0);
}

#[tokio::test]
async fn five_megabytes_are_taken_and_a_byte_more_is_not() {
    const MAX: usize = 5 * 1024 * 1024;
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let mut file = encoded("jpg", None);
    let small = url(&upload(&admin, "foto.jpg", &file).await);
    file.resize(MAX, 0);
    let large = url(&upload(&admin, "foto.jpg", &file).await);
    assert_eq!(small, large, "what follows the picture is no part of it");
    file.push(0);
    let refused = upload(&admin, "foto.jpg", &file).await;
    assert_eq!(refused.refused(413).1, "payload_too_large");
    file.resize(2 * MAX, 0);
    let refused = upload(&admin, "foto.jpg", &file).await;
    assert_eq!(refused.refused(413).1, "payload_too_large");
    assert_eq!(kept(&server), 2);
}

#[tokio::test]
async fn a_form_has_one_file() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let file = encoded("png", None);
    let required = json!({ "file": ["Campo obrigatório"] });
    for parts in [form(&[]), form(&[("foto", "a.png", &file)]), form(&[("file", "", b"")])] {
        assert_eq!(send(&admin, parts).await.wrong_fields(), required);
    }
    let two = form(&[("file", "a.png", &file), ("file", "b.png", &file)]);
    let wrong = send(&admin, two).await.wrong_fields();
    assert_eq!(wrong, json!({ "file": ["Envie um arquivo por vez"] }));
    let mut cut = form(&[("file", "a.png", &file)]);
    cut.truncate(cut.len() - 20);
    assert_eq!(send(&admin, cut).await.refused(400).1, "malformed_form");
    let as_json = admin.post("/api/admin/upload", &Value::Null).await;
    assert_eq!(as_json.refused(400).1, "unsupported_content_type");
    let others = form(&[("legenda", "", b"Vela"), ("file", "a.png", &file)]);
    send(&admin, others).await.expect(200);
    assert_eq!(kept(&server), 2);
}

#[tokio::test]
async fn a_picture_can_be_had_smaller() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let transparent = {
        let mut bytes = Vec::new();
        let pixels = RgbaImage::from_fn(400, 100, |x, _| {
            image::Rgba([0, 200, 0, if x < 200 { 0 } else { 255 }])
        });
        let encoder = PngEncoder::new(&mut bytes);
        encoder.write_image(&pixels, 400, 100, ExtendedColorType::Rgba8).expect("a picture");
        bytes
    };
    for (file, content_type, full, small) in [
        (encoded("jpg", None), "image/jpeg", (200, 100), (160, 80)),
        (encoded("png", None), "image/jpeg", (200, 100), (160, 80)),
        (encoded("webp", None), "image/jpeg", (200, 100), (160, 80)),
        (encoded("gif", None), "image/jpeg", (200, 100), (160, 80)),
        (transparent, "image/png", (400, 100), (160, 40)),
    ] {
        let url = url(&upload(&admin, "foto", &file).await);
        let before = kept(&server);
        for _ in 0..2 {
            let answer = anyone.get(&format!("{url}?w=160")).await;
            assert_eq!((answer.status.as_u16(), size(&answer)), (200, small), "{url}");
            assert_eq!(answer.header("content-type"), Some(content_type));
            let forever = Some("public, max-age=31536000, immutable");
            assert_eq!(answer.header("cache-control"), forever);
        }
        assert_eq!(kept(&server), before, "nothing is made for strangers");
        let as_is = anyone.get(&format!("{url}?w=640")).await;
        assert_eq!(size(&as_is), full, "never larger than it is");
        assert_eq!(as_is.header("cache-control"), Some("public, max-age=3600"));
        assert_eq!(kept(&server), before);
        let variant =
            format!("{url}.w160.{}", if content_type == "image/png" { "png" } else { "jpg" });
        assert_eq!(size(&anyone.get(&format!("{variant}?w=320")).await), small);
        assert_eq!(kept(&server), before);
        for width in ["100", "161", "0", "99999"] {
            let wrong = anyone.get(&format!("{url}?w={width}")).await.wrong_fields();
            assert!(wrong["w"].is_array(), "{wrong}");
        }
        anyone.get(&format!("{url}?w=x")).await.wrong_fields();
    }
    assert_eq!(anyone.get("/uploads/nada.png?w=160").await.refused(404).1, "media_not_found");
    let missing = format!("/uploads/{}.png?w=160", "0".repeat(32));
    assert_eq!(anyone.get(&missing).await.refused(404).1, "media_not_found");
}
