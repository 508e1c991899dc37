import Type, { type TSchema } from "typebox";
import { type AiConfig, aiConfigSchema } from "./ai-config.js";
import { DATETIME_PRECISIONS, type DatetimePrecision, FIELD_TYPES, type FieldType } from "./index-schema.js";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** A field as a caller defines it; the defaults of contract 4.2 are not filled in. */
export interface FieldDraft {
  readonly type: FieldType;
  readonly required?: boolean;
  readonly stored?: boolean;
  readonly indexed?: boolean;
  readonly fast?: boolean;
  readonly multi?: boolean;
  readonly precision?: DatetimePrecision;
  readonly coerce?: boolean;
  readonly format?: string;
  readonly separator?: string;
  readonly path_separator?: string;
  readonly hierarchical?: boolean;
}

/** A field as a change of an index's fields names it: a new one with its type, or what is to be another way. */
export type FieldPatchDraft = Partial<FieldDraft>;

/** The settings that PATCH may change (contract 3.2), as a caller gives them. */
export interface IndexSettingsDraft {
  readonly search_fields?: readonly string[];
  readonly weight_multipliers?: Readonly<Record<string, number>>;
  readonly language?: string;
  readonly enable_language_stemming?: boolean;
  readonly exclude_stop_words?: boolean;
  readonly auto_commit_delay?: number;
  readonly time_decay_field?: string;
  readonly ingestion?: unknown;
  readonly ai_enabled?: boolean;
  readonly ai?: AiConfig;
}

/** The settings beyond the specification: given at creation and by PUT, changed by PATCH of `/settings`. */
export interface IndexExtensionsDraft {
  readonly fold_diacritics?: boolean;
  readonly symbols?: string;
  readonly suggest_field?: string;
  readonly primary_key?: string;
}

/** An index as a caller defines it: after the quirks of the body are settled, before defaults and rules. */
export interface IndexDraft extends IndexSettingsDraft, IndexExtensionsDraft {
  readonly name?: string;
  readonly fields: Readonly<Record<string, FieldDraft>>;
}

/** Members of a field beyond the specification, each shown where it is set. */
export interface FieldExtensionsView {
  readonly coerce?: true;
  readonly format?: string;
  readonly separator?: string;
  readonly path_separator?: string;
  readonly hierarchical?: false;
}

/** A field as answers list it: members in alphabetical order (contract 3.2). */
export interface FieldView extends FieldExtensionsView {
  readonly fast?: boolean;
  readonly indexed: boolean;
  readonly multi: boolean;
  readonly precision?: DatetimePrecision;
  readonly required: boolean;
  readonly stored: boolean;
  readonly type: FieldType;
}

/** An index as `GET /index/:index_name` answers it. */
export interface IndexView {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldView>>;
  readonly search_fields: readonly string[];
  readonly weight_multipliers: Readonly<Record<string, number>>;
  readonly language?: string;
  readonly enable_language_stemming: boolean;
  /** Shown where it is on. */
  readonly fold_diacritics?: boolean;
  /** Shown where there are any. */
  readonly symbols?: string;
  /** Shown where it is set. */
  readonly suggest_field?: string;
  /** Shown where it is set. */
  readonly primary_key?: string;
  readonly exclude_stop_words: boolean;
  readonly auto_commit_delay: number;
  readonly time_decay_field?: string;
  readonly ingestion?: unknown;
  /** Only for callers with bit 16. */
  readonly ai_enabled?: boolean;
  /** The key masked. */
  readonly ai?: AiConfig;
}

export interface IndexNames {
  readonly index_names: readonly string[];
}

export interface IndexStats {
  /** Committed documents. */
  readonly document_count: number;
}

export interface AllIndexStats {
  readonly index_count: number;
  /** Each element has exactly one member, named after its index. */
  readonly indices: readonly Readonly<Record<string, IndexStats>>[];
  readonly total_document_count: number;
}

const precision = Type.Enum([...DATETIME_PRECISIONS]);

