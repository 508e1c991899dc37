import type { FastifyInstance, FastifyRequest } from "fastify";
import type { OperationId } from "../../contract/route-table.js";
import { BodyBudget } from "./body-budget.js";
import { type BodyLimits, readJsonBody } from "./read-json-body.js";

/** The share of all bodies' memory that is kept from documents: a flood of them leaves searches alone. */
const OTHER_BODIES_SHARE = 1 / 8;

/** Those whose handlers know what to do with an `UnreadBody`. */
const TAKES_UNREAD_BODIES: ReadonlySet<OperationId> = new Set<OperationId>(["addDocuments"]);

/** Memory that bodies may take, by what a route takes. */
export type BodyBudgets = Readonly<Record<keyof BodyLimits, BodyBudget>>;

/** @param bytesMax of all running requests together */
export function bodyBudgets(bytesMax: number): BodyBudgets {
  return {
    documents: new BodyBudget(bytesMax * (1 - OTHER_BODIES_SHARE)),
    standard: new BodyBudget(bytesMax * OTHER_BODIES_SHARE),
  };
}

/** Makes the server read bodies as routes want them, with what they take in memory leased from the budgets. */
export function readBodies(app: FastifyInstance, limits: BodyLimits, budgets: BodyBudgets): void {
  app.decorateRequest("bodyLease", null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const row = request.routeOptions.config.row;
    if (row === undefined || row.body === null) {
      request.raw.resume();
      return undefined;
    }
    const lease = budgets[row.bodyLimit].lease();
    try {
      const body = await readJsonBody(
        request.raw,
        request.sentContentType,
        limits[row.bodyLimit],
        lease,
        TAKES_UNREAD_BODIES.has(row.operationId),
      );
      request.bodyLease = lease;
      return body;
    } catch (error) {
      lease.release();
      throw error;
    }
  });
}
