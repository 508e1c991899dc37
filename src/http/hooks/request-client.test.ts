// Properties: a caller is gone once the connection closes before the answer, which is told once, and only
// to who still listens; one who got the answer was never gone.
import { once } from "node:events";
import { createServer, get, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ResponseCaller } from "./request-client.js";

let server: Server;
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function request(): Promise<{ readonly response: ServerResponse; leave(): void }> {
  const sent = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  sent.on("error", () => undefined);
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  return { response, leave: () => sent.destroy() };
}

test("somebody who leaves is gone, and who listens hears of it", async () => {
  const { response, leave } = await request();
  const caller = new ResponseCaller(response);
  let heard = 0;
  caller.whenGone(() => heard++);
  caller.whenGone(() => heard++)();
  expect(caller.isGone).toBe(false);
  leave();
  await once(response, "close");
  expect([caller.isGone, heard]).toEqual([true, 1]);
});

test("somebody who got the answer was there", async () => {
  const { response } = await request();
  const caller = new ResponseCaller(response);
  response.end("answer");
  await once(response, "close");
  expect(caller.isGone).toBe(false);
});
