import type { FastifyInstance } from "fastify";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import type { KnownRoute } from "../route-matching.js";
import { PAGE_SCRIPT, PAGE_STYLE } from "./documentation-assets.js";
import { documentationPage } from "./documentation-page.js";
import { openApiText } from "./register-open-api.js";

/** The routes beside the table: public, for people and tools, outside the JSON envelope. */
export const DOCUMENTATION_ROUTES: readonly KnownRoute[] = [
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/docs/page.js" },
  { method: "GET", path: "/docs/page.css" },
];

/** Nothing from elsewhere, nothing inline, requests only back to this server. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

export function registerDocumentation(app: FastifyInstance, version: string): void {
  let openApi: string | undefined;
  const page = documentationPage(ROUTE_TABLE, version);
  const content: Readonly<Record<string, { readonly type: string; readonly text: () => string }>> = {
    "/openapi.json": { type: "application/json; charset=utf-8", text: () => (openApi ??= openApiText(app)) },
    "/docs": { type: "text/html; charset=utf-8", text: () => page },
    "/docs/page.js": { type: "text/javascript; charset=utf-8", text: () => PAGE_SCRIPT },
    "/docs/page.css": { type: "text/css; charset=utf-8", text: () => PAGE_STYLE },
  };
  for (const { method, path } of DOCUMENTATION_ROUTES) {
    const { type, text } = content[path]!;
    app.route({
      method,
      url: path,
      schema: { hide: true },
      handler: async (_request, reply) => reply.headers(PAGE_HEADERS).type(type).send(text()),
    });
  }
}