const fieldExtensions = {
  coerce: Type.Optional(
    Type.Boolean({
      description:
        "Values are taken as databases and spreadsheets write them: numbers in quotes, `yes` and `0`, `2023-12-31 23:59:59`. Default false.",
    }),
  ),
  format: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "With `coerce`: how numbers (`1.234,56`) or times (`DD.MM.YYYY`) are written besides the usual ways.",
      examples: ["DD.MM.YYYY"],
    }),
  ),
  separator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8,
      description: "With `coerce` and `multi`: what stands between the values where one text holds several.",
      examples: ["|"],
    }),
  ),
  path_separator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8,
      description: "With `coerce`, for facets: what stands between levels in place of a slash.",
      examples: [">"],
    }),
  ),
  hierarchical: Type.Optional(
    Type.Boolean({
      description:
        "For facets: false takes any text as one value, slashes included, which may be ordered by and searched. Default true.",
    }),
  ),
};

const fieldMembers = {
  required: Type.Optional(
    Type.Boolean({ description: "A document without a value is refused. Default false." }),
  ),
  stored: Type.Optional(Type.Boolean({ description: "Results carry the value. Default true." })),
  indexed: Type.Optional(Type.Boolean({ description: "Queries may name the field. Default true." })),
  fast: Type.Optional(Type.Boolean({ description: "Results may be ordered by it. Default true." })),
  multi: Type.Optional(Type.Boolean({ description: "Holds several values, as an array. Default false." })),
  precision: Type.Optional(precision),
  ...fieldExtensions,
};

const fieldDraftSchema: TSchema = schemaOf<FieldDraft>()(
  Type.Object({ type: Type.Enum([...FIELD_TYPES]), ...fieldMembers }),
);

const fieldPatchSchema: TSchema = schemaOf<FieldPatchDraft>()(
  Type.Object({
    type: Type.Optional(Type.Enum([...FIELD_TYPES], { description: "Needed for a new field." })),
    ...fieldMembers,
  }),
);

const settingsProperties = {
  search_fields: Type.Optional(
    Type.Array(Type.String(), {
      description: "Searched where a query names no field. Default: every indexed text field but `id`.",
    }),
  ),
  weight_multipliers: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 100 }), {
      description: "Relevance weight of a field; 1 where missing.",
    }),
  ),
  language: Type.Optional(
    Type.String({
      description: "Two lower-case letters; selects the stopwords and the stemmer.",
      examples: ["en"],
    }),
  ),
  enable_language_stemming: Type.Optional(
    Type.Boolean({ description: "Needs a `language` that has a stemmer. Default false." }),
  ),
  exclude_stop_words: Type.Optional(Type.Boolean({ description: "Default true." })),
  auto_commit_delay: Type.Optional(
    Type.Number({
      minimum: 0,
      description: "Seconds after the last write; 0 is off, up to 1 commits before the write is answered.",
    }),
  ),
  time_decay_field: Type.Optional(
    Type.String({ description: "An indexed and fast datetime field: older documents score less." }),
  ),
  ingestion: Type.Optional(Type.Unknown({ description: "Any JSON: kept and returned, without effect." })),
  ai_enabled: Type.Optional(
    Type.Boolean({ description: "Needs a key that may modify indexes. Default false." }),
  ),
};

const extensionProperties = {
  fold_diacritics: Type.Optional(
    Type.Boolean({ description: "Whether `cafe` and `café` are one word. Default false." }),
  ),
  symbols: Type.Optional(
    Type.String({
      maxLength: 16,
      description: "Signs that are part of words, so that `C++` and `C#` are words of their own.",
      examples: ["+#"],
    }),
  ),
  suggest_field: Type.Optional(
    Type.String({
      description:
        "The stored text field that suggestions take titles from. Default: the search field of the greatest weight.",
    }),
  ),
  primary_key: Type.Optional(
    Type.String({
      description:
        "A field of one value, of type text, u64 or i64, which every document then needs: a document that is added takes the place of the one with the same value. Text is compared as a whole, with its case.",
      examples: ["sku"],
    }),
  ),
};

/** Fields of an index that is created or replaced; those of before may have more. */
export const FIELDS_MAX = 2_000;

const fieldMap = Type.Record(Type.String(), Type.Unsafe<FieldDraft>(fieldDraftSchema), {
  description: `At most ${FIELDS_MAX}.`,
});
const ai = Type.Optional(Type.Unsafe<AiConfig>(aiConfigSchema));

