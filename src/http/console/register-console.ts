import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { ConsoleFiles } from "./console-files.js";

/** The routes beside the table: public, for people's browsers, outside the JSON envelope. */
export const CONSOLE_ROUTES: readonly Pick<RouteRow, "method" | "path">[] = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/console" },
  { method: "GET", path: "/console/*" },
];

/** Nothing from elsewhere, nothing inline, requests only back to this server, and no page around it. */
const CONSOLE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: "Accept-Encoding",
};

const YEAR_SECONDS = 31_536_000;

export function registerConsole(app: FastifyInstance, files: ConsoleFiles = new ConsoleFiles()): void {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!files.isBuilt)
      throw new FindlingError("not_found", "the console is not built; 'npm run build' does");
    const { "*": path = "" } = request.params as { readonly "*"?: string };
    const file = files.at(path, request.headers["accept-encoding"]);
    if (file === undefined) throw new FindlingError("not_found", "the console has no such file");
    reply.headers({
      ...CONSOLE_HEADERS,
      "cache-control": file.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
      ...(file.encoding === undefined ? {} : { "content-encoding": file.encoding }),
    });
    return reply.type(file.type).send(file.bytes);
  };
  for (const url of ["/console", "/console/*"]) {
    app.route({ method: "GET", url, schema: { hide: true }, handler: send });
  }
  app.route({
    method: "GET",
    url: "/",
    schema: { hide: true },
    handler: async (request, reply) => {
      if (request.headers.accept?.includes("text/html") === true) return reply.redirect("/console", 302);
      throw new FindlingError(
        "not_found",
        "there is nothing at this path; /docs on this server shows what there is",
      );
    },
  });
}
