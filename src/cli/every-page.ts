import type { FindlingClient, SearchAnswer } from "../client/index.js";
import { CliError } from "./cli-error.js";
import { formatCount, formatCounted } from "./terminal/format-amount.js";

export type Page = SearchAnswer<Record<string, unknown>>;

/** The server's greatest `limit` by default. */
const PAGE_SIZE = 200;
const PAGE_TIMEOUT_MS = 300_000;

/**
 * The first page of all documents that match, in a cursor: every page is as of the moment of the first, and none is
 * slower for being far behind.
 *
 * @param query in the query language
 */
export function firstPage(client: FindlingClient, index: string, query: string): Promise<Page> {
  const body = { query: { exact: { ctx: query } }, limit: PAGE_SIZE, cursor: true };
  return client.searchIndex(index, body, { timeoutMs: PAGE_TIMEOUT_MS });
}

/** The first page and all that follow. @throws CliError `incomplete` where the server knows no cursors */
export async function* everyPage(client: FindlingClient, index: string, first: Page): AsyncGenerator<Page> {
  let documents = 0;
  for (let page = first; ; ) {
    documents += page.hits.length;
    yield page;
    if (page.cursor === undefined) break;
    page = await client.searchIndex(index, { cursor: page.cursor }, { timeoutMs: PAGE_TIMEOUT_MS });
  }
  // A server that knows no cursors answers as if none had been asked for.
  if (documents === first.count) return;
  throw new CliError(
    "incomplete",
    `the server gave ${formatCount(documents)} of ${formatCounted(first.count, "document")}; use the findling of the server's own version`,
  );
}
