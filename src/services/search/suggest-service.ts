import { parsedDocument } from "../../contract/document-json.js";
import { parseSuggestQuery, type Suggestions } from "../../contract/suggest.js";
import { SuggestionCollector } from "../../query/suggestion-collector.js";
import { requireIndex } from "../indexes/require-index.js";
import type { SearchServicePorts } from "./search-service.js";

/** Documents that completions are gathered from: what is frequent among the best is frequent enough. */
const DOCUMENTS_MAX = 100;

/** Ways to go on with what someone types, from an index's own words and titles. An extension. */
export class SuggestService {
  readonly #ports: Pick<SearchServicePorts, "catalog" | "backend" | "queryContexts">;

  constructor(ports: Pick<SearchServicePorts, "catalog" | "backend" | "queryContexts">) {
    this.#ports = ports;
  }

  /**
   * @param query members of the URL's query
   * @throws FindlingError `index_not_found`; then `invalid_request`, `limit_too_large`
   */
  async suggest(indexName: string, query: Readonly<Record<string, unknown>>): Promise<Suggestions> {
    const { catalog, backend, queryContexts } = this.#ports;
    const index = requireIndex(catalog, indexName);
    const { text, limit, ignoredMembers } = parseSuggestQuery(query);
    const ignored = ignoredMembers === undefined ? {} : { ignored_members: ignoredMembers };
    const collector = new SuggestionCollector(queryContexts.of(index), text);
    if (collector.ast === null) return { completions: [], titles: [], ...ignored };
    const { hits } = await backend.search(index.storageId, {
      ast: collector.ast,
      offset: 0,
      limit: DOCUMENTS_MAX,
      facets: [],
    });
    for (const { documentId, docJson } of hits) {
      collector.add(documentId, parsedDocument(docJson));
    }
    return { completions: collector.completions(limit), titles: collector.titles(limit), ...ignored };
  }
}
