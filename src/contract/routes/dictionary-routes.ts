import {
  stopwordsSchema,
  synonymDeletesSchema,
  synonymEntriesSchema,
  synonymListsSchema,
} from "../dictionary-bodies.js";
import { sentenceAnswer } from "../envelope.js";
import type { RouteRow } from "./route-row.js";
import { INGEST, ON_INDEX, SEARCH } from "./route-rules.js";

const ON_DICTIONARIES = { ...ON_INDEX, tag: "Dictionaries", access: INGEST } as const;

export const DICTIONARY_ROUTES: readonly RouteRow[] = [
  {
    ...ON_DICTIONARIES,
    operationId: "getSynonyms",
    method: "GET",
    path: "/index/:index_name/synonyms",
    summary: "Lists the synonyms of an index",
    access: SEARCH,
    answer: synonymListsSchema,
    mirrored: true,
  },
  {
    ...ON_DICTIONARIES,
    operationId: "addSynonyms",
    method: "POST",
    path: "/index/:index_name/synonyms",
    summary: "Adds synonyms; in force at once",
    body: synonymEntriesSchema,
    answer: sentenceAnswer("synonyms added"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteSynonyms",
    method: "DELETE",
    path: "/index/:index_name/synonyms",
    summary: "Deletes synonyms, by key or by pair",
    body: synonymDeletesSchema,
    answer: sentenceAnswer("synonyms deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteAllSynonyms",
    method: "DELETE",
    path: "/index/:index_name/synonyms/all",
    summary: "Deletes all synonyms of an index",
    answer: sentenceAnswer("all synonyms deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "getStopwords",
    method: "GET",
    path: "/index/:index_name/stopwords",
    summary: "Lists the stopwords in force: the language's and the custom ones",
    access: SEARCH,
    answer: stopwordsSchema,
  },
  {
    ...ON_DICTIONARIES,
    operationId: "addStopwords",
    method: "POST",
    path: "/index/:index_name/stopwords",
    summary: "Adds custom stopwords; in force at once",
    body: stopwordsSchema,
    answer: sentenceAnswer("stopwords added"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteStopwords",
    method: "DELETE",
    path: "/index/:index_name/stopwords",
    summary:
      "Deletes stopwords; those of the language's list become exceptions of the index, until they are added again",
    body: stopwordsSchema,
    answer: sentenceAnswer("stopwords deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteAllStopwords",
    method: "DELETE",
    path: "/index/:index_name/stopwords/all",
    summary: "Forgets all custom stopwords and exceptions",
    answer: sentenceAnswer("all stopwords deleted"),
  },
];
