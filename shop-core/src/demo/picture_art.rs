//! The drawings behind [`super::picture`]: palettes, botanical motifs, backdrops and objects.
//!
//! Everything here is data. A drawing is an SVG fragment on an 800x800 canvas in which `$` and a
//! letter stand for a colour, so the same object can be tinted for any scent:
//!
//! | token | colour |
//! |-------|--------|
//! | `$w`  | wax, liquid, soap: the product itself |
//! | `$a`  | accent: botanicals, ribbons |
//! | `$i`  | ink: stems, wicks, dark details |
//! | `$s`  | sky: the light end of the background |
//! | `$f`  | floor: the deep end of the background |
//!
//! Paint servers the fragments may use, defined by the picture: `url(#sh)` shades a rounded
//! body from side to side and `url(#sd)` is a soft contact shadow. Attributes are single-quoted
//! so that the fragments read as plain Rust strings.

use super::catalogue::{Scent, Shape};
use super::picture_motifs::{
    BERRIES, BLOSSOM, CINNAMON, CITRUS, COFFEE, COTTON, EUCALYPTUS, FIG, GRASS, LAVENDER, LOG,
    Motif, ROSE, ROSEMARY,
};

/// The colours of a scent and the plant that stands for it.
pub(crate) struct Palette {
    pub sky: &'static str,
    pub floor: &'static str,
    pub wax: &'static str,
    pub accent: &'static str,
    pub ink: &'static str,
    pub motif: &'static Motif,
}

/// An object, standing on y = 680.
pub(crate) struct Figure {
    pub art: &'static str,
    pub label: Label,
    /// Where wicks end, as (x, y, size in percent).
    pub flames: &'static [(i32, i32, i32)],
}

