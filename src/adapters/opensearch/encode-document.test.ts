import { expect, test } from "vitest";
import { ANALYSIS_VERSION } from "../../analysis/analyzer.js";
import type { EngineField, EngineSchema } from "../../engine/server-door.js";
import { DocumentEncoder, newLife } from "./encode-document.js";
import { documentsDefinition } from "./index-mapping.js";

const field = (name: string, kind: EngineField["kind"], more: Partial<EngineField> = {}): EngineField => ({
  name,
  kind,
  indexed: true,
  stored: true,
  multi: false,
  ...more,
});
const SCHEMA: EngineSchema = {
  fields: [
    field("isbn", "text", { keyed: true }),
    field("title", "text"),
    field("shelf", "facet"),
    field("code", "keyword"),
    field("pages", "u64"),
    field("rest", "opaque"),
  ],
  analyzer: { version: ANALYSIS_VERSION },
};

test("whole values are kept of what documents are found by as a whole: of text, only of a key", () => {
  const document = { isbn: "1-2", title: "Two Tales", shelf: "/a/b", code: "x", pages: 3, rest: { any: 1 } };
  const { source } = new DocumentEncoder(SCHEMA).encode(document, newLife("books", 1, 7));
  const stored = JSON.parse(source) as { readonly v: object; readonly t: object; readonly has: object };
  expect(Object.keys(stored.v)).toEqual(["isbn", "code", "pages"]);
  expect(stored.t).toEqual({ isbn: ["1 2"], title: ["two tales"] });
  expect(stored.has).toEqual(["isbn", "title", "shelf", "code", "pages"]);
});

test("the cluster's index has a part for every one that is written, and no other of whole values", () => {
  const { mappings } = documentsDefinition(SCHEMA, { shards: 1, replicas: 0 });
  const { v: wholes } = mappings["properties"] as { readonly v: { readonly properties: object } };
  expect(Object.keys(wholes.properties)).toEqual(["isbn", "code", "pages"]);
});
