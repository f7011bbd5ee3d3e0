//! Product illustrations for the demonstration shop.
//!
//! A demo shop needs a picture per product, and photographs would bring megabytes and licences
//! into the repository. These are drawn instead: a scent picks the colours and a plant, a shape
//! picks the object, and the product's name is printed on its label. The same arguments always
//! give the same bytes, so seeding twice never changes a file.
//!
//! The drawings themselves are data and live in [`super::picture_art`]; this module composes
//! them. The result needs no script, no style sheet and no font or file from elsewhere, so it
//! displays under the strictest content security policy.

use super::catalogue::{Scent, Shape};
use super::picture_art::{BACKDROPS, FIGURES, Figure, Label, PALETTES, Palette};
use super::picture_motifs::Motif;

/// Longest line printed on a label, in characters; what is beyond it is elided.
const LINE_LIMIT: usize = 22;

/// Names up to this many characters stay on one line of the label.
const ONE_LINE: usize = 12;

/// Labels lower than this have no room for the small print.
const SMALL_PRINT_HEIGHT: i32 = 100;

/// Longest accessible title, in characters, which bounds the size of the picture.
const TITLE_LIMIT: usize = 80;

/// What a scent missing from the table looks like; the tests keep this from being needed.
const DEFAULT_PALETTE: &Palette = &PALETTES[0].1;

/// What a shape missing from the table looks like; the tests keep this from being needed.
const DEFAULT_FIGURE: &Figure = &FIGURES[0].1;

/// Gradients every picture shares; `$1` and `$2` are the ends of the background.
const DEFS: &str = "<defs>\
    <linearGradient id='bg' x2='0' y2='1'><stop stop-color='$1'/>\
    <stop offset='1' stop-color='$2'/></linearGradient>\
    <linearGradient id='sh'><stop stop-opacity='.16'/>\
    <stop offset='.22' stop-color='#fff' stop-opacity='.3'/>\
    <stop offset='.5' stop-color='#fff' stop-opacity='0'/>\
    <stop offset='1' stop-opacity='.2'/></linearGradient>\
    <radialGradient id='sd'><stop stop-color='$i' stop-opacity='.5'/>\
    <stop offset='1' stop-color='$i' stop-opacity='0'/></radialGradient>\
    <radialGradient id='gl'><stop stop-color='#ffdf8e' stop-opacity='.75'/>\
    <stop offset='1' stop-color='#ffdf8e' stop-opacity='0'/></radialGradient>\
    <linearGradient id='fl' x2='0' y2='1'><stop stop-color='#ffd45e'/>\
    <stop offset='1' stop-color='#f2873a'/></linearGradient></defs>";

/// The round stand the object is displayed on, with the object's contact shadow.
const STAND: &str = "<path d='M90 684V752a310 44 0 0 0 620 0V684z' fill='$f'/>\
    <path d='M90 684V752a310 44 0 0 0 620 0V684z' fill='url(#sh)'/>\
    <ellipse cx='400' cy='684' rx='310' ry='46' fill='$s'/>\
    <ellipse cx='400' cy='686' rx='250' ry='32' fill='url(#sd)'/>";

/// A lit flame whose wick ends at the origin.
const FLAME: &str = "<circle cy='-36' r='150' fill='url(#gl)'/>\
    <path d='M0 8C-30-8-26-44 0-92C26-44 30-8 0 8z' fill='url(#fl)'/>\
    <path d='M0 4C-13-6-11-26 0-46C11-26 13-6 0 4z' fill='#fff6d8'/>";

/// How the scene is framed.
struct View {
    /// Colour tokens at the top and the bottom of the background.
    background: [&'static str; 2],
    /// Transformation of everything in front of the background.
    camera: &'static str,
    /// Transformations of the plants that lean out from behind the object.
    tall: &'static [&'static str],
    /// Transformations of the plants that lie in front of the object.
    low: &'static [&'static str],
}

/// The main picture: the whole object in a light room.
const WHOLE: View = View {
    background: ["$s", "$f"],
    camera: "translate(-40 -74) scale(1.1)",
    tall: &[
        "translate(330 640) rotate(-36) scale(1.15)",
        "translate(470 650) rotate(42) scale(1.05)",
    ],
    low: &["translate(176 706) scale(.92)", "translate(632 704) rotate(8) scale(.78)"],
};

/// The second picture: closer, against the scent's deeper colours.
const CLOSE: View = View {
    background: ["$f", "$w"],
    camera: "translate(-104 -196) scale(1.26)",
    tall: &["translate(460 640) rotate(26) scale(1.1)", "translate(480 650) rotate(52)"],
    low: &["translate(600 712) rotate(-6) scale(1.05)"],
};

