//! The index: how it is built, opened and weighed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use tantivy::index::SegmentId;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::schema::{
    Facet, FacetOptions, Field, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
    FAST, INDEXED, STORED,
};
use tantivy::tokenizer::{SimpleTokenizer, TextAnalyzer};
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument, Term};

use crate::deleted_document::is_deleted;

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

/// How the index is cut, and how much of it is deleted.
#[derive(Deserialize)]
pub struct Layout {
    /// Of equal slices of the input, in its order.
    segments: usize,
    /// Share of the documents.
    deleted: f64,
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
    /// By segment, how many documents there are in those before it.
    pub segment_starts: Vec<u32>,
    pub fields: Fields,
    pub bytes_on_disk: BytesOnDisk,
}

pub const NUMBER: &str = "n";
pub const FACET: &str = "f";
const TEXT: &str = "t";
/// The text is folded, and tantivy's own tokenizers leave out words of 40 bytes and more.
const WORDS: &str = "words";
/// 1 in documents that are to be deleted; only there where the layout deletes any.
const DELETED: &str = "deleted";

fn schema() -> (SchemaBuilder, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(WORDS)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let text = builder.add_text_field(
        TEXT,
        TextOptions::default().set_indexing_options(indexing).set_stored(),
    );
    let number = builder.add_u64_field(NUMBER, FAST | INDEXED | STORED);
    let facet = builder.add_facet_field(FACET, FacetOptions::default().set_stored());
    (builder, Fields { text, number, facet })
}

/// Builds an index of the file's rows: one thread, as many segments as the layout says.
pub fn build(input: &str, dir: &str, layout: &Layout) -> tantivy::Result<()> {
    let (mut builder, fields) = schema();
    let deleted = (layout.deleted > 0.0).then(|| builder.add_u64_field(DELETED, INDEXED));
    let index = Index::create_in_dir(dir, builder.build())?;
    let words = TextAnalyzer::builder(SimpleTokenizer::default()).build();
    index.tokenizers().register(WORDS, words);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let slice_length = match layout.segments {
        1 => usize::MAX,
        segments => line_count(input)?.div_ceil(segments),
    };
    let mut finished: Vec<SegmentId> = Vec::new();
    for (ordinal, line) in lines(input)?.enumerate() {
        if ordinal > 0 && ordinal % slice_length == 0 {
            finish_slice(&index, &mut writer, &mut finished)?;
        }
        let row: Row = serde_json::from_str(&line?).expect("a row of the input");
        let mut document = TantivyDocument::new();
        document.add_text(fields.text, &row.t);
        document.add_u64(fields.number, row.n);
        for path in &row.f {
            document.add_facet(fields.facet, Facet::from(path.as_str()));
        }
        if let Some(field) = deleted.filter(|_| is_deleted(ordinal as u32, layout.deleted)) {
            document.add_u64(field, 1);
        }
        writer.add_document(document)?;
    }
    finish_slice(&index, &mut writer, &mut finished)?;
    if let Some(field) = deleted {
        writer.delete_term(Term::from_field_u64(field, 1));
        writer.commit()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()
}

/// Commits what was added since the last slice as one segment.
fn finish_slice(
    index: &Index,
    writer: &mut IndexWriter,
    finished: &mut Vec<SegmentId>,
) -> tantivy::Result<()> {
    writer.commit()?;
    let mut slice = index.searchable_segment_ids()?;
    slice.retain(|id| !finished.contains(id));
    if slice.len() > 1 {
        writer.merge(&slice).wait()?;
        writer.commit()?;
    }
    *finished = index.searchable_segment_ids()?;
    Ok(())
}

fn lines(input: &str) -> std::io::Result<impl Iterator<Item = std::io::Result<String>>> {
    Ok(BufReader::with_capacity(1 << 20, File::open(input)?).lines())
}

fn line_count(input: &str) -> std::io::Result<usize> {
    Ok(lines(input)?.count())
}

impl Collection {
    /// Numbers the documents of all segments in a row.
    pub fn number_of(&self, address: DocAddress) -> u32 {
        self.segment_starts[address.segment_ord as usize] + address.doc_id
    }

    pub fn address_of(&self, number: u32) -> DocAddress {
        let segment = self.segment_starts.partition_point(|&start| start <= number) - 1;
        DocAddress::new(segment as u32, number - self.segment_starts[segment])
    }

    pub fn open(dir: &str) -> tantivy::Result<Collection> {
        let index = Index::open_in_dir(dir)?;
        let (_, fields) = schema();
        let searcher = index.reader()?.searcher();
        let mut next = 0;
        let segment_starts = searcher
            .segment_readers()
            .iter()
            .map(|segment| {
                let start = next;
                next += segment.max_doc();
                start
            })
            .collect();
        Ok(Collection {
            searcher,
            segment_starts,
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
