import type { IndexSchema } from "../../src/contract/index-schema.js";
import type { CatalogIndex } from "../../src/ports/catalog.js";

/** What a catalog keeps of an index with one field. */
export function indexNamed(name: string): CatalogIndex {
  const schema: IndexSchema = {
    name,
    fields: { title: { type: "text", required: false, stored: true, indexed: true, multi: false } },
    search_fields: ["title"],
    weight_multipliers: {},
    enable_language_stemming: false,
    exclude_stop_words: true,
    auto_commit_delay: 0,
    ai_enabled: false,
  };
  return { schema, storageId: `storage-of-${name}`, custom_stopwords: [], synonyms: {} };
}