/// The paper that carries the product's name: its centre and its size.
pub(crate) struct Label {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

const fn palette(colours: [&'static str; 5], motif: &'static Motif) -> Palette {
    let [sky, floor, wax, accent, ink] = colours;
    Palette { sky, floor, wax, accent, ink, motif }
}

const fn label(x: i32, y: i32, width: i32, height: i32) -> Label {
    Label { x, y, width, height }
}

/// Colours and plant by scent, as sky, floor, wax, accent and ink.
#[rustfmt::skip]
pub(crate) const PALETTES: &[(Scent, Palette)] = &[
    (Scent::Lavanda, palette(["#f5f1fb", "#d8cbec", "#b7a3d8", "#7d62ad", "#3f2f63"], &LAVENDER)),
    (Scent::Baunilha, palette(["#fcf7ea", "#efdcb4", "#f3e3ba", "#c4954a", "#5b4320"], &BLOSSOM)),
    (Scent::Canela, palette(["#fcf0e6", "#e8c3a6", "#c9855a", "#9a4f2b", "#4f2512"], &CINNAMON)),
    (Scent::Jasmim, palette(["#f7f9f0", "#d5e2c1", "#fbf7e6", "#7f9a64", "#3d4a2a"], &BLOSSOM)),
    (Scent::Cedro, palette(["#f3f0e9", "#cfc7b3", "#a98c6a", "#5f6b4c", "#372b1f"], &ROSEMARY)),
    (Scent::Bergamota, palette(["#fef8e3", "#f3dc98", "#ecc861", "#d39a23", "#5a3e0c"], &CITRUS)),
    (Scent::Alecrim, palette(["#eff6f2", "#c2d9cd", "#a3c4b4", "#4d7f6b", "#22443a"], &ROSEMARY)),
    (Scent::CapimSanto, palette(["#f5f9e6", "#d5e4a6", "#c9dc8d", "#7f9a3a", "#3a4a16"], &GRASS)),
    (Scent::FlorDeLaranjeira, palette(["#fff4ea", "#f8d3b5", "#fbe6d3", "#e0803f", "#6b3414"], &BLOSSOM)),
    (Scent::Sandalo, palette(["#f9efe8", "#e0c2ad", "#d5ac91", "#9c6a4d", "#4d2d1d"], &LOG)),
    (Scent::Figo, palette(["#f7eff3", "#d9bccb", "#a87b94", "#7a4566", "#3f1f34"], &FIG)),
    (Scent::Algodao, palette(["#f5f8fb", "#cbdce7", "#f4f7f9", "#7d9fb3", "#2f4b5c"], &COTTON)),
    (Scent::Rosa, palette(["#fef2f2", "#f2c9cf", "#eab0b8", "#c4616f", "#5f222c"], &ROSE)),
    (Scent::Eucalipto, palette(["#f0f7f6", "#bfdbd7", "#b0d2cc", "#5a9690", "#1f4543"], &EUCALYPTUS)),
    (Scent::Cafe, palette(["#f6f0ea", "#d6bfa9", "#8a6549", "#5d3f2c", "#33211a"], &COFFEE)),
    (Scent::Pitanga, palette(["#fef0ec", "#f5c2b2", "#e58672", "#bd3b34", "#5a1712"], &BERRIES)),
];

/// What hangs on the wall behind the object; which one is picked is a matter of variety.
pub(crate) const BACKDROPS: &[&str] = &[
    "<path d='M190 640V350a210 210 0 0 1 420 0V640z' fill='#fff' opacity='.5'/>\
     <path d='M166 640V350a234 234 0 0 1 468 0V640' fill='none' stroke='#fff' \
     opacity='.55' stroke-width='3'/>",
    "<circle cx='400' cy='340' r='250' fill='#fff' opacity='.45'/>\
     <circle cx='400' cy='340' r='276' fill='none' stroke='#fff' opacity='.5' \
     stroke-width='3'/>",
    "<g fill='#fff' opacity='.38'><path d='M150 90l150-40V300l-150 50zM320 45l150-40V246\
     l-150 48zM150 370l150-50V570l-150 50zM320 314l150-48V520l-150 44z'/></g>",
];

const JAR: &str = "<path d='M252 352V636q0 46 46 46h204q46 0 46-46V352z' fill='#fff' \
    opacity='.45'/>\
    <path d='M264 412V632q0 38 38 38h196q38 0 38-38V412z' fill='$w'/>\
    <ellipse cx='400' cy='412' rx='136' ry='22' fill='$w'/>\
    <path d='M264 412V632q0 38 38 38h196q38 0 38-38V412A136 22 0 0 1 264 412' fill='url(#sh)'/>\
    <ellipse cx='400' cy='412' rx='136' ry='22' fill='#fff' opacity='.45'/>\
    <ellipse cx='400' cy='413' rx='76' ry='11' fill='#fff' opacity='.55'/>\
    <path d='M400 413v-26' stroke='$i' stroke-width='5' stroke-linecap='round'/>\
    <path d='M252 352V636q0 46 46 46h204q46 0 46-46V352' fill='none' stroke='$a' \
    opacity='.45' stroke-width='3'/>\
    <ellipse cx='400' cy='352' rx='148' ry='23' fill='#fff' fill-opacity='.12' stroke='#fff' \
    stroke-width='5'/>\
    <path d='M280 390V610' stroke='#fff' stroke-width='11' stroke-linecap='round' \
    opacity='.55'/>";

const TIN: &str = "<path d='M220 470V652q0 30 180 30t180-30V470z' fill='#d6d2ca'/>\
    <path d='M220 470V652q0 30 180 30t180-30V470z' fill='url(#sh)'/>\
    <ellipse cx='400' cy='470' rx='180' ry='36' fill='#efece6'/>\
    <ellipse cx='400' cy='474' rx='166' ry='29' fill='$w'/>\
    <ellipse cx='400' cy='476' rx='90' ry='14' fill='#fff' opacity='.5'/>\
    <path d='M400 476v-26' stroke='$i' stroke-width='5' stroke-linecap='round'/>\
    <path d='M220 640q0 30 180 30t180-30' fill='none' stroke='#fff' opacity='.6' \
    stroke-width='4'/>";

const PILLAR: &str = "<path d='M500 500V650q0 16 62 16t62-16V500z' fill='$w'/>\
    <path d='M500 500V650q0 16 62 16t62-16V500z' fill='url(#sh)'/>\
    <ellipse cx='562' cy='500' rx='62' ry='14' fill='$w'/>\
    <ellipse cx='562' cy='500' rx='62' ry='14' fill='#fff' opacity='.4'/>\
    <path d='M562 500v-22M390 292v-26' stroke='$i' stroke-width='5' stroke-linecap='round'/>\
    <path d='M280 290V656q0 26 110 26t110-26V290z' fill='$w'/>\
    <path d='M280 290V656q0 26 110 26t110-26V290z' fill='url(#sh)'/>\
    <ellipse cx='390' cy='290' rx='110' ry='24' fill='$w'/>\
    <ellipse cx='390' cy='290' rx='110' ry='24' fill='#fff' opacity='.42'/>\
    <ellipse cx='390' cy='292' rx='64' ry='12' fill='$a' opacity='.25'/>\
    <path d='M390 292v-26' stroke='$i' stroke-width='5' stroke-linecap='round'/>\
    <path d='M466 306q20-2 20 8v60q-10 16-20 0z' fill='#fff' opacity='.3'/>";

const BUBBLE: &str = "<path d='M400 330v-28' stroke='$i' stroke-width='5' \
    stroke-linecap='round'/>\
    <g stroke='$w' stroke-width='96' stroke-linecap='round'><path d='M316 374h0M400 374h0\
    M484 374h0M316 458h0M400 458h0M484 458h0M316 542h0M400 542h0M484 542h0'/></g>\
    <g stroke='#000' opacity='.1' stroke-width='84' stroke-linecap='round'>\
    <path d='M319 378h0M403 378h0M487 378h0M319 462h0M403 462h0M487 462h0M319 546h0M403 546h0\
    M487 546h0'/></g>\
    <g stroke='$w' stroke-width='76' stroke-linecap='round'><path d='M314 371h0M398 371h0\
    M482 371h0M314 455h0M398 455h0M482 455h0M314 539h0M398 539h0M482 539h0'/></g>\
    <g stroke='#fff' opacity='.5' stroke-width='26' stroke-linecap='round'>\
    <path d='M300 354l4-3M384 354l4-3M468 354l4-3M300 438l4-3M384 438l4-3M468 438l4-3\
    M300 522l4-3M384 522l4-3M468 522l4-3'/></g>\
    <path d='M240 588H560V660q0 22-22 22H262q-22 0-22-22z' fill='#c9a883'/>\
    <path d='M240 588H560V600H240z' fill='#fff' opacity='.35'/>";

const TAPERS: &str = "<path d='M312 256h28l8 324h-44zM460 256h28l8 324h-44z' fill='$w'/>\
    <path d='M312 256h28l8 324h-44z' fill='url(#sh)'/>\
    <path d='M460 256h28l8 324h-44z' fill='url(#sh)'/>\
    <path d='M326 256v-20M474 256v-20' stroke='$i' stroke-width='5' stroke-linecap='round'/>\
    <path d='M296 560h60v34q0 14-16 18l-4 34q48 8 62 34H254q14-26 62-34l-4-34\
    q-16-4-16-18zM444 560h60v34q0 14-16 18l-4 34q48 8 62 34H402q14-26 62-34l-4-34\
    q-16-4-16-18z' fill='#b08a4e'/>\
    <path d='M306 566v26M454 566v26M280 670q16-14 40-16M428 670q16-14 40-16' fill='none' \
    stroke='#fff' opacity='.5' stroke-width='6' stroke-linecap='round'/>";

const TEALIGHTS: &str = "<path d='M230 390l24-28H546l24 28z' fill='#e9dcc6'/>\
    <path d='M230 390H570V650H230z' fill='#d9c4a3'/>\
    <path d='M230 390H570V412H230z' fill='$a' opacity='.7'/>\
    <path d='M250 650v30q0 12 58 12t58-12v-30zM434 650v30q0 12 58 12t58-12v-30z\
    M340 672v32q0 13 60 13t60-13v-32z' fill='#cfcbc4'/>\
    <path d='M340 672v32q0 13 60 13t60-13v-32z' fill='url(#sh)'/>\
    <g fill='$w' stroke='#efece7' stroke-width='5'><ellipse cx='308' cy='650' rx='56' ry='14'/>\
    <ellipse cx='492' cy='650' rx='56' ry='14'/><ellipse cx='400' cy='672' rx='58' ry='15'/></g>\
    <path d='M308 650v-14M492 650v-14M400 672v-14' stroke='$i' stroke-width='4'/>";

const MELTS: &str = "<path d='M266 300H534l-8 40 14 320q0 20-20 20H280q-20 0-20-20l14-320z' \
    fill='#d9c4a3'/>\
    <path d='M266 300H534l-8 40 14 320q0 20-20 20H280q-20 0-20-20l14-320z' fill='url(#sh)'/>\
    <path d='M273 338H527' stroke='#a88c66' stroke-width='3' stroke-dasharray='9 7'/>\
    <path d='M266 300H534l-4 22H270z' fill='$a' opacity='.75'/>\
    <g fill='$w'><rect x='196' y='628' width='104' height='74' rx='20'/>\
    <rect x='512' y='632' width='104' height='74' rx='20'/>\
    <rect x='330' y='640' width='118' height='80' rx='22'/></g>\
    <g fill='#fff' opacity='.45'><rect x='204' y='632' width='88' height='42' rx='16'/>\
    <rect x='520' y='636' width='88' height='42' rx='16'/>\
    <rect x='339' y='645' width='100' height='46' rx='18'/></g>";

const DIFFUSER: &str = "<path d='M392 640L300 150M396 640L352 118M400 640L400 108M404 640L452 122\
    M408 640L504 158' stroke='#b08d64' stroke-width='8' stroke-linecap='round'/>\
    <path d='M362 372h76v46q82 14 82 78V646q0 36-36 36H316q-36 0-36-36V496q0-64 82-78z' \
    fill='#fff' opacity='.5'/>\
    <path d='M290 500V644q0 28 28 28H482q28 0 28-28V500z' fill='$w' opacity='.85'/>\
    <ellipse cx='400' cy='500' rx='110' ry='14' fill='#fff' opacity='.5'/>\
    <path d='M362 372h76v46q82 14 82 78V646q0 36-36 36H316q-36 0-36-36V496q0-64 82-78z' \
    fill='url(#sh)' stroke='$a' stroke-opacity='.45' stroke-width='3'/>\
    <rect x='350' y='350' width='100' height='44' rx='9' fill='#a97f52'/>\
    <rect x='350' y='350' width='100' height='44' rx='9' fill='url(#sh)'/>\
    <path d='M304 510V620' stroke='#fff' stroke-width='10' stroke-linecap='round' \
    opacity='.6'/>";

const SPRAY: &str = "<g fill='$a' opacity='.3'><circle cx='318' cy='232' r='7'/>\
    <circle cx='284' cy='210' r='9'/><circle cx='286' cy='250' r='8'/>\
    <circle cx='244' cy='190' r='10'/><circle cx='244' cy='232' r='9'/>\
    <circle cx='248' cy='274' r='9'/></g>\
    <rect x='392' y='330' width='16' height='320' fill='#fff' opacity='.5'/>\
    <path d='M352 380h96q72 20 72 92V640q0 42-42 42H322q-42 0-42-42V472q0-72 72-92z' \
    fill='$w'/>\
    <path d='M352 380h96q72 20 72 92V640q0 42-42 42H322q-42 0-42-42V472q0-72 72-92z' \
    fill='url(#sh)' stroke='$a' stroke-opacity='.45' stroke-width='3'/>\
    <rect x='346' y='318' width='108' height='66' rx='8' fill='$i'/>\
    <rect x='346' y='318' width='108' height='66' rx='8' fill='url(#sh)'/>\
    <rect x='378' y='270' width='44' height='50' fill='$i'/>\
    <path d='M346 214h86q20 0 20 20v42H366l-20-18z' fill='$i'/>\
    <circle cx='352' cy='236' r='7' fill='$s'/>\
    <path d='M304 470V600' stroke='#fff' stroke-width='11' stroke-linecap='round' \
    opacity='.5'/>";

const SOAP: &str = "<g transform='rotate(-5 400 440)'><rect x='250' y='372' width='300' \
    height='130' rx='34' fill='$w'/><rect x='250' y='372' width='300' height='130' rx='34' \
    fill='url(#sh)'/><rect x='264' y='378' width='272' height='62' rx='28' fill='#fff' \
    opacity='.25'/><path d='M340 409h120' stroke='$a' opacity='.6' stroke-width='6' \
    stroke-linecap='round' stroke-dasharray='1 16'/></g>\
    <rect x='204' y='486' width='392' height='172' rx='40' fill='$w'/>\
    <rect x='204' y='486' width='392' height='172' rx='40' fill='url(#sh)'/>\
    <rect x='220' y='493' width='360' height='60' rx='30' fill='#fff' opacity='.22'/>\
    <path d='M180 652H620l-18 24q-6 8-18 8H216q-12 0-18-8z' fill='#b58f66'/>\
    <path d='M180 652H620l-6 9H186z' fill='#fff' opacity='.3'/>\
    <g fill='#fff' fill-opacity='.55' stroke='#fff'><circle cx='190' cy='440' r='24'/>\
    <circle cx='226' cy='392' r='13'/><circle cx='612' cy='410' r='18'/>\
    <circle cx='588' cy='370' r='10'/></g>";

const SALTS: &str = "<path d='M322 300h156v74q66 16 66 84V640q0 42-42 42H298q-42 0-42-42V458\
    q0-68 66-84z' fill='#fff' opacity='.5'/>\
    <path d='M268 440q60-22 132-6t132-4V636q0 36-36 36H304q-36 0-36-36z' fill='$w'/>\
    <path d='M290 456h1M330 446h1M372 456h1M420 452h1M466 450h1M508 446h1M286 500h1M286 560h1\
    M292 620h1M512 500h1M514 560h1M508 620h1M340 648h1M400 656h1M460 648h1' stroke='#fff' \
    opacity='.75' stroke-width='20' stroke-linecap='square'/>\
    <path d='M310 470h1M350 462h1M396 468h1M444 464h1M488 470h1M284 530h1M284 590h1M516 530h1\
    M516 590h1M320 652h1M372 654h1M430 654h1M486 642h1' stroke='$a' opacity='.5' \
    stroke-width='15' stroke-linecap='square'/>\
    <path d='M322 300h156v74q66 16 66 84V640q0 42-42 42H298q-42 0-42-42V458q0-68 66-84z' \
    fill='url(#sh)' stroke='$a' stroke-opacity='.45' stroke-width='3'/>\
    <path d='M312 250h176l-10 76H322z' fill='#c79d6b'/>\
    <path d='M312 250h176l-10 76H322z' fill='url(#sh)'/>\
    <ellipse cx='400' cy='250' rx='88' ry='12' fill='#dbb88a'/>";

const GIFT: &str = "<rect x='224' y='420' width='352' height='262' rx='6' fill='$w'/>\
    <rect x='224' y='420' width='352' height='262' rx='6' fill='$a' opacity='.3'/>\
    <rect x='224' y='420' width='352' height='262' rx='6' fill='url(#sh)'/>\
    <path d='M372 420h56V682h-56z' fill='$a'/>\
    <rect x='206' y='364' width='388' height='70' rx='8' fill='$w'/>\
    <rect x='206' y='364' width='388' height='70' rx='8' fill='$a' opacity='.16'/>\
    <path d='M224 434H576v12H224z' fill='#000' opacity='.14'/>\
    <path d='M372 364h56v70h-56z' fill='$a'/>\
    <path d='M400 360C330 372 262 340 270 296C278 254 356 268 400 360\
    C444 268 522 254 530 296C538 340 470 372 400 360' fill='$a'/>\
    <path d='M392 352C350 352 300 332 302 304C306 280 356 300 392 352M408 352C450 352 500 332 \
    498 304C494 280 444 300 408 352' fill='#000' opacity='.2'/>\
    <path d='M392 364L330 424l34-2 6 30 34-84zM408 364l62 60-34-2-6 30-34-84z' fill='$a'/>\
    <rect x='376' y='334' width='48' height='42' rx='14' fill='$a'/>\
    <rect x='376' y='334' width='48' height='42' rx='14' fill='#fff' opacity='.22'/>";

/// Builds one row of [`FIGURES`].
const fn figure(art: &'static str, label: Label, flames: &'static [(i32, i32, i32)]) -> Figure {
    Figure { art, label, flames }
}

/// What to draw for each shape.
pub(crate) const FIGURES: &[(Shape, Figure)] = &[
    (Shape::JarCandle, figure(JAR, label(400, 545, 216, 150), &[(400, 392, 100)])),
    (Shape::TinCandle, figure(TIN, label(400, 586, 250, 118), &[(400, 456, 100)])),
    (
        Shape::PillarCandle,
        figure(PILLAR, label(390, 510, 220, 150), &[(390, 272, 100), (562, 482, 75)]),
    ),
    (Shape::BubbleCandle, figure(BUBBLE, label(400, 640, 300, 74), &[(400, 306, 90)])),
    (
        Shape::TaperPair,
        figure(TAPERS, label(400, 440, 232, 120), &[(326, 240, 78), (474, 240, 78)]),
    ),
    (
        Shape::TealightSet,
        figure(
            TEALIGHTS,
            label(400, 512, 250, 130),
            &[(308, 640, 45), (492, 640, 45), (400, 662, 50)],
        ),
    ),
    (Shape::Melts, figure(MELTS, label(400, 476, 210, 150), &[])),
    (Shape::Diffuser, figure(DIFFUSER, label(400, 588, 184, 124), &[])),
    (Shape::Spray, figure(SPRAY, label(400, 562, 196, 150), &[])),
    (Shape::Soap, figure(SOAP, label(400, 574, 230, 130), &[])),
    (Shape::BathSalts, figure(SALTS, label(400, 556, 206, 140), &[])),
    (Shape::GiftBox, figure(GIFT, label(400, 562, 240, 130), &[])),
];