export const indexDraftSchema: WireSchema<IndexDraft> = schemaOf<IndexDraft>()(
  Type.Object(
    {
      name: Type.Optional(Type.String({ description: "Required in POST." })),
      fields: fieldMap,
      ...settingsProperties,
      ...extensionProperties,
      ai,
    },
    {
      examples: [
        {
          name: "books",
          search_fields: ["title"],
          fields: {
            id: { type: "text" },
            title: { type: "text" },
            year: { type: "u64" },
            category: { type: "facet" },
          },
          auto_commit_delay: 1,
        },
      ],
    },
  ),
);

/** What `POST /index` and `PUT /index/:index_name` document; what else they accept is in `index-body.ts`. */
export const indexBodySchema: TSchema = Type.Object({
  override_if_exists: Type.Optional(
    Type.Boolean({
      description: "POST only: replace an index of that name with all its documents. Default false.",
    }),
  ),
  index: indexDraftSchema,
});

export const indexPatchSchema: WireSchema<IndexSettingsDraft> = schemaOf<IndexSettingsDraft>()(
  Type.Object({ ...settingsProperties, ai }, { examples: [{ weight_multipliers: { title: 2 } }] }),
);

export const indexExtensionsSchema: WireSchema<IndexExtensionsDraft> = schemaOf<IndexExtensionsDraft>()(
  Type.Object(extensionProperties, { examples: [{ symbols: "+#", fold_diacritics: true }] }),
);

/** Fields by name: new ones, and what changes of others. */
export const fieldsPatchSchema: WireSchema<Readonly<Record<string, FieldPatchDraft>>> = schemaOf<
  Readonly<Record<string, FieldPatchDraft>>
>()(
  Type.Record(Type.String(), Type.Unsafe<FieldPatchDraft>(fieldPatchSchema), {
    description:
      "Fields that are added, and those of which `stored`, `fast`, `indexed` or how values are read changes.",
    examples: [{ colour: { type: "text" } }],
  }),
);

export const indexViewSchema: TSchema = schemaOf<IndexView>()(
  Type.Object({
    name: Type.String(),
    fields: Type.Record(
      Type.String(),
      Type.Object({
        fast: Type.Optional(Type.Boolean()),
        indexed: Type.Boolean(),
        multi: Type.Boolean(),
        precision: Type.Optional(precision),
        required: Type.Boolean(),
        stored: Type.Boolean(),
        type: Type.Enum([...FIELD_TYPES]),
        ...fieldExtensions,
        coerce: Type.Optional(Type.Literal(true)),
        hierarchical: Type.Optional(Type.Literal(false)),
      }),
    ),
    search_fields: Type.Array(Type.String()),
    weight_multipliers: Type.Record(Type.String(), Type.Number()),
    language: Type.Optional(Type.String()),
    enable_language_stemming: Type.Boolean(),
    fold_diacritics: Type.Optional(Type.Boolean({ description: "Shown where it is on." })),
    symbols: Type.Optional(Type.String({ description: "Shown where there are any." })),
    suggest_field: Type.Optional(Type.String({ description: "Shown where it is set." })),
    primary_key: Type.Optional(Type.String({ description: "Shown where it is set." })),
    exclude_stop_words: Type.Boolean(),
    auto_commit_delay: Type.Number(),
    time_decay_field: Type.Optional(Type.String()),
    ingestion: Type.Optional(Type.Unknown()),
    ai_enabled: Type.Optional(Type.Boolean({ description: "Shown to keys that may modify indexes." })),
    ai,
  }),
);

export const indexNamesSchema: TSchema = schemaOf<IndexNames>()(
  Type.Object(
    { index_names: Type.Array(Type.String()) },
    { examples: [{ index_names: ["books", "films"] }] },
  ),
);

const indexStats = Type.Object({ document_count: Type.Integer({ description: "Committed documents." }) });
export const indexStatsSchema: TSchema = schemaOf<IndexStats>()(indexStats);

export const allIndexStatsSchema: TSchema = schemaOf<AllIndexStats>()(
  Type.Object(
    {
      index_count: Type.Integer(),
      indices: Type.Array(Type.Record(Type.String(), indexStats)),
      total_document_count: Type.Integer(),
    },
    {
      examples: [
        {
          index_count: 2,
          indices: [{ books: { document_count: 100 } }, { films: { document_count: 250 } }],
          total_document_count: 350,
        },
      ],
    },
  ),
);
