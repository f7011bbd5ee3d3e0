//! A page being drawn. Places are in millimetres from the upper left corner.

use printpdf::{
    Color, Greyscale, Line, LineDashPattern, LinePoint, Mm, Op, PaintMode, PdfFontHandle, Point,
    Pt, Rect, Rgb, TextItem, TextMatrix, XObjectId, XObjectTransform,
};

use super::font::{Face, POINT};

/// A4, upright.
pub(crate) const WIDTH: f32 = 210.0;
pub(crate) const HEIGHT: f32 = 297.0;

/// A part of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) w: f32,
    pub(crate) h: f32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
}

/// How a line of text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) face: Face,
    pub(crate) size: f32,
    /// The size down to which it may be set to fit.
    pub(crate) least: f32,
    pub(crate) align: Align,
}

/// The drawing of a page.
pub(crate) struct PdfPage {
    size: (f32, f32),
    ops: Vec<Op>,
}

impl Area {
    /// What is left of it without a margin to the left and right.
    pub(crate) fn inside(self, margin: f32) -> Self {
        Self { x: self.x + margin, w: self.w - 2.0 * margin, ..self }
    }
}

impl Type {
    pub(crate) const fn new(face: Face, size: f32, align: Align) -> Self {
        Self { face, size, least: size, align }
    }

    pub(crate) const fn down_to(self, least: f32) -> Self {
        Self { least, ..self }
    }
}

fn black() -> Color {
    Color::Greyscale(Greyscale { percent: 0.0, icc_profile: None })
}

impl PdfPage {
    /// A page of A4, upright.
    pub(crate) fn new() -> Self {
        Self::sized(WIDTH, HEIGHT)
    }

    /// A page of this width and height in millimetres.
    pub(crate) fn sized(width: f32, height: f32) -> Self {
        let ops = vec![Op::SetOutlineColor { col: black() }];
        let mut pdf = Self { size: (width, height), ops };
        pdf.pen(0.2);
        pdf
    }

    pub(crate) fn finish(self) -> printpdf::PdfPage {
        printpdf::PdfPage::new(Mm(self.size.0), Mm(self.size.1), self.ops)
    }

    fn point(&self, x: f32, y: f32) -> Point {
        Point::new(Mm(x), Mm(self.size.1 - y))
    }

    fn pen(&mut self, width: f32) {
        self.ops.push(Op::SetOutlineThickness { pt: Mm(width).into() });
    }

    pub(crate) fn frame(&mut self, area: Area) {
        self.rectangle(area, PaintMode::Stroke);
    }

    pub(crate) fn fill(&mut self, area: Area) {
        self.rectangle(area, PaintMode::Fill);
    }

    fn rectangle(&mut self, area: Area, mode: PaintMode) {
        let corner = self.point(area.x, area.y + area.h);
        let rectangle = Rect {
            x: corner.x,
            y: corner.y,
            width: Mm(area.w).into(),
            height: Mm(area.h).into(),
            mode: Some(mode),
            winding_order: None,
        };
        self.ops.push(Op::DrawRectangle { rectangle });
    }

    pub(crate) fn line(&mut self, from: (f32, f32), to: (f32, f32)) {
        let points = [from, to].map(|(x, y)| LinePoint { p: self.point(x, y), bezier: false });
        self.ops.push(Op::DrawLine { line: Line { points: points.into(), is_closed: false } });
    }

    /// A line to cut along, or between items.
    pub(crate) fn dashes(&mut self, y: f32, area: Area) {
        self.ops.push(Op::SetLineDashPattern { dash: LineDashPattern::new(0.0, &[1.5, 1.5]) });
        self.line((area.x, y), (area.x + area.w, y));
        self.ops.push(Op::SetLineDashPattern { dash: LineDashPattern::solid() });
    }

    /// One line of text between the sides of an area, on a base line.
    pub(crate) fn text(&mut self, area: Area, base: f32, kind: Type, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut size = kind.size;
        while size > kind.least && kind.face.width(size, text) > area.w {
            size -= 0.25;
        }
        let text = kind.face.cut(size, area.w, text);
        let free = area.w - kind.face.width(size, &text);
        let x = match kind.align {
            Align::Left => area.x,
            Align::Center => area.x + free / 2.0,
            Align::Right => area.x + free,
        };
        let at = self.point(x, base);
        self.show(kind.face, size, TextMatrix::Translate(at.x, at.y), text);
    }

    fn show(&mut self, face: Face, size: f32, matrix: TextMatrix, text: String) {
        let font = PdfFontHandle::Builtin(face.builtin());
        self.ops.extend([
            Op::StartTextSection,
            Op::SetFont { font, size: Pt(size) },
            Op::SetTextMatrix { matrix },
            Op::ShowText { items: vec![TextItem::Text(text)] },
            Op::EndTextSection,
        ]);
    }

    /// Large, pale letters from the lower left to the upper right. To be drawn before anything
    /// else, so that what is read stands on top.
    pub(crate) fn mark(&mut self, text: &str) {
        const DEGREES: f32 = 55.0;
        let size = 62.0_f32.min(62.0 * 240.0 / Face::Bold.width(62.0, text));
        let (sin, cos) = DEGREES.to_radians().sin_cos();
        let half = Face::Bold.width(size, text) / 2.0;
        let rise = size * POINT * 0.33;
        let x = WIDTH / 2.0 - half * cos + rise * sin;
        let y = HEIGHT / 2.0 - half * sin - rise * cos;
        let (x, y): (Pt, Pt) = (Mm(x).into(), Mm(y).into());
        let pale = Color::Rgb(Rgb { r: 0.95, g: 0.76, b: 0.76, icc_profile: None });
        self.ops.push(Op::SetFillColor { col: pale });
        let matrix = TextMatrix::Raw([cos, sin, -sin, cos, x.0, y.0]);
        self.show(Face::Bold, size, matrix, text.to_owned());
        self.ops.push(Op::SetFillColor { col: black() });
    }

    /// Dark and light modules side by side over the whole of an area.
    pub(crate) fn bars(&mut self, area: Area, modules: &[bool]) {
        let count: f32 = modules.iter().map(|_| 1.0).sum();
        let module = area.w / count;
        let mut x = area.x;
        for run in modules.chunk_by(|a, b| a == b) {
            let width = run.iter().map(|_| module).sum();
            if run.first() == Some(&true) {
                self.fill(Area { x, w: width, ..area });
            }
            x += width;
        }
    }

    /// A picture over the whole of an area.
    pub(crate) fn picture(&mut self, id: &XObjectId, area: Area) {
        let corner = self.point(area.x, area.y + area.h);
        let (width, height): (Pt, Pt) = (Mm(area.w).into(), Mm(area.h).into());
        let transform = XObjectTransform {
            translate_x: Some(corner.x),
            translate_y: Some(corner.y),
            scale_x: Some(width.0),
            scale_y: Some(height.0),
            no_auto_scale: true,
            ..XObjectTransform::default()
        };
        self.ops.push(Op::UseXobject { id: id.clone(), transform });
    }
}
