import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { CORPORA_FOLDER } from "../corpus.js";
import type { Judgements } from "./metrics.js";

const CRANFIELD_FOLDER = join(CORPORA_FOLDER, "cranfield");

export interface JudgedDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  readonly judgements: Judgements;
}

/** Documents, and queries with what is relevant to each. */
export interface JudgedCollection {
  readonly documents: readonly JudgedDocument[];
  readonly queries: readonly JudgedQuery[];
}

/**
 * The Cranfield collection: abstracts on aerodynamics, questions and judgements graded 1 to 4
 * (Cleverdon, 1967). Null where it isn't beside the project: it has no licence to be passed on under.
 */
export function loadCranfield(folder: string = CRANFIELD_FOLDER): JudgedCollection | null {
  if (!existsSync(folder)) return null;
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const judgements = new Map<string, Map<string, number>>();
  for (const line of read("qrels.tsv").toString().split("\n")) {
    const [query, document, grade] = line.split("\t");
    if (query === undefined || document === undefined || grade === undefined) continue;
    const judged = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, judged.set(document, Math.max(Number(grade), judged.get(document) ?? 0)));
  }
  const documents = jsonLines<JudgedDocument>(gunzipSync(read("docs.jsonl.gz")).toString());
  const queries = jsonLines<{ id: string; text: string }>(read("queries.jsonl").toString());
  return {
    documents: documents.map(({ id, title, text: body }) => ({ id, title, text: body })),
    queries: queries.flatMap((query) => {
      const judged = judgements.get(query.id);
      return judged === undefined ? [] : [{ id: query.id, text: query.text, judgements: judged }];
    }),
  };
}

function jsonLines<T>(lines: string): T[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
