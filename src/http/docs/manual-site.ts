import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { BuiltFiles, sendBuiltFile } from "../built-files/built-files.js";
import { escapedHtml } from "./escaped-html.js";
import type { ManualHit, ManualSearch } from "./manual-search.js";
import { MANUAL_HEADERS } from "./page-headers.js";

/** What `scripts/build/manual/` makes, seen from here as source and as built. */
const FOLDER = fileURLToPath(new URL("../../../dist/manual", import.meta.url));

/** The routes beside the table: public, for people's browsers, outside the JSON envelope. */
export const MANUAL_ROUTES: readonly Pick<RouteRow, "method" | "path">[] = [
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/docs/*" },
  { method: "GET", path: "/docs/search" },
];

const SEARCH_PAGE = "search-page.html";
const QUERY_LENGTH_MAX = 200;

/** Files of the folder that are no pages. */
const INSIDE = new Set([SEARCH_PAGE, "sections.json"]);

export function registerManual(
  app: FastifyInstance,
  search: ManualSearch,
  files: BuiltFiles = new BuiltFiles(FOLDER),
): void {
  const notBuilt = (): FindlingError =>
    new FindlingError("not_found", "the manual is not built; 'npm run build' does. /docs/api is there");
  const requireBuilt = (): void => {
    if (!files.has("index.html")) throw notBuilt();
  };
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    requireBuilt();
    const { "*": path = "" } = request.params as { readonly "*"?: string };
    const name = path === "" ? "index.html" : files.has(path) ? path : `${path}.html`;
    const file = INSIDE.has(name) ? undefined : files.find(name, request.headers["accept-encoding"]);
    if (file === undefined)
      throw new FindlingError("not_found", "the manual has no such page; /docs has them all");
    return sendBuiltFile(request, reply, file, { ...MANUAL_HEADERS, "cache-control": "no-cache" });
  };
  const sendFound = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    requireBuilt();
    const { q, typing } = request.query as Readonly<Record<string, unknown>>;
    const text = typeof q === "string" ? q.slice(0, QUERY_LENGTH_MAX).trim() : "";
    const hits = text === "" ? [] : await search.search(text, typing === "1");
    const parts: Readonly<Record<string, string>> = {
      query: escapedHtml(text),
      results: resultsHtml(text, hits),
    };
    const frame = files.text(SEARCH_PAGE);
    if (frame === undefined) throw notBuilt();
    // In one go: what people type may look like a place for a part.
    const page = frame.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? "");
    reply.headers({ ...MANUAL_HEADERS, "cache-control": "no-cache" });
    return reply.type("text/html; charset=utf-8").send(page);
  };
  for (const { method, path } of MANUAL_ROUTES) {
    const handler = path === "/docs/search" ? sendFound : sendPage;
    app.route({ method, url: path, schema: { hide: true }, handler });
  }
}

function resultsHtml(text: string, hits: readonly ManualHit[]): string {
  const title = text === "" ? "Search the manual" : `“${escapedHtml(text)}” in the manual`;
  const said = text === "" ? "" : `<p role="status">${countText(hits.length)}</p>`;
  const items = hits.map(
    ({ address, page, heading, fragment }) =>
      `<li><a href="${escapedHtml(address)}">${escapedHtml(heading === "" ? page : `${page}: ${heading}`)}</a>${fragment === "" ? "" : `<p>${fragment}</p>`}</li>`,
  );
  return `<h1>${title}</h1>\n${said}\n<ul class="results">\n${items.join("\n")}\n</ul>`;
}

function countText(count: number): string {
  if (count === 0) return "Nothing was found. Fewer or other words may help.";
  return count === 1 ? "One place" : `${count} places`;
}
