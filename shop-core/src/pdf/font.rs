//! Widths of the two typefaces that printed pages are set in. The manual asks for Times New Roman;
//! the PDF's own Times has the same measures, and every reader brings it.

use printpdf::BuiltinFont;

/// A typeface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Regular,
    Bold,
}

/// Millimetres in a point.
pub(crate) const POINT: f32 = 25.4 / 72.0;

impl Face {
    pub(crate) fn builtin(self) -> BuiltinFont {
        match self {
            Self::Regular => BuiltinFont::TimesRoman,
            Self::Bold => BuiltinFont::TimesBold,
        }
    }

    /// How wide a text is, in millimetres.
    pub(crate) fn width(self, size: f32, text: &str) -> f32 {
        let widths = match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
        };
        let sum: f32 = text.chars().map(|c| f32::from(glyph(widths, c))).sum();
        sum / 1000.0 * size * POINT
    }

    /// The text in lines that are at most so wide. Breaks at blanks, and inside a word only where
    /// it fits no line by itself.
    pub(crate) fn wrap(self, size: f32, width: f32, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in text.lines() {
            let mut line = String::new();
            for word in paragraph.split_whitespace() {
                self.append(size, width, word, &mut line, &mut lines);
            }
            lines.push(line);
        }
        lines
    }

    fn append(self, size: f32, width: f32, word: &str, line: &mut String, lines: &mut Vec<String>) {
        let fits = |text: &str| self.width(size, text) <= width;
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&joined) {
            *line = joined;
            return;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(line));
        }
        for letter in word.chars() {
            line.push(letter);
            if !fits(line) && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::take(line));
                line.push(letter);
            }
        }
    }

    /// The text as far as it goes into a width.
    pub(crate) fn cut(self, size: f32, width: f32, text: &str) -> String {
        let mut cut = text.to_owned();
        while self.width(size, &cut) > width && cut.pop().is_some() {}
        cut
    }
}

/// ASCII from the blank on, then Latin-1 from the blank on: an invoice's texts have no others.
fn glyph(widths: &[u16; 191], letter: char) -> u16 {
    let code = u32::from(letter);
    let index = match code {
        0x20..=0x7E => code - 0x20,
        0xA0..=0xFF => code - 0xA0 + 95,
        _ => u32::from(b'?') - 0x20,
    };
    widths[index as usize]
}

const REGULAR: [u16; 191] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
    250, 333, 500, 500, 500, 500, 200, 500, 333, 760, 276, 500, 564, 333, 760, 333, 400, 564, 300,
    300, 333, 500, 453, 250, 333, 300, 310, 500, 750, 750, 750, 444, 722, 722, 722, 722, 722, 722,
    889, 667, 611, 611, 611, 611, 333, 333, 333, 333, 722, 722, 722, 722, 722, 722, 722, 564, 722,
    722, 722, 722, 722, 722, 556, 500, 444, 444, 444, 444, 444, 444, 667, 444, 444, 444, 444, 444,
    278, 278, 278, 278, 500, 500, 500, 500, 500, 500, 500, 564, 500, 500, 500, 500, 500, 500, 500,
    500,
];

const BOLD: [u16; 191] = [
    250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667,
    611, 778, 778, 389, 500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722,
    722, 667, 333, 278, 333, 581, 500, 333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556,
    278, 833, 556, 500, 556, 556, 444, 389, 333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520,
    250, 333, 500, 500, 500, 500, 220, 500, 333, 747, 300, 500, 570, 333, 747, 333, 400, 570, 300,
    300, 333, 556, 540, 250, 333, 300, 330, 500, 750, 750, 750, 500, 722, 722, 722, 722, 722, 722,
    1000, 722, 667, 667, 667, 667, 389, 389, 389, 389, 722, 722, 778, 778, 778, 778, 778, 570, 778,
    722, 722, 722, 722, 722, 611, 556, 500, 500, 500, 500, 500, 500, 722, 444, 444, 444, 444, 444,
    278, 278, 278, 278, 500, 556, 500, 500, 500, 500, 500, 570, 500, 556, 556, 556, 556, 500, 556,
    500,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_never_wider_than_asked_and_lose_nothing() {
        let text = "VELA AROMÁTICA de 200 g; SUPERCALIFRAGILISTICOEXPIALIDOSO ção";
        for width in [8.0, 15.0, 40.0] {
            let lines = Face::Regular.wrap(6.0, width, text);
            assert!(lines.iter().all(|line| Face::Regular.width(6.0, line) <= width));
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&lines.concat()), letters(text));
        }
    }

    #[test]
    fn widths_are_those_of_times() {
        // 722 + 500 + 278 thousandths at 10 points.
        let width = Face::Regular.width(10.0, "A0i");
        assert!((width - 1.5 * 10.0 * POINT).abs() < 1e-4, "{width}");
        assert!((Face::Bold.width(1.0, "Ç") - 0.722 * POINT).abs() < 1e-4);
    }
}
