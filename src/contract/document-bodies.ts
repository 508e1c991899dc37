import Type, { type TSchema } from "typebox";
import { invalidMember, queryFlag } from "./invalid-member.js";
import { schemaOf } from "./wire-schema.js";

/** The answer to added documents (contract 3.3). */
export interface DocumentsAdded {
  readonly success: true;
  readonly detail: string;
  /** Documents that are new; with a primary key neither those that replaced others nor those that were overwritten. */
  readonly num_added: number;
  /** Documents of before the request that gave way; only where the index has a primary key. */
  readonly num_replaced?: number;
  /** The new internal ids in input order; null where a later document of the request has the same primary key. */
  readonly ids: readonly (string | null)[];
  /** Bad documents that were left out; only with `on_error=skip`. */
  readonly num_skipped?: number;
  /** What was wrong with each, at most 1,000; likewise. */
  readonly errors?: readonly SkippedDocument[];
  /** At most 20 names of members that the schema doesn't have; absent if there were none. */
  readonly ignored_fields?: readonly string[];
}

/** The answer to documents that were changed. */
export interface DocumentsUpdated {
  readonly success: true;
  readonly detail: string;
  readonly num_updated: number;
  /** Documents that weren't there; only with `upsert`. */
  readonly num_added: number;
  /** The documents' internal ids in input order. */
  readonly ids: readonly string[];
  readonly ignored_fields?: readonly string[];
}

/** A document that was left out, by the first thing that is wrong with it. */
export interface SkippedDocument {
  /** Its place, such as `[3].rating`, the first document being 0. */
  readonly path: string;
  readonly message: string;
  /** The line of a body of lines, from 1. */
  readonly line?: number;
}

/** The answer to every delete. */
export interface DocumentsRemoved {
  readonly success: true;
  readonly detail: string;
  /** Documents matched at the time of the request. */
  readonly num_removed: number;
}

/** One document by its internal id: its stored fields, and the four members of a hit, which win. */
export interface DocumentView {
  readonly [field: string]: unknown;
  readonly doc: Readonly<Record<string, unknown>>;
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
  /** Only if asked for: what a partial update can be bound to. */
  readonly version?: string;
}

const document = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Members that the index's schema doesn't name are dropped. Integers of u64, i64, text and json fields keep all their digits, and come back as they were sent, numbers as numbers and strings as strings; many clients round those beyond ±(2^53-1). Paths of facet fields have at most 64 levels and 4096 bytes.",
  examples: [{ id: "1", title: "Human World", year: 2024, category: "/fiction/space" }],
});

export const documentsBodySchema: TSchema = Type.Union([Type.Array(document, { minItems: 1 }), document]);

/** What the URL of a request that adds documents may say. */
export const addDocumentsQuerySchema: TSchema = Type.Object({
  on_error: Type.Optional(
    Type.Enum(["abort", "skip"], {
      default: "abort",
      description: "Extension. `skip`: bad documents are left out and named, the others are added.",
    }),
  ),
});

/** Whether bad documents are left out. @throws FindlingError `invalid_request` */
export function skipsBadDocuments(query: Readonly<Record<string, unknown>>): boolean {
  const value = Object.hasOwn(query, "on_error") ? query["on_error"] : "abort";
  if (value === "skip" || value === "abort" || value === "") return value === "skip";
  throw invalidMember("on_error", "must be abort or skip");
}

