import type { BooleanQuery, ExistsQuery, PhraseQuery, Query, TermQuery } from "../query.js";
import { WRITTEN_WEIGHT } from "../similarity/bm25-similarity.js";
import { BooleanWeight, type WeightClause } from "./boolean-weight.js";
import {
  COLUMN_KINDS,
  facetWeight,
  valueExistsWeight,
  valuePrefixWeight,
  valueRangeWeight,
  valueSetWeight,
} from "./column-weight.js";
import {
  AllDocumentsWeight,
  DocumentIdsWeight,
  NoDocumentWeight,
  TokensExistWeight,
} from "./filter-weight.js";
import { FuzzyPrefixWeight } from "./fuzzy-prefix-weight.js";
import { FuzzyWeight } from "./fuzzy-weight.js";
import { PhraseWeight } from "./phrase-weight.js";
import type { QueryBinding } from "./query-binding.js";
import { BoostWeight, ConstantScoreWeight } from "./rescoring-weights.js";
import { SynonymsWeight } from "./synonyms-weight.js";
import { prefixWeight, termRangeWeight } from "./term-range-weight.js";
import { TermWeight } from "./term-weight.js";
import type { Weight } from "./weight.js";
import { WordsWeight } from "./words-weight.js";

/**
 * Binds a query to a schema and statistics.
 *
 * @throws FindlingError `unknown_field`, `invalid_request` for a field of the wrong kind,
 * `invalid_field_value` for a value that the field cannot hold, `search_timeout`
 */
export function createWeight(query: Query, binding: QueryBinding): Weight {
  binding.beginClause();
  switch (query.kind) {
    case "match_all":
      return new AllDocumentsWeight();
    case "match_none":
      return new NoDocumentWeight();
    case "term":
      return termQueryWeight(query, 1, binding);
    case "phrase":
      return phraseWeight(query, 1, binding);
    case "prefix":
      return prefixWeight(query, binding);
    case "term_range":
      return termRangeWeight(query, binding);
    case "value_set":
      return valueSetWeight(query, binding);
    case "value_range":
      return valueRangeWeight(query, binding);
    case "value_prefix":
      return valuePrefixWeight(query, binding);
    case "facet":
      return facetWeight(query, binding);
    case "exists":
      return existsWeight(query, binding);
    case "fuzzy":
      return new FuzzyWeight(query, binding);
    case "fuzzy_prefix":
      return new FuzzyPrefixWeight(query, binding);
    case "synonyms":
      return new SynonymsWeight(query, createWeight(query.query, binding), binding);
    case "words":
      return new WordsWeight(
        query,
        query.readings.map((reading) => createWeight(reading.query, binding)),
        binding,
      );
    case "boolean":
      return booleanWeight(query, binding);
    case "boost":
      return boostWeight(query.query, query.factor, binding);
    case "constant_score":
      return new ConstantScoreWeight(createWeight(query.query, binding), query.score);
    case "document_ids":
      return new DocumentIdsWeight(query.ids);
  }
}

function booleanWeight({ clauses, minimumShouldMatch }: BooleanQuery, binding: QueryBinding): Weight {
  const bound: WeightClause[] = [];
  for (let i = 0; i < clauses.length; i++) {
    const { occur, query } = clauses[i]!;
    bound.push({ occur, weight: createWeight(query, binding) });
  }
  return new BooleanWeight(bound, minimumShouldMatch);
}

/** Terms and phrases take the factor into their weight, which spares a pass over every window. */
function boostWeight(query: Query, factor: number, binding: QueryBinding): Weight {
  switch (query.kind) {
    case "term":
      return termQueryWeight(query, factor, binding);
    case "phrase":
      return phraseWeight(query, factor, binding);
    case "boost":
      return boostWeight(query.query, query.factor * factor, binding);
    default:
      return new BoostWeight(createWeight(query, binding), factor);
  }
}

/** Where all documents with the stem hold the word, there is nothing to tell apart. */
function termQueryWeight({ field, term, written }: TermQuery, boost: number, binding: QueryBinding): Weight {
  const weight = new TermWeight(field, term, boost, binding);
  if (written === undefined) return weight;
  const { statistics } = binding;
  const docFreq = statistics.docFreq(field, written);
  if (docFreq === 0 || docFreq === statistics.docFreq(field, term)) return weight;
  const ownWeight = new TermWeight(field, written, WRITTEN_WEIGHT * boost, binding);
  return new BooleanWeight(
    [
      { occur: "should", weight },
      { occur: "should", weight: ownWeight },
    ],
    undefined,
  );
}

/** A phrase of only a prefix is a prefix, and one of nothing matches nothing. */
function phraseWeight(query: PhraseQuery, boost: number, binding: QueryBinding): Weight {
  const only = query.terms[0];
  if (only === undefined) return new NoDocumentWeight();
  if (query.terms.length > 1 || !query.lastIsPrefix) return new PhraseWeight(query, boost, binding);
  const prefix = prefixWeight({ kind: "prefix", field: query.field, prefix: only.term }, binding);
  return boost === 1 ? prefix : new BoostWeight(prefix, boost);
}

function existsWeight(query: ExistsQuery, binding: QueryBinding): Weight {
  const field = binding.field(query.field, ["text", ...COLUMN_KINDS]);
  return field.kind === "text" ? new TokensExistWeight(query.field) : valueExistsWeight(query, field);
}