/// Draws a product as an 800x800 SVG document.
///
/// `angle` 0 is the main picture; every other value gives the closer variation.
pub(crate) fn picture(scent: Scent, shape: Shape, name: &str, angle: u8) -> String {
    let palette = lookup(PALETTES, scent).unwrap_or(DEFAULT_PALETTE);
    let figure = lookup(FIGURES, shape).unwrap_or(DEFAULT_FIGURE);
    let view = if angle == 0 { &WHOLE } else { &CLOSE };
    let [top, bottom] = view.background;
    let defs = DEFS.replace("$1", top).replace("$2", bottom);
    let title = escape(&elide(name, TITLE_LIMIT));
    let drawing = [
        defs.as_str(),
        "<path d='M0 0H800V800H0z' fill='url(#bg)'/>",
        &format!("<g transform='{}'>", view.camera),
        backdrop(name),
        STAND,
        &plants(palette.motif, true, view.tall),
        figure.art,
        &flames(figure.flames),
    ]
    .concat();
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 800 800' width='800' height='800' \
         role='img'><title>{title}</title>{drawing}{label}{front}</g></svg>",
        drawing = paint(&drawing, palette),
        label = label(&figure.label, name, palette),
        front = paint(&plants(palette.motif, false, view.low), palette),
    )
}

/// Finds the row of a table that belongs to `key`.
fn lookup<K: Copy + PartialEq, V>(table: &'static [(K, V)], key: K) -> Option<&'static V> {
    table.iter().find(|row| row.0 == key).map(|row| &row.1)
}

/// Replaces the colour tokens of a drawing.
///
/// Only constant drawings pass through here, never a product's name, which may contain a `$`.
fn paint(drawing: &str, palette: &Palette) -> String {
    [
        ("$w", palette.wax),
        ("$a", palette.accent),
        ("$i", palette.ink),
        ("$s", palette.sky),
        ("$f", palette.floor),
    ]
    .iter()
    .fold(drawing.to_owned(), |painted, (token, colour)| painted.replace(token, colour))
}

/// Picks a backdrop by name, so that neighbours in a listing do not all look alike.
fn backdrop(name: &str) -> &'static str {
    let sum: usize = name.bytes().map(usize::from).sum();
    BACKDROPS.get(sum % BACKDROPS.len()).copied().unwrap_or("")
}

/// Places the scent's plant, if it belongs to the layer being drawn.
fn plants(motif: &Motif, tall: bool, places: &[&str]) -> String {
    if motif.tall != tall {
        return String::new();
    }
    places
        .iter()
        .map(|place| format!("<g transform='{place}'>{}</g>", motif.art))
        .collect::<Vec<_>>()
        .concat()
}

/// Lights every wick.
fn flames(wicks: &[(i32, i32, i32)]) -> String {
    wicks
        .iter()
        .map(|(x, y, percent)| {
            let scale = f64::from(*percent) / 100.0;
            format!("<g transform='translate({x} {y}) scale({scale})'>{FLAME}</g>")
        })
        .collect::<Vec<_>>()
        .concat()
}

/// Draws the label: paper, hairline frame, the product's name and, where it fits, small print.
fn label(label: &Label, name: &str, palette: &Palette) -> String {
    let Palette { accent, ink, .. } = palette;
    let (x, small) = (label.x, label.y + label.height / 2 - 16);
    let small_print = if label.height < SMALL_PRINT_HEIGHT {
        String::new()
    } else {
        format!(
            "<text x='{x}' y='{small}' font-family='sans-serif' font-size='10' \
             letter-spacing='3' fill='{accent}'>FEITO À MÃO</text>"
        )
    };
    format!(
        "<path d='{paper}' fill='#fffdf8'/>\
         <path d='{frame}' fill='none' stroke='{accent}' opacity='.6' stroke-width='2'/>\
         <g text-anchor='middle' fill='{ink}'>{text}{small_print}</g>",
        paper = outline(label, 0),
        frame = outline(label, 7),
        text = label_text(label, name),
    )
}

/// The path of a label's edge, moved inwards by `inset`.
fn outline(label: &Label, inset: i32) -> String {
    let (width, height) = (label.width - 2 * inset, label.height - 2 * inset);
    let (left, top) = (label.x - width / 2, label.y - height / 2);
    format!("M{left} {top}h{width}v{height}h-{width}z")
}

/// Sets the product's name in the middle of its label, above the small print if there is any.
fn label_text(label: &Label, name: &str) -> String {
    let lines = wrap(name);
    let size = font_size(&lines, label);
    let leading = size * 6 / 5;
    let raised = if label.height < SMALL_PRINT_HEIGHT { 0 } else { 10 };
    let below_first = i32::try_from(lines.len()).unwrap_or(1) - 1;
    // A baseline a third of the type size below the centre centres the letters on it.
    let first = label.y + size / 3 - below_first * leading / 2 - raised;
    let spans = (0..)
        .zip(&lines)
        .map(|(row, line)| {
            let (x, y) = (label.x, first + row * leading);
            format!("<tspan x='{x}' y='{y}'>{}</tspan>", escape(line))
        })
        .collect::<Vec<_>>()
        .concat();
    format!("<text font-family='serif' font-size='{size}'>{spans}</text>")
}

