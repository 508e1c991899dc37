import type { IndexSchema } from "../../contract/index-schema.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";

/**
 * Settings under another name. A secret is sealed for its index's name: one that can be opened is sealed again for the new
 * name, and one that can't be is left out, unless the name stays and the right key may yet come.
 *
 * @returns besides, in sentences, what is missing
 */
export function renamedSchema(
  schema: IndexSchema,
  name: string,
  catalog: Pick<Catalog, "openLlmApiKey">,
): { readonly schema: IndexSchema; readonly missing: readonly string[] } {
  const { ai, ...settings } = schema;
  if (ai?.llm_api_key === undefined) return { schema: { ...schema, name }, missing: [] };
  const { llm_api_key: sealed, ...open } = ai;
  try {
    const secret = catalog.openLlmApiKey(schema.name, ai);
    const llm_api_key = name === schema.name ? sealed : secret;
    return {
      schema: { ...settings, name, ai: { ...open, ...(llm_api_key !== undefined && { llm_api_key }) } },
      missing: [],
    };
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    const isKept = name === schema.name;
    const missing = [isKept ? error.message : `${error.message}; it is left out of '${name}'`];
    return { schema: { ...settings, name, ai: isKept ? ai : open }, missing };
  }
}
