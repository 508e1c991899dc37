import { type Analyzer, POSITION_GAP } from "../../src/analysis/analyzer.js";
import type { CanonicalDocument, DocumentId } from "../../src/engine/schema/document.js";
import type { EngineSchema } from "../../src/engine/schema/engine-schema.js";
import { valuesOf } from "./naive-values.js";

/** A document with the tokens of its text fields, in whatever way they came about. */
export interface NaiveDocument {
  readonly id: DocumentId;
  readonly document: CanonicalDocument;
  readonly tokens: Readonly<Record<string, readonly NaiveToken[]>>;
}

export interface NaiveToken {
  readonly term: string;
  readonly position: number;
}

/** A document with the tokens that an analyzer gives for its indexed text fields. */
export function naiveDocument(
  schema: EngineSchema,
  analyzer: Analyzer,
  id: DocumentId,
  document: CanonicalDocument,
): NaiveDocument {
  const tokens: Record<string, NaiveToken[]> = {};
  for (const field of schema.fields) {
    if ((field.kind !== "text" && field.kind !== "label") || !field.indexed) continue;
    const found: NaiveToken[] = [];
    let base = 0;
    for (const text of valuesOf(document[field.name])) {
      const start = base;
      const positions = analyzer.analyzeStored(String(text), {
        token: (term, position) => found.push({ term, position: start + position }),
      });
      base = start + positions + POSITION_GAP;
    }
    tokens[field.name] = found;
  }
  return { id, document, tokens };
}
