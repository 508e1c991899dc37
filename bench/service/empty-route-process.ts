/** A Fastify server whose only route does nothing but answer: what HTTP itself takes. */
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { answerCommands } from "../summaries/part.js";

export interface EmptyRouteCommand {
  /** How long the answers to `POST /0`, `POST /1` and so on are. */
  readonly answerBytes: readonly number[];
}

export interface EmptyRouteResult {
  readonly url: string;
  readonly pid: number;
}

answerCommands(async ({ answerBytes }: EmptyRouteCommand): Promise<EmptyRouteResult> => {
  const answers = answerBytes.map(
    (length) => `{"status":200,"data":"${"x".repeat(Math.max(0, length - 23))}"}`,
  );
  const app = fastify({ logger: false });
  app.post<{ Params: { place: string } }>("/:place", (request, reply) =>
    reply.type("application/json; charset=utf-8").send(answers[Number(request.params.place)]),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, pid: process.pid };
});
