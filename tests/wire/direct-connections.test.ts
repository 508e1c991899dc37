// Properties: what goes over one connection to a direct route is what the framework would send, whether requests
// are pipelined, sent in pieces of any size, chunked, old or the last ones; who goes away half-way disturbs nobody,
// and who reads late reads what was answered, whatever others were answered meanwhile.
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books");
  const documents = Array.from({ length: 200 }, (_, i) => ({
    id: String(i),
    title: `ünïcode ${i % 2 === 0 ? "even" : "odd"} w${i}`,
  }));
  await server.post("/index/books/documents", documents);
  await server.post("/index/books/commit", {});
});
afterAll(() => server.stopAndRemove());

/** More than the system takes for a reader that doesn't read. */
const LATE_ANSWERS = 30;

const bodyOf = (word: string, limit: number): string =>
  JSON.stringify({ query: { exact: { ctx: word } }, limit });

function requestOf(body: string, { version = "1.1", more = "" } = {}): Buffer {
  return Buffer.from(
    `POST /index/books/search HTTP/${version}\r\nhost: here\r\nauthorization: ${READ}\r\n${more}` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The answers that come over a connection, until there are so many or it is closed. */
async function answersOf(socket: Socket, count: number): Promise<{ head: string; data: unknown }[]> {
  let bytes = Buffer.alloc(0);
  let later: Buffer[] = [];
  let arrived = 0;
  let needed = 0;
  const answers: { head: string; data: unknown }[] = [];
  const chunks: AsyncIterable<Buffer> = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    later.push(chunk);
    arrived += chunk.length;
    if (arrived < needed) continue;
    bytes = Buffer.concat([bytes, ...later]);
    later = [];
    for (;;) {
      const end = bytes.indexOf("\r\n\r\n");
      needed = 0;
      if (end < 0) break;
      const head = bytes.toString("latin1", 0, end);
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      needed = end + 4 + length;
      if (bytes.length < needed) break;
      const { time_taken: _time, ...data } = JSON.parse(
        bytes.toString("utf8", end + 4, end + 4 + length),
      ).data;
      answers.push({ head, data });
      bytes = bytes.subarray(needed);
      arrived -= needed;
    }
    if (answers.length >= count) break;
  }
  return answers;
}

async function frameworks(body: string): Promise<unknown> {
  const { json } = await server.send("POST", "/index/books/search/", {
    key: READ,
    body,
    headers: { "content-type": "application/json" },
  });
  const { time_taken: _time, ...data } = json.data;
  return data;
}

test("pipelined requests are answered in their order", async () => {
  const bodies = ["even", "nothing", "odd", "w7", "even"].map((word) => bodyOf(word, 3));
  const answers = await server.withConnection(async (socket) => {
    socket.write(Buffer.concat(bodies.map((body) => requestOf(body))));
    return answersOf(socket, bodies.length);
  });
  const expected = [];
  for (const body of bodies) expected.push(await frameworks(body));
  expect(answers.map(({ data }) => data)).toEqual(expected);
});

test("pipelined requests may wait to be told to go on", async () => {
  const bodies = ["even", "odd", "w7"].map((word) => bodyOf(word, 3));
  const text = await server.withConnection(async (socket) => {
    const more = "expect: 100-continue\r\n";
    const last = "connection: close\r\n";
    socket.write(
      Buffer.concat(bodies.map((body, i) => requestOf(body, { more: i === 0 ? "" : i === 1 ? more : last }))),
    );
    let received = "";
    for await (const chunk of socket) received += String(chunk);
    return received;
  });
  const [first, ...others] = text.split("HTTP/1.1 ").filter((part) => part !== "");
  expect([first, ...others].map((part) => part!.slice(0, 3))).toEqual(["200", "100", "200", "200"]);
  expect(others[0]).toBe("100 Continue\r\n\r\n");
  for (const part of [first, ...others.slice(1)])
    expect(JSON.parse(part!.slice(part!.indexOf("\r\n\r\n"))).data.hits.length).toBeGreaterThan(0);
});

test("a body may come in pieces, or chunked", async () => {
  const body = bodyOf("odd", 2);
  const expected = await frameworks(body);
  for (const size of [1, 40, 150]) {
    const [answer] = await server.withConnection(async (socket) => {
      socket.setNoDelay(true);
      const bytes = requestOf(body);
      for (let start = 0; start < bytes.length; start += size) {
        socket.write(bytes.subarray(start, start + size));
        await new Promise((resume) => setImmediate(resume));
      }
      return answersOf(socket, 1);
    });
    expect(answer?.data).toEqual(expected);
  }
  const head = `POST /index/books/search HTTP/1.1\r\nhost: here\r\nauthorization: ${READ}\r\ntransfer-encoding: chunked\r\n\r\n`;
  const chunks = [body.slice(0, 5), body.slice(5)].map(
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  );
  const [chunked] = await server.withConnection(async (socket) => {
    socket.write(`${head}${chunks.join("")}0\r\n\r\n`);
    return answersOf(socket, 1);
  });
  expect(chunked?.data).toEqual(expected);
});

test.each([
  { version: "1.1", more: "", isOpen: true },
  { version: "1.1", more: "connection: close\r\n", isOpen: false },
  { version: "1.0", more: "", isOpen: false },
  { version: "1.0", more: "connection: keep-alive\r\n", isOpen: true },
])("HTTP/$version $more stays open: $isOpen", async ({ isOpen, ...written }) => {
  const answers = await server.withConnection(async (socket) => {
    const bytes = requestOf(bodyOf("even", 1), written);
    socket.write(bytes);
    const first = await answersOf(socket, isOpen ? 1 : 2);
    if (!isOpen) return first;
    socket.write(bytes);
    return [...first, ...(await answersOf(socket, 1))];
  });
  expect(answers).toHaveLength(isOpen ? 2 : 1);
  expect(answers[0]!.head).toContain(isOpen ? "Connection: keep-alive" : "Connection: close");
});

test("who goes away half-way disturbs nobody", async () => {
  const linesBefore = server.logLines.length;
  const bytes = requestOf(bodyOf("even", 1));
  await server.withConnection(async (socket) => {
    socket.write(bytes.subarray(0, bytes.length - 3));
    await new Promise((resume) => setTimeout(resume, 50));
  });
  await server.withConnection(async (socket) => {
    socket.write(requestOf(bodyOf("even OR odd", 200)));
    await new Promise((resume) => socket.once("data", resume));
  });
  const logged = (): string => server.logLines.slice(linesBefore).join("");
  await expect.poll(logged).toContain('"aborted":true');
  const [answer] = await server.withConnection(async (socket) => {
    socket.write(bytes);
    return answersOf(socket, 1);
  });
  expect(answer?.data).toEqual(await frameworks(bodyOf("even", 1)));
});

test.each([
  ["direct", requestOf(bodyOf("even", 50))],
  ["the framework's", Buffer.from("GET /healthcheck HTTP/1.1\r\nhost: here\r\n\r\n")],
  [
    "with a body, the framework's",
    Buffer.from(requestOf(bodyOf("even", 50)).toString().replace("search HTTP", "search?x HTTP")),
  ],
])("requests whose connection is gone before their turn end with it: %s", async (_kind, request) => {
  const logged = server.logLines.length;
  const pipelined = Buffer.concat(Array.from({ length: 50 }, () => request));
  for (let waitMs = 0; waitMs < 40; waitMs += 2) {
    await server.withConnection(async (socket) => {
      socket.pause();
      socket.write(pipelined);
      await pause(waitMs);
      socket.resetAndDestroy();
    });
  }
  const running = async (): Promise<number> =>
    Number(/^findling_http_requests_running (\d+)$/m.exec((await server.get("/metrics")).text)?.[1]);
  // The request for the figures themselves.
  await expect.poll(running).toBe(1);
  expect(server.logLines.length).toBeGreaterThan(logged);
});

test("who reads late reads what was answered, whatever others were answered meanwhile", async () => {
  // Answers of 600 KB each, which differ throughout.
  await server.createIndex("long");
  const documents = ["left", "right"].flatMap((side) =>
    Array.from({ length: 100 }, (_, i) => ({ id: `${side}${i}`, title: `${side} `.repeat(1000) })),
  );
  await server.post("/index/long/documents", documents);
  await server.post("/index/long/commit", {});
  const searchFor = (side: string): Buffer =>
    Buffer.from(requestOf(bodyOf(side, 100)).toString().replace("/index/books", "/index/long"));
  const hold = (): Promise<void> => new Promise((resume) => setTimeout(resume, 30));

  const [late, others] = await server.withConnection(async (slow) => {
    slow.pause();
    // One by one, as the next of those that come together waits for the one before: until the system takes no more.
    for (let n = 0; n < LATE_ANSWERS; n++) {
      slow.write(searchFor("left"));
      await hold();
    }
    const quick = await server.withConnection(async (socket) => {
      socket.write(searchFor("right"));
      return answersOf(socket, 1);
    });
    return [await answersOf(slow, LATE_ANSWERS), quick];
  });
  expect(late).toHaveLength(LATE_ANSWERS);
  const titlesOf = (answer: { data: unknown }): Set<string> =>
    new Set((answer.data as { hits: { doc: { title: string } }[] }).hits.map(({ doc }) => doc.title));
  for (const answer of late) expect(titlesOf(answer)).toEqual(new Set(["left ".repeat(1000)]));
  expect(titlesOf(others[0]!)).toEqual(new Set(["right ".repeat(1000)]));
});
