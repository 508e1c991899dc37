//! The index: how it is built, opened and weighed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::schema::{
    Facet, FacetOptions, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST, INDEXED,
    STORED,
};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument};

/// One writing thread's buffer: enough that a million short documents are one segment or few.
const WRITER_MEMORY_BYTES: usize = 500_000_000;

/// A line of the input.
#[derive(Deserialize)]
struct Row {
    /// Folded text.
    t: String,
    /// Number to sort by and to range over.
    n: u64,
    /// Facet paths.
    f: Vec<String>,
}

pub struct Fields {
    pub text: Field,
    pub number: Field,
    pub facet: Field,
}

pub struct BytesOnDisk {
    pub index: u64,
    pub store: u64,
}

pub struct Collection {
    pub searcher: Searcher,
    pub fields: Fields,
    pub bytes_on_disk: BytesOnDisk,
}

pub const NUMBER: &str = "n";
pub const FACET: &str = "f";
const TEXT: &str = "t";

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("default")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let text = builder.add_text_field(
        TEXT,
        TextOptions::default().set_indexing_options(indexing).set_stored(),
    );
    let number = builder.add_u64_field(NUMBER, FAST | INDEXED | STORED);
    let facet = builder.add_facet_field(FACET, FacetOptions::default().set_stored());
    (builder.build(), Fields { text, number, facet })
}

/// Builds an index of the file's rows: one thread, one segment in the end.
pub fn build(input: &str, dir: &str) -> tantivy::Result<()> {
    let (schema, fields) = schema();
    let index = Index::create_in_dir(dir, schema)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    for line in BufReader::with_capacity(1 << 20, File::open(input)?).lines() {
        let row: Row = serde_json::from_str(&line?).expect("a row of the input");
        let mut document = TantivyDocument::new();
        document.add_text(fields.text, &row.t);
        document.add_u64(fields.number, row.n);
        for path in &row.f {
            document.add_facet(fields.facet, Facet::from(path.as_str()));
        }
        writer.add_document(document)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
        writer.commit()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()
}

impl Collection {
    pub fn open(dir: &str) -> tantivy::Result<Collection> {
        let index = Index::open_in_dir(dir)?;
        let (_, fields) = schema();
        let searcher = index.reader()?.searcher();
        Ok(Collection {
            searcher,
            fields,
            bytes_on_disk: bytes_on_disk(Path::new(dir))?,
        })
    }
}

fn bytes_on_disk(dir: &Path) -> tantivy::Result<BytesOnDisk> {
    let mut bytes = BytesOnDisk { index: 0, store: 0 };
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let length = entry.metadata()?.len();
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "store")
        {
            bytes.store += length;
        } else {
            bytes.index += length;
        }
    }
    Ok(bytes)
}
