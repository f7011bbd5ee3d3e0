//! Files that browsers send (`multipart/form-data`), taken out of the form while it comes, so that
//! no more than the file itself is held.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyDataStream;
use hyper::body::Body;
use hyper::header::CONTENT_TYPE;
use multer::{Constraints, Multipart, SizeLimit};
use shop_core::Error;
use shop_core::media::MAX_UPLOAD;
use shop_core::value::InvalidValue;

use crate::app::Head;
use crate::body::{self, RequestBody};
use crate::input::{Content, Input};
use crate::openapi::{Operation, Schemas};
use crate::portuguese::FieldTexts;
use crate::reply::Failure;

/// The field that holds the file.
const FIELD: &str = "file";
/// What a form may weigh around the file.
pub(crate) const AROUND: usize = 64 * 1024;
/// The largest form with a picture that is read.
pub(crate) const FORM_LIMIT: usize = MAX_UPLOAD + AROUND;
/// A file may take so many times as long as another body.
const PATIENCE: u32 = 4;

/// The one file of a form.
pub(crate) struct Upload(pub(crate) Bytes);

impl Input for Upload {
    const BODY: Content = Content::File;

    fn parse(_: &Head, file: &Bytes) -> Result<Self, Failure> {
        Ok(Self(file.clone()))
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.takes_file(FIELD);
    }
}

/// The content of the form's file.
///
/// # Errors
/// As [`body::read`], with more time; [`Failure::NotMultipart`] and [`Failure::MalformedForm`] for
/// what is no form, and the field's where there is not one file.
pub(crate) async fn read_file(
    head: &Head,
    mut body: RequestBody,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, Failure> {
    let content_type = head.parts.headers.get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let read = match multer::parse_boundary(content_type) {
        Ok(boundary) => {
            let reading = file(&mut body, boundary, limit);
            tokio::time::timeout(timeout * PATIENCE, reading).await
        }
        Err(_) => Ok(Err(Failure::NotMultipart)),
    };
    let read = read.unwrap_or(Err(Failure::TooSlow));
    if !matches!(
        read,
        Ok(_) | Err(Failure::BrokenBody | Failure::TooSlow | Failure::Shop(Error::Busy { .. }))
    ) {
        body::throw_away(&mut body, limit).await;
    }
    read
}

/// The content of the field, which must be there once.
async fn file(body: &mut RequestBody, boundary: String, limit: usize) -> Result<Bytes, Failure> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(Failure::TooLarge);
    }
    let largest = limit.saturating_sub(AROUND) as u64;
    let sizes = SizeLimit::new().whole_stream(limit as u64).for_field(FIELD, largest);
    let constraints = Constraints::new().size_limit(sizes);
    let mut form = Multipart::with_constraints(BodyDataStream::new(body), boundary, constraints);
    let mut file: Option<Vec<u8>> = None;
    while let Some(mut field) = form.next_field().await.map_err(|error| failure(&error))? {
        if field.name() != Some(FIELD) {
            continue;
        }
        if file.is_some() {
            return Err(Failure::Invalid(FieldTexts::of(FIELD, "Envie um arquivo por vez")));
        }
        let mut content = Vec::with_capacity(announced);
        while let Some(chunk) = field.chunk().await.map_err(|error| failure(&error))? {
            content.extend_from_slice(&chunk);
        }
        file = Some(content);
    }
    match file.filter(|content| !content.is_empty()) {
        Some(content) => Ok(content.into()),
        None => Err(Error::field(FIELD, InvalidValue::Required).into()),
    }
}

fn failure(error: &multer::Error) -> Failure {
    match error {
        multer::Error::FieldSizeExceeded { .. } | multer::Error::StreamSizeExceeded { .. } => {
            Failure::TooLarge
        }
        multer::Error::StreamReadFailed(error) => body::failure(&**error),
        _ => Failure::MalformedForm,
    }
}