/// The largest type that fits the label, for a serif about half as wide as it is tall.
fn font_size(lines: &[String], label: &Label) -> i32 {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    let longest = i32::try_from(longest.unwrap_or(1).max(1)).unwrap_or(i32::MAX);
    let by_width = (label.width - 34) * 100 / (longest * 58);
    by_width.min(label.height / 4).clamp(12, 34)
}

/// Breaks a name into one or two lines, as even as its words allow.
fn wrap(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let whole = words.join(" ");
    let best = (1..words.len())
        .filter_map(|split| words.split_at_checked(split))
        .map(|(head, tail)| (head.join(" "), tail.join(" ")))
        .min_by_key(|(head, tail)| head.chars().count().max(tail.chars().count()));
    match best {
        Some((head, tail)) if whole.chars().count() > ONE_LINE => {
            vec![elide(&head, LINE_LIMIT), elide(&tail, LINE_LIMIT)]
        }
        _ => vec![elide(&whole, LINE_LIMIT)],
    }
}

/// Shortens a text to `limit` characters, the last of which then is an ellipsis.
fn elide(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Escapes a text for XML, dropping the control characters XML cannot hold even escaped.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !character.is_control()) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{DemoProduct, PRODUCTS};
    use super::*;
    use std::collections::HashSet;

    fn products() -> impl Iterator<Item = &'static DemoProduct> {
        PRODUCTS.iter().copied().flatten()
    }

    fn drawn(product: &DemoProduct, angle: u8) -> String {
        picture(product.scent, product.shape, product.name, angle)
    }

    /// Walks the tags and checks that each one closes the last one left open.
    fn assert_balanced(svg: &str) {
        let mut open = Vec::new();
        for chunk in svg.split('<').skip(1) {
            let (tag, text) = chunk.split_once('>').expect("every `<` opens a tag");
            assert!(!text.contains('>'), "stray `>` after <{tag}>");
            assert_eq!(tag.matches('\'').count() % 2, 0, "open quote in <{tag}>");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or(tag));
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
    }

    #[test]
    fn every_picture_is_well_formed_small_and_self_contained() {
        for product in products() {
            for angle in [0, 1] {
                let svg = drawn(product, angle);
                assert_balanced(&svg);
                assert!(svg.len() < 4096, "{}: {} bytes", product.slug, svg.len());
                assert!(!svg.contains('$'), "unpainted token in {}", product.slug);
                assert!(!svg.contains("href") && !svg.contains("<script"));
                assert_eq!(svg.matches("://").count(), 1, "only the SVG namespace");
            }
        }
    }

    #[test]
    fn every_paint_server_used_is_defined() {
        for product in products() {
            let svg = drawn(product, 0);
            for used in svg.split("url(#").skip(1) {
                let id = used.split(')').next().unwrap_or_default();
                assert!(svg.contains(&format!("id='{id}'")), "{id} is not defined");
            }
        }
    }

    #[test]
    fn every_product_has_pictures_of_its_own() {
        let pictures: HashSet<String> =
            products().flat_map(|product| [drawn(product, 0), drawn(product, 1)]).collect();
        assert_eq!(pictures.len(), 2 * products().count());
    }

    #[test]
    fn every_scent_and_shape_in_the_catalogue_has_its_own_row() {
        for product in products() {
            assert!(lookup(PALETTES, product.scent).is_some());
            assert!(lookup(FIGURES, product.shape).is_some());
        }
    }

    #[test]
    fn markup_in_a_name_is_escaped_and_tokens_in_it_are_left_alone() {
        let svg = picture(Scent::Lavanda, Shape::Soap, "A & <b>\u{0} $w", 0);
        assert_balanced(&svg);
        assert!(svg.contains("A &amp; &lt;b&gt;"));
        assert!(svg.contains("$w"));
        assert!(!svg.contains('\u{0}'));
    }

    #[test]
    fn odd_names_still_give_a_picture() {
        let long = "palavra ".repeat(500);
        let unbroken = "x".repeat(5000);
        for name in ["", " ", "ã", long.as_str(), unbroken.as_str()] {
            let svg = picture(Scent::Rosa, Shape::JarCandle, name, u8::MAX);
            assert_balanced(&svg);
            assert!(svg.len() < 4096);
        }
    }

    #[test]
    fn names_break_into_even_lines() {
        assert_eq!(wrap("Kit Verão"), ["Kit Verão"]);
        assert_eq!(wrap("Vela Lavanda & Alecrim"), ["Vela Lavanda", "& Alecrim"]);
        assert_eq!(wrap("Maracujaaaaaaá"), ["Maracujaaaaaaá"]);
        assert_eq!(wrap(&"x".repeat(30))[0].chars().count(), LINE_LIMIT);
    }
}
