import { fromEngineSchema } from "../adapters/embedded/from-engine-schema.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { describeKind } from "../contract/wire-object.js";
import type { EngineSchema } from "../engine/server-door.js";
import { indexQueryContext } from "../query/index-query-context.js";
import type { SearchedIndex } from "../query/searched-index.js";
import { refuse, requireText, requireTexts, requireWeights } from "./require-shape.js";
import type { TextSettings } from "./text-settings.js";

/** As a server's are, unless it is told otherwise. */
const LIMITS = { depthMax: 64, termsMax: 20_000 };

/** Indexes of a server have names; this one is known by what holds it. */
const NAME = "this index";

/**
 * What searches on an index are compiled with.
 *
 * @throws FindlingError `invalid_request` naming the setting, `unknown_field`
 */
export function searchedIndexOf(schema: EngineSchema, settings: TextSettings): SearchedIndex {
  const base = fromEngineSchema(NAME, schema);
  const { searchFields, weights, synonyms = {}, stopwords = [], suggestField } = settings;
  const wire: IndexSchema = {
    ...base,
    analysis_version: schema.analyzer.version,
    ...(schema.analyzer.symbols === undefined ? {} : { symbols: schema.analyzer.symbols }),
    search_fields:
      searchFields === undefined
        ? base.search_fields
        : knownFields(base, "searchFields", requireTexts("searchFields", searchFields)),
    weight_multipliers: weights === undefined ? {} : weightsOf(base, weights),
    exclude_stop_words: stopwords !== false,
    ...(suggestField === undefined
      ? {}
      : {
          suggest_field: knownFields(base, "suggestField", [requireText("suggestField", suggestField)])[0]!,
        }),
  };
  return indexQueryContext(
    wire,
    {
      custom_stopwords: stopwords === false ? [] : requireTexts("stopwords", stopwords),
      synonyms: synonymsOf(synonyms),
    },
    LIMITS,
  );
}

/** @throws FindlingError `invalid_request`, `unknown_field` */
export function weightsOf(schema: IndexSchema, weights: unknown): Readonly<Record<string, number>> {
  const given = requireWeights("weights", weights);
  knownFields(schema, "weights", Object.keys(given));
  return given;
}

/** @throws FindlingError `unknown_field` */
export function knownFields(
  { fields }: IndexSchema,
  where: string,
  names: readonly string[],
): readonly string[] {
  for (const name of names) {
    if (!Object.hasOwn(fields, name))
      refuse(
        `${where}: there is no field '${name}'${nearestNameAdvice(name, Object.keys(fields))}`,
        "unknown_field",
      );
  }
  return names;
}

function synonymsOf(synonyms: unknown): Readonly<Record<string, readonly string[]>> {
  if (typeof synonyms !== "object" || synonyms === null || Array.isArray(synonyms))
    refuse(`synonyms must be an object of lists by word, not ${describeKind(synonyms)}`);
  for (const [word, others] of Object.entries(synonyms)) requireTexts(`synonyms.${word}`, others);
  return synonyms as Readonly<Record<string, readonly string[]>>;
}
