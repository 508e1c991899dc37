import type { FastifyInstance } from "fastify";
import { ROUTE_TABLE, type RouteRow } from "../contract/route-table.js";
import { SentBody } from "../contract/sent-body.js";
import { UnreadBody } from "../intake/unread-body.js";
import type { Authority } from "../services/keys/authority.js";
import type { KeyService } from "../services/keys/key-service.js";
import { authorize } from "./authorize.js";
import { releaseBody } from "./body/release-body.js";
import { ByteStream, sendByteStream } from "./byte-stream.js";
import type { ClientAddresses } from "./client-addresses.js";
import { openApiOperation } from "./docs/open-api-operation.js";
import { EventStream } from "./event-stream/event-stream.js";
import type { EventStreams } from "./event-stream/event-streams.js";
import { WrittenAnswer } from "./json-text.js";
import { sendParts } from "./parts-stream.js";
import { ResponseCaller } from "./request-caller.js";
import { requestClient } from "./request-client.js";
import type { RouteHandlers } from "./route-handler.js";
import { JSON_TYPE, successAnswer } from "./success-answer.js";
import { sendTextStream, TextStream } from "./text-stream.js";
import type { UnreadAnswers } from "./unread-answers.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler runs. */
    authority: Authority | null;
  }

  interface FastifyContextConfig {
    /** The route's row; absent on the documentation's own routes. */
    row?: RouteRow;
  }
}

/**
 * Registers exactly the routes of the table. Keys, permissions and scope are checked before the body
 * is read (contract 1.6); what the body must look like is checked by the services, after existence.
 *
 * @throws TypeError if a row has no handler
 */
export function registerRoutes(
  app: FastifyInstance,
  services: {
    readonly keys: KeyService;
    readonly handlers: RouteHandlers;
    readonly streams: EventStreams;
    readonly addresses: ClientAddresses;
    readonly unread: UnreadAnswers;
  },
): void {
  for (const row of ROUTE_TABLE) {
    const handler = services.handlers[row.operationId];
    if (handler === undefined) throw new TypeError(`the route ${row.method} ${row.path} has no handler`);
    app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>({
      method: row.method,
      url: row.path,
      config: { row },
      schema: openApiOperation(row),
      onRequest: (request, _reply, done) => {
        request.authority = authorize(services.keys, row, {
          authorizationHeader: request.headers.authorization,
          parameters: request.params,
        });
        done();
      },
      handler: async (request, reply) => {
        try {
          const answer = await handler({
            authority: request.authority!,
            client: requestClient(request.headers, services.addresses.of(request.raw)),
            caller: new ResponseCaller(reply.raw),
            parameters: request.params,
            query: request.query,
            body: request.body,
            sentBody: SentBody.ofValue(request.body),
          });
          if (answer instanceof EventStream) return services.streams.send(reply, answer);
          if (answer instanceof TextStream) return await sendTextStream(reply, answer);
          if (answer instanceof ByteStream) return await sendByteStream(reply, answer);
          const parts = answer instanceof WrittenAnswer ? answer.parts() : null;
          if (parts !== null) return sendParts(reply, parts, services.unread);
          return reply.type(JSON_TYPE).send(successAnswer(answer, row.mirrored));
        } finally {
          if (request.body instanceof UnreadBody) releaseBody(request.body.bytes);
          request.bodyLease?.release();
        }
      },
    });
  }
}
