//! Native Tantivy in the benchmark's line protocol (`bench/README.md`): one JSON command a line on
//! standard input, one JSON answer a line on standard output. One thread.

mod collection;
mod deleted_document;
mod operation;
mod stopwatch;

use std::io::{BufRead, Write};
use std::time::Instant;

use serde::Deserialize;
use serde_json::{json, Value};

use crate::collection::{Collection, Layout};
use crate::operation::{Mode, Operation, QueryLine};

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
enum Command {
    Info,
    Build {
        input: String,
        dir: String,
        #[serde(flatten)]
        layout: Layout,
    },
    Open {
        dir: String,
    },
    /// The queries that later commands name by their place in this list.
    Queries {
        queries: Vec<QueryLine>,
    },
    Answers {
        mode: Mode,
        places: Vec<usize>,
    },
    Hot {
        mode: Mode,
        places: Vec<usize>,
    },
    Mixed {
        mode: Mode,
        places: Vec<usize>,
    },
    Quit,
}

fn main() -> tantivy::Result<()> {
    let mut opened: Option<Collection> = None;
    let mut operations: Vec<Option<Operation>> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let command = serde_json::from_str(&line?).expect("a command of the line protocol");
        let answer: Value = match command {
            Command::Info => json!({
                "engine": "tantivy",
                "version": "0.27.0",
                "modes": ["top10", "one_pass", "two_passes"],
                "comparableScores": true,
            }),
            Command::Build { input, dir, layout } => {
                let start = Instant::now();
                collection::build(&input, &dir, &layout)?;
                json!({ "build_s": start.elapsed().as_secs_f64() })
            }
            Command::Open { dir } => {
                let start = Instant::now();
                let collection = Collection::open(&dir)?;
                let open_s = start.elapsed().as_secs_f64();
                let answer = json!({
                    "open_s": open_s,
                    "docs": collection.searcher.num_docs(),
                    "segments": collection.searcher.segment_readers().len(),
                    "index_bytes": collection.bytes_on_disk.index,
                    "store_bytes": collection.bytes_on_disk.store,
                });
                opened = Some(collection);
                answer
            }
            Command::Queries { queries } => {
                let collection = opened.as_ref().expect("an open index");
                operations = queries
                    .iter()
                    .map(|query| Operation::of(query, collection))
                    .collect();
                json!({ "supported": operations.iter().map(Option::is_some).collect::<Vec<_>>() })
            }
            Command::Answers { mode, places } => {
                let collection = opened.as_ref().expect("an open index");
                let answers = places
                    .iter()
                    .map(|&place| operation_at(&operations, place).run(mode, collection))
                    .collect::<tantivy::Result<Vec<_>>>()?;
                json!({ "answers": answers })
            }
            Command::Hot { mode, places } => {
                let collection = opened.as_ref().expect("an open index");
                let mut times = Vec::with_capacity(places.len());
                for place in places {
                    let operation = operation_at(&operations, place);
                    times.push(stopwatch::hot(|| operation.run(mode, collection))?);
                }
                json!({ "times": times })
            }
            Command::Mixed { mode, places } => {
                let collection = opened.as_ref().expect("an open index");
                let mut times = Vec::with_capacity(places.len());
                for place in places {
                    let operation = operation_at(&operations, place);
                    times.push(stopwatch::once(|| operation.run(mode, collection))?);
                }
                json!({ "times": times })
            }
            Command::Quit => break,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn operation_at(operations: &[Option<Operation>], place: usize) -> &Operation {
    operations[place]
        .as_ref()
        .expect("a query of a kind that this engine answers")
}
