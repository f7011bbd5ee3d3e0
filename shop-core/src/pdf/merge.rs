//! Several PDF files as one, page after page.

use std::collections::BTreeMap;

use lopdf::{Document, Object, ObjectId, dictionary};

use crate::error::{Error, Result};

/// Which of several files is no PDF that can be read, from 0.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) usize);

/// The pages of all files, in their order; which file cannot be read, in the inner result.
pub(crate) fn merge(files: &[Vec<u8>]) -> Result<Result<Vec<u8>, Unreadable>> {
    let mut merged = Document::with_version("1.5");
    let pages_id = merged.new_object_id();
    let mut pages: Vec<ObjectId> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let Ok(found) = append(&mut merged, file, pages_id) else {
            return Ok(Err(Unreadable(place)));
        };
        pages.extend(found);
    }
    save(merged, pages_id, &pages).map(Ok)
}

/// Takes a file's pages over, and tells their ids.
fn append(merged: &mut Document, file: &[u8], pages_id: ObjectId) -> lopdf::Result<Vec<ObjectId>> {
    let mut part = Document::load_mem(file)?;
    part.renumber_objects_with(merged.max_id + 1);
    let of_part: BTreeMap<u32, ObjectId> = part.get_pages();
    let mut pages = Vec::new();
    for id in of_part.into_values() {
        let page = own(&part, id)?;
        part.objects.insert(id, with_parent(page, pages_id));
        pages.push(id);
    }
    if pages.is_empty() {
        return Err(lopdf::Error::PageNumberNotFound(1));
    }
    merged.max_id = part.max_id;
    merged.objects.extend(part.objects);
    Ok(pages)
}

fn save(mut merged: Document, pages_id: ObjectId, pages: &[ObjectId]) -> Result<Vec<u8>> {
    let kids: Vec<Object> = pages.iter().map(|id| Object::Reference(*id)).collect();
    let count = i64::try_from(kids.len()).unwrap_or(i64::MAX);
    let tree = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    merged.objects.insert(pages_id, Object::Dictionary(tree));
    let catalog = merged.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages_id });
    merged.trailer.set("Root", catalog);
    // The catalogues and page trees of the parts are left behind.
    merged.prune_objects();
    merged.renumber_objects();
    let mut out = Vec::new();
    merged.save_to(&mut out).map_err(Error::from_source)?;
    Ok(out)
}

/// A page with what it takes over from the tree that it stood in.
fn own(part: &Document, id: ObjectId) -> lopdf::Result<lopdf::Dictionary> {
    const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];
    /// How deep a tree of pages is; a file may lead in a circle.
    const DEPTH: usize = 32;
    let mut page = part.get_dictionary(id)?.clone();
    let mut above = page.get(b"Parent").and_then(Object::as_reference).ok();
    for _ in 0..DEPTH {
        let Some(node) = above.and_then(|id| part.get_dictionary(id).ok()) else { break };
        for key in INHERITED {
            if !page.has(key)
                && let Ok(value) = node.get(key)
            {
                page.set(key, value.clone());
            }
        }
        above = node.get(b"Parent").and_then(Object::as_reference).ok();
    }
    Ok(page)
}

fn with_parent(mut page: lopdf::Dictionary, parent: ObjectId) -> Object {
    page.set("Parent", parent);
    Object::Dictionary(page)
}
