//! What the workload asks, bound to Tantivy's queries and collectors.

use std::cell::Cell;
use std::ops::Bound;

use serde::{Deserialize, Serialize};
use tantivy::collector::{Collector, Count, FacetCollector, FacetCounts, TopDocs};
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery,
};
use tantivy::schema::{Facet, IndexRecordOption, Term};
use tantivy::{DocAddress, Order, Score, Searcher, TantivyDocument};

use crate::collection::{Collection, FACET, NUMBER};

const HITS: usize = 10;

/// A query as the line protocol says it; which members there are depends on the kind.
#[derive(Deserialize)]
pub struct QueryLine {
    kind: String,
    #[serde(default)]
    terms: Vec<String>,
    #[serde(default)]
    distance: u8,
    #[serde(default)]
    lower: u64,
    #[serde(default)]
    upper: u64,
    #[serde(default)]
    docs: Vec<u32>,
    #[serde(default)]
    path: String,
}

/// What is wanted of a ranked query. Tantivy has two ways to a ranking with an exact count: both
/// collectors in one pass, which can't skip, or a pruned ranking and a count of its own.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Top10,
    OnePass,
    TwoPasses,
}

#[derive(Serialize, Default)]
pub struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// Documents in order, those of all segments numbered in a row.
    docs: Vec<u32>,
    scores: Vec<Score>,
    /// Numbers that a sorted answer is in the order of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<u64>,
    /// Top-level facets with their counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facets: Vec<(String, u64)>,
}

pub enum Operation {
    Ranked(Box<dyn Query>),
    Counted(Box<dyn Query>),
    Facets(Box<dyn Query>),
    Sorted(Box<dyn Query>),
    /// The ten best together with facets, as a shop's page shows them.
    Page(Box<dyn Query>),
    /// Documents to read in turn, ten a call, and where the next call goes on: other ones each time, so that
    /// no cache of the last blocks is what is measured.
    Stored(Vec<DocAddress>, Cell<usize>),
}