export const documentsAddedSchema: TSchema = schemaOf<DocumentsAdded>()(
  Type.Object(
    {
      success: Type.Literal(true),
      detail: Type.String(),
      num_added: Type.Integer({ description: "Documents that are new." }),
      num_replaced: Type.Optional(
        Type.Integer({
          description: "Documents of before that gave way; shown where the index has a primary key.",
        }),
      ),
      ids: Type.Array(Type.Union([Type.String(), Type.Null()]), {
        description:
          "The new internal ids in input order; null where a later document has the same primary key.",
      }),
      num_skipped: Type.Optional(
        Type.Integer({ description: "Extension, with `on_error=skip`: bad documents that were left out." }),
      ),
      errors: Type.Optional(
        Type.Array(
          Type.Object({ path: Type.String(), message: Type.String(), line: Type.Optional(Type.Integer()) }),
          { maxItems: 1_000, description: "Extension, likewise: what was wrong with each." },
        ),
      ),
      ignored_fields: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    },
    {
      examples: [
        {
          success: true,
          detail: "changes accepted; commit or roll back to finish",
          num_added: 1,
          ids: ["9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f"],
        },
      ],
    },
  ),
);

export const documentsRemovedSchema: TSchema = schemaOf<DocumentsRemoved>()(
  Type.Object(
    {
      success: Type.Literal(true),
      detail: Type.String(),
      num_removed: Type.Integer({ description: "Documents matched at the time of the request." }),
    },
    {
      examples: [
        { success: true, detail: "deletion accepted; commit or roll back to finish", num_removed: 1 },
      ],
    },
  ),
);

const change = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "The primary key, or `_id`, and the members to change: null takes a value away, an array is replaced as a whole, what isn't named stays. `_version` is the version that the document must have.",
  examples: [{ sku: "A-1", price: 9.5, note: null }],
});

export const changesBodySchema: TSchema = Type.Union([Type.Array(change, { minItems: 1 }), change]);

export const changesQuerySchema: TSchema = Type.Object({
  upsert: Type.Optional(
    Type.Boolean({ default: false, description: "Whether documents that aren't there are added." }),
  ),
});

/** @throws FindlingError `invalid_request` */
export function parseChangesQuery(query: Readonly<Record<string, unknown>>): boolean {
  return queryFlag(query, "upsert");
}

export const documentsUpdatedSchema: TSchema = schemaOf<DocumentsUpdated>()(
  Type.Object(
    {
      success: Type.Literal(true),
      detail: Type.String(),
      num_updated: Type.Integer(),
      num_added: Type.Integer({ description: "Documents that weren't there, with `upsert`." }),
      ids: Type.Array(Type.String(), { description: "The documents' internal ids in input order." }),
      ignored_fields: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    },
    {
      examples: [
        {
          success: true,
          detail: "changes accepted; commit or roll back to finish",
          num_updated: 1,
          num_added: 0,
          ids: ["9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f"],
        },
      ],
    },
  ),
);

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const deleteByFieldBodySchema: TSchema = Type.Record(
  Type.String(),
  Type.Union([scalar, Type.Array(scalar)]),
  {
    minProperties: 1,
    maxProperties: 1,
    description:
      "Exactly one field, and the value or values of which any may match; integers with all their digits.",
    examples: [{ id: "1" }, { id: ["1", "2"] }],
  },
);

/** What the URL of a request for one document may say. */
export const documentQuerySchema: TSchema = Type.Object({
  version: Type.Optional(
    Type.Enum(["true", "false"], {
      default: "false",
      description: "Extension. Whether the answer tells the document's `version`, for partial updates.",
    }),
  ),
});

/** Whether a document's version is asked for. @throws FindlingError `invalid_request` */
export function parseDocumentQuery(query: Readonly<Record<string, unknown>>): boolean {
  return queryFlag(query, "version");
}

export const documentViewSchema: TSchema = Type.Object(
  {
    doc: Type.Record(Type.String(), Type.Unknown()),
    document_id: Type.String(),
    score: Type.Number(),
    source_index: Type.String(),
    version: Type.Optional(Type.String({ description: "Extension. Only with `?version=true`." })),
  },
  {
    additionalProperties: true,
    description: "A hit, with the document's stored fields next to its members.",
    examples: [
      {
        id: "5",
        title: "T",
        doc: { id: "5", title: "T" },
        document_id: "9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f",
        score: 1,
        source_index: "books",
      },
    ],
  },
);
