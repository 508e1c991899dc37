import type { SearchBody } from "../../client/index.js";
import { writeJson } from "../../json/exact-json.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface SearchOptions extends ConnectionOptions {
  readonly mode: "fuzzy" | "exact" | "dynamic";
  readonly limit: number;
  readonly offset: number;
  readonly fields?: readonly string[];
  readonly orderBy?: string;
  readonly federation?: boolean;
}

/** Characters of a value on a line for people. */
const VALUE_MAX = 100;

/** `findling search INDEX QUERY`: the hits, best first, and how many match. */
export async function runSearch(
  target: string,
  query: string,
  options: SearchOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const { mode, limit, offset, fields, orderBy, federation = false } = options;
  const clause = { ctx: query };
  const body: SearchBody = {
    query: mode === "fuzzy" ? { fuzzy: clause } : mode === "exact" ? { exact: clause } : { dynamic: clause },
    limit,
    offset,
    ...(fields === undefined ? {} : { fields }),
    ...(orderBy === undefined ? {} : { order_by: orderBy }),
  };
  const answer = federation
    ? await client.searchFederation(target, body)
    : await client.searchIndex(target, body);
  const { hits, count, time_taken: seconds } = answer;
  const lines = hits.map(({ doc, document_id: id, score }, place) => {
    const values = Object.entries(doc as Record<string, unknown>).map(
      ([name, value]) => `    ${name}: ${short(typeof value === "string" ? value : writeJson(value))}`,
    );
    return [`${offset + place + 1}. ${id}  ${score.toFixed(3)}`, ...values].join("\n");
  });
  const tally = `${formatCounted(count, "document")}, ${(seconds * 1000).toFixed(1)} ms`;
  output.result(answer, [...lines, tally].join("\n\n"));
}

/** In one line. */
function short(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > VALUE_MAX ? `${line.slice(0, VALUE_MAX)}…` : line;
}
