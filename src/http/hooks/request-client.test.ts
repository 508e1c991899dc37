// Properties: a caller is gone once the connection closes before the answer, which is told once, and only
// to who still listens; one who got the answer was never gone; many who listen are one listener of Node's.
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

test("however many listen, the response has one listener of theirs, and none once nobody does", async () => {
  const { response, leave } = await request();
  const before = response.listenerCount("close");
  const caller = new ResponseCaller(response);
  let heard = 0;
  const listener = () => heard++;
  const forget = Array.from({ length: 30 }, () => caller.whenGone(listener));
  expect(response.listenerCount("close")).toBe(before + 1);
  for (const each of forget.slice(1)) each();
  forget[1]!();
  expect(response.listenerCount("close")).toBe(before + 1);
  forget[0]!();
  expect(response.listenerCount("close")).toBe(before);
  caller.whenGone(listener);
  caller.whenGone(listener);
  leave();
  await once(response, "close");
  expect(heard).toBe(2);
});

test("somebody who got the answer was there", async () => {
  const { response } = await request();
  const caller = new ResponseCaller(response);
  response.end("answer");
  await once(response, "close");
  expect(caller.isGone).toBe(false);
});