impl Operation {
    /// None for a kind that Tantivy has no query for.
    pub fn of(line: &QueryLine, collection: &Collection) -> Option<Operation> {
        let fields = &collection.fields;
        let term = |word: &String| Term::from_field_text(fields.text, word);
        let word = |word: &String| -> Box<dyn Query> {
            Box::new(TermQuery::new(term(word), IndexRecordOption::WithFreqs))
        };
        let all_of = |occur: Occur| -> Box<dyn Query> {
            Box::new(BooleanQuery::new(
                line.terms.iter().map(|text| (occur, word(text))).collect(),
            ))
        };
        // Without words: all documents.
        let matching = || -> Box<dyn Query> {
            match line.terms.first() {
                Some(text) => Box::new(TermQuery::new(term(text), IndexRecordOption::Basic)),
                None => Box::new(AllQuery),
            }
        };
        let range = || -> Box<dyn Query> {
            Box::new(RangeQuery::new(
                Bound::Included(Term::from_field_u64(fields.number, line.lower)),
                Bound::Included(Term::from_field_u64(fields.number, line.upper)),
            ))
        };
        Some(match line.kind.as_str() {
            "term" => Operation::Ranked(word(&line.terms[0])),
            "and" => Operation::Ranked(all_of(Occur::Must)),
            "or" => Operation::Ranked(all_of(Occur::Should)),
            "phrase" => Operation::Ranked(Box::new(PhraseQuery::new(line.terms.iter().map(term).collect()))),
            // A swap of neighbours is one edit.
            "fuzzy" => Operation::Ranked(Box::new(FuzzyTermQuery::new(
                term(&line.terms[0]),
                line.distance,
                true,
            ))),
            // A range over the dictionary: quicker than an automaton that ends in "anything".
            "prefix" => Operation::Ranked(Box::new(RangeQuery::new(
                Bound::Included(term(&line.terms[0])),
                Bound::Excluded(Term::from_field_text(fields.text, &successor(&line.terms[0]))),
            ))),
            "range" => Operation::Counted(range()),
            "term_range" => Operation::Ranked(Box::new(BooleanQuery::new(vec![
                (Occur::Must, word(&line.terms[0])),
                (Occur::Must, Box::new(ConstScoreQuery::new(range(), 0.0))),
            ]))),
            "filtered_page" => {
                let path = Term::from_facet(fields.facet, &Facet::from(line.path.as_str()));
                let filter = Box::new(TermQuery::new(path, IndexRecordOption::Basic));
                let mut clauses: Vec<(Occur, Box<dyn Query>)> =
                    line.terms.iter().map(|text| (Occur::Must, word(text))).collect();
                clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(filter, 0.0))));
                Operation::Page(Box::new(BooleanQuery::new(clauses)))
            }
            "facets" => Operation::Facets(matching()),
            "sort" => Operation::Sorted(matching()),
            "stored" => {
                let addresses = line.docs.iter().map(|&doc| collection.address_of(doc)).collect();
                Operation::Stored(addresses, Cell::new(0))
            }
            _ => return None,
        })
    }

    pub fn run(&self, mode: Mode, collection: &Collection) -> tantivy::Result<Answer> {
        let searcher = &collection.searcher;
        match self {
            Operation::Ranked(query) => {
                let top = TopDocs::with_limit(HITS).order_by_score();
                let (hits, count) = counted(mode, searcher, query, top)?;
                Ok(Answer {
                    count,
                    ..ranked(collection, &hits)
                })
            }
            Operation::Page(query) => {
                let top = TopDocs::with_limit(HITS).order_by_score();
                let facets = root_facets();
                let (hits, count, facets) = match mode {
                    Mode::Top10 => {
                        let (hits, facets) = searcher.search(query, &(top, facets))?;
                        (hits, None, facets)
                    }
                    Mode::OnePass => {
                        let (hits, count, facets) = searcher.search(query, &(top, Count, facets))?;
                        (hits, Some(count as u64), facets)
                    }
                    Mode::TwoPasses => {
                        let hits = searcher.search(query, &top)?;
                        let (count, facets) = searcher.search(query, &(Count, facets))?;
                        (hits, Some(count as u64), facets)
                    }
                };
                Ok(Answer {
                    count,
                    facets: listed(&facets),
                    ..ranked(collection, &hits)
                })
            }
            Operation::Counted(query) => Ok(Answer {
                count: Some(searcher.search(query, &Count)? as u64),
                ..Answer::default()
            }),
            Operation::Facets(query) => {
                let (facets, count) = counted(mode, searcher, query, root_facets())?;
                Ok(Answer {
                    count,
                    facets: listed(&facets),
                    ..Answer::default()
                })
            }
            Operation::Sorted(query) => {
                let top = TopDocs::with_limit(HITS).order_by_fast_field::<u64>(NUMBER, Order::Desc);
                let (hits, count) = counted(mode, searcher, query, top)?;
                Ok(Answer {
                    count,
                    docs: hits
                        .iter()
                        .map(|&(_, address)| collection.number_of(address))
                        .collect(),
                    numbers: hits.iter().map(|(number, _)| number.unwrap_or(0)).collect(),
                    ..Answer::default()
                })
            }
            Operation::Stored(addresses, next) => {
                let start = next.get();
                next.set((start + HITS) % addresses.len());
                let mut docs = Vec::with_capacity(HITS);
                for &address in &addresses[start..start + HITS] {
                    let document: TantivyDocument = searcher.doc(address)?;
                    docs.push(document.len() as u32);
                }
                Ok(Answer {
                    docs,
                    ..Answer::default()
                })
            }
        }
    }
}

/// What a collector gives, and how many documents match if the mode asks for that.
fn counted<C: Collector>(
    mode: Mode,
    searcher: &Searcher,
    query: &dyn Query,
    collector: C,
) -> tantivy::Result<(C::Fruit, Option<u64>)> {
    match mode {
        Mode::Top10 => Ok((searcher.search(query, &collector)?, None)),
        Mode::OnePass => {
            let (fruit, count) = searcher.search(query, &(collector, Count))?;
            Ok((fruit, Some(count as u64)))
        }
        Mode::TwoPasses => {
            let fruit = searcher.search(query, &collector)?;
            Ok((fruit, Some(query.count(searcher)? as u64)))
        }
    }
}

fn ranked(collection: &Collection, hits: &[(Score, DocAddress)]) -> Answer {
    Answer {
        docs: hits
            .iter()
            .map(|&(_, address)| collection.number_of(address))
            .collect(),
        scores: hits.iter().map(|(score, _)| *score).collect(),
        ..Answer::default()
    }
}

/// Counts the top level of the facets.
fn root_facets() -> FacetCollector {
    let mut collector = FacetCollector::for_field(FACET);
    collector.add_facet("/");
    collector
}

fn listed(counts: &FacetCounts) -> Vec<(String, u64)> {
    counts
        .get("/")
        .map(|(facet, count)| (facet.to_path_string(), count))
        .collect()
}

/// The first string after all that begin with an ASCII prefix.
fn successor(prefix: &str) -> String {
    let mut bytes = prefix.as_bytes().to_vec();
    *bytes.last_mut().expect("a prefix that isn't empty") += 1;
    String::from_utf8(bytes).expect("ASCII")
}
