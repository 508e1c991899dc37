import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { BuiltFiles, sendBuiltFile } from "../built-files/built-files.js";

/** What `scripts/build/console.mjs` makes, seen from here as source and as built. */
const FOLDER = fileURLToPath(new URL("../../../dist/console", import.meta.url));

/** The routes beside the table: public, for people's browsers, outside the JSON envelope. */
export const CONSOLE_ROUTES: readonly Pick<RouteRow, "method" | "path">[] = [
  { method: "GET", path: "/console" },
  { method: "GET", path: "/console/*" },
];

/** Nothing from elsewhere, nothing inline, requests only back to this server, and no page around it. */
const CONSOLE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

const INDEX = "index.html";

/** Names of the build's files hold a digest; those of pages don't. */
const IMMUTABLE = /^assets\//;

const YEAR_SECONDS = 31_536_000;

export function registerConsole(app: FastifyInstance, files: BuiltFiles = new BuiltFiles(FOLDER)): void {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!files.has(INDEX))
      throw new FindlingError("not_found", "the console is not built; 'npm run build' does");
    const { "*": path = "" } = request.params as { readonly "*"?: string };
    // Paths that name no file are those of pages, to which the application finds its way by itself.
    const name = files.has(path) || IMMUTABLE.test(path) ? path : INDEX;
    const file = files.find(name, request.headers["accept-encoding"]);
    if (file === undefined) throw new FindlingError("not_found", "the console has no such file");
    return sendBuiltFile(request, reply, file, {
      ...CONSOLE_HEADERS,
      "cache-control": IMMUTABLE.test(name) ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
    });
  };
  for (const url of ["/console", "/console/*"]) {
    app.route({ method: "GET", url, schema: { hide: true }, handler: send });
  }
}
