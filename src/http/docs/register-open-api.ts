import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { errorEnvelope } from "../../contract/envelope.js";
import { ERROR_SCHEMA_ID, KEY_SCHEME } from "./open-api-operation.js";

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
