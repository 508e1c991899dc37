import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { errorEnvelope } from "../../contract/envelope.js";
import { ROUTE_TABLE, type RouteRow } from "../../contract/route-table.js";
import { PAGE_SCRIPT, PAGE_STYLE } from "./documentation-assets.js";
import { documentationPage } from "./documentation-page.js";
import { ERROR_SCHEMA_ID, KEY_SCHEME } from "./open-api-operation.js";
import { PAGE_HEADERS } from "./page-headers.js";

/** The routes beside the table: public, for people and tools, outside the JSON envelope. */
export const DOCUMENTATION_ROUTES: readonly Pick<RouteRow, "method" | "path">[] = [
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/docs/api" },
  { method: "GET", path: "/docs/page.js" },
  { method: "GET", path: "/docs/page.css" },
];

export function registerDocumentation(app: FastifyInstance, version: string): void {
  let openApi: string | undefined;
  const page = documentationPage(ROUTE_TABLE, version);
  const content: Readonly<Record<string, { readonly type: string; readonly text: () => string }>> = {
    "/openapi.json": { type: "application/json; charset=utf-8", text: () => (openApi ??= openApiText(app)) },
    "/docs/api": { type: "text/html; charset=utf-8", text: () => page },
    "/docs/page.js": { type: "text/javascript; charset=utf-8", text: () => PAGE_SCRIPT },
    "/docs/page.css": { type: "text/css; charset=utf-8", text: () => PAGE_STYLE },
  };
  for (const { method, path } of DOCUMENTATION_ROUTES) {
    const { type, text } = content[path]!;
    app.route({
      method,
      url: path,
      schema: { hide: true },
      handler: async (_request, reply) =>
        reply
          .headers({ ...PAGE_HEADERS, "cache-control": "no-cache" })
          .type(type)
          .send(text()),
    });
  }
}

/** Collects the OpenAPI 3.1 document from the routes registered after it. */
export async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  app.addSchema({ $id: ERROR_SCHEMA_ID, ...errorEnvelope });
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Findling",
        description:
          "Search server: JSON documents in named indexes, full-text queries over them. Every success answers `{status, data}` with status 200, every error `{status, message, data}`.",
        version,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      tags: [
        { name: "Health", description: "Whether the service is up, and how it fares" },
        { name: "Indexes", description: "Schemas and settings" },
        { name: "Documents", description: "What is searched; writes are pending until commit" },
        { name: "Search", description: "Full-text queries" },
        { name: "Backups", description: "Make, check and restore backups" },
        { name: "Transactions", description: "Commit or roll back pending writes" },
        { name: "Federations", description: "Groups of indexes that are searched as one" },
        { name: "Keys", description: "Who may do what" },
      ],
      components: {
        securitySchemes: {
          [KEY_SCHEME]: {
            type: "apiKey",
            in: "header",
            name: "Authorization",
            description: "The access key itself, or `Bearer` and the key.",
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema["$id"] === "string" ? schema["$id"] : `schema-${index}`,
    },
  });
}

/** The document as text; stable for equal routes. */
export function openApiText(app: FastifyInstance): string {
  return `${JSON.stringify(app.swagger(), null, 2)}\n`;
}
