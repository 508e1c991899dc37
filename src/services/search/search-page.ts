import type { SearchResult } from "../../contract/search.js";

/** A search's answer but for how long it took. */
export type SearchPage = Omit<SearchResult, "time_taken">;
