// A summary is being written when its server, a process of its own, is asked to stop, or is killed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

let folder = "";
let model: FakeChatServer;
let server: ServerProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-summary-"));
  model = await FakeChatServer.start();
  server = await ServerProcess.start(folder, {
    FINDLING_LLM_ALLOWED_BASE_URLS: model.origin,
    FINDLING_STOP_TIMEOUT_SECONDS: "0.2",
  });
  const fields = { id: { type: "text" }, title: { type: "text" } };
  await server.request("POST", "/index", {
    index: { name: "books", fields, ai_enabled: true, ai: model.ai() },
  });
  await server.request("POST", "/index/books/documents", [{ id: "1", title: "boots" }]);
  await server.request("POST", "/index/books/commit");
});
afterEach(async () => {
  await server.kill();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A summary that has begun and won't end by itself: what comes of it, and the model's side. */
async function beginSummary(): Promise<{ rest: Promise<string>; reply: ChatReply }> {
  const replied = new Promise<ChatReply>((resolve) => {
    model.answer = resolve;
  });
  const response = await fetch(`${server.url}/index/books/search/summary`, {
    method: "POST",
    headers: { authorization: ADMIN_KEY, "content-type": "application/json" },
    body: JSON.stringify({ query: "boots" }),
  });
  const reply = await replied;
  await reply.say("Boots and ");
  return { rest: response.text(), reply };
}

test("SIGTERM: the reader is told, the model's connection is closed, the process ends well", async () => {
  const { rest, reply } = await beginSummary();
  expect(await server.stop()).toBe(0);
  expect(await rest).toMatch(
    /^event: metadata\n[\s\S]*\nevent: error\ndata: \{"message":"the server is shutting down[^\n]*\}\n\n$/,
  );
  await reply.closed;
});

test("SIGKILL: the reader is not told that it is done, the model's connection is closed, the index is whole", async () => {
  const { rest, reply } = await beginSummary();
  // Node's fetch takes the end of a connection that was to be closed anyway for the end of the answer.
  const received = rest.catch(() => "broken");
  await server.kill();
  expect(await received).not.toMatch(/event: (done|error)/);
  await reply.closed;
  server = await ServerProcess.start(folder);
  const { body } = await server.request("POST", "/index/books/search", { query: "boots" });
  expect(body.data).toMatchObject({ count: 1 });
});
