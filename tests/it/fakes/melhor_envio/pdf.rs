//! The label on paper: a PDF of one page that says its code.

use std::fmt::Write;

pub(crate) fn of(text: &str) -> Vec<u8> {
    let drawn = format!("BT /F1 24 Tf 40 500 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 298 420] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut pdf = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(pdf.len());
        let _ = write!(pdf, "{number} 0 obj\n{object}\nendobj\n");
    }
    let table = pdf.len();
    let _ = write!(pdf, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(pdf, "{place:010} 00000 n ");
    }
    let _ = write!(
        pdf,
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    pdf.into_bytes()
}
