// The thread of the models: what becomes of its answers when it dies, when nobody reads them, when there are many.
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  startModelThread,
  ThreadedLanguageModels,
} from "../../src/adapters/language-models/threaded-language-models.js";
import type { LanguageModelCall } from "../../src/ports/language-models.js";
import { CHAT_COMPLETIONS } from "./dialects/chat-completions.js";
import { failureOf, partsOf, textOf } from "./failure.js";
import { ProviderServer, type ReceivedRequest, write } from "./provider-server.js";

const OPENAI_CHAT = CHAT_COMPLETIONS[0]!;
const NEVER = new AbortController().signal;

let server: ProviderServer;
let threads: Worker[];
let models: ThreadedLanguageModels;
let call: LanguageModelCall;
beforeEach(async () => {
  server = await ProviderServer.start();
  threads = [];
  const { call: asked, ...rules } = OPENAI_CHAT.target(server.origin);
  call = asked;
  models = new ThreadedLanguageModels(rules, (given) => {
    const thread = startModelThread(given);
    threads.push(thread);
    return thread;
  });
});
afterEach(async () => {
  await models.close();
  await server.stop();
});

/** Says so much, and then nothing. */
function sayThenHold(text: string): Promise<ReceivedRequest> {
  return new Promise((resolve) => {
    server.answerWith(async (response, request) => {
      response.writeHead(200, { "content-type": OPENAI_CHAT.contentType });
      await write(response, Buffer.concat([...OPENAI_CHAT.beginning, OPENAI_CHAT.text(text)]));
      resolve(request);
    });
  });
}

function answerWell(text: string): void {
  server.answerWith((response) => {
    response.writeHead(200, { "content-type": OPENAI_CHAT.contentType });
    response.end(Buffer.concat([...OPENAI_CHAT.beginning, OPENAI_CHAT.text(text), ...OPENAI_CHAT.end]));
  });
}

test("starts with the first call, and is the same for all", async () => {
  expect(threads).toHaveLength(0);
  answerWell("fine");
  const answers = await Promise.all([1, 2, 3].map(() => partsOf(models.stream(call, NEVER))));
  expect(answers.map(textOf)).toEqual(["fine", "fine", "fine"]);
  expect(threads).toHaveLength(1);
});

test("that dies ends all its answers with an error, after what came of them, and the next call starts another", async () => {
  const held = sayThenHold("so far");
  const read = models.stream(call, NEVER);
  const unread = models.stream(call, NEVER);
  expect((await read.next()).value).toEqual({ kind: "text", text: "so far" });
  const failures = [failureOf(read, "model_unavailable"), failureOf(unread, "model_unavailable")];
  await threads[0]!.terminate();
  const [first, second] = await Promise.all(failures);
  for (const { error } of [first!, second!]) {
    expect(error.details).toBe("the thread that speaks with language models ended (exit code 1)");
  }
  await (await held).closed;
  answerWell("fine again");
  expect(textOf(await partsOf(models.stream(call, NEVER)))).toBe("fine again");
  expect(threads).toHaveLength(2);
});

test("that dies of an error tells its kind alone", async () => {
  const held = sayThenHold("so far");
  const reading = failureOf(models.stream(call, NEVER), "model_unavailable");
  await held;
  threads[0]!.emit("error", Object.assign(new Error("CANARY"), { code: "ERR_WORKER_OUT_OF_MEMORY" }));
  expect((await reading).error.details).toMatch(/\(ERR_WORKER_OUT_OF_MEMORY\)$/);
  await threads[0]!.terminate();
});

test("the provider waits for a reader that waits, and nothing is lost", async () => {
  const piece = "words ".repeat(500);
  let sent = 0;
  let isStuck = (): void => undefined;
  const stuck = new Promise<void>((resolve) => {
    isStuck = resolve;
  });
  server.answerWith(async (response) => {
    response.writeHead(200, { "content-type": OPENAI_CHAT.contentType });
    for (const each of OPENAI_CHAT.beginning) response.write(each);
    for (; sent < 4_000; sent++) {
      if (!response.write(OPENAI_CHAT.text(piece))) {
        const alarm = setTimeout(isStuck, 300);
        await once(response, "drain");
        clearTimeout(alarm);
      }
    }
    response.end(Buffer.concat(OPENAI_CHAT.end));
  });
  const reading = models.stream(call, NEVER);
  await reading.next();
  await stuck;
  // 12 MB in all; what is on its way are the window, and the buffers of streams and sockets.
  expect(sent).toBeLessThan(3_600);
  let length = piece.length;
  for await (const part of reading) if (part.kind === "text") length += part.text.length;
  expect([sent, length]).toEqual([4_000, 4_000 * piece.length]);
});

test("a close ends it in the midst of answers, and nothing begins after it", async () => {
  const held = sayThenHold("so far");
  const reading = failureOf(models.stream(call, NEVER), "model_unavailable");
  const { closed } = await held;
  await models.close();
  expect((await reading).error.details).toBe("the server is stopping");
  await closed;
  expect((await failureOf(models.stream(call, NEVER), "model_unavailable")).error.details).toBe(
    "the server is stopping",
  );
  expect(threads).toHaveLength(1);
});
