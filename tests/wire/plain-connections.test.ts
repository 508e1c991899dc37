// Property: requests over connections that don't pass Node's HTTP parser are answered as those that do: head, body,
// log line; in their order, whatever comes between them and however it comes.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOnceThere } from "./measured-events.js";
import { READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ corsOrigins: ["https://shop.example"], trustedProxies: ["127.0.0.0/8"] });
  await server.createIndex("books");
  const documents = Array.from({ length: 50 }, (_, i) => ({ id: String(i), title: `ünïcode even w${i}` }));
  await server.post("/index/books/documents", documents);
  await server.post("/index/books/commit", {});
  await server.post("/federation", { name: "library", index_configurations: [{ name: "books" }] });
});
afterAll(() => server.stopAndRemove());

const FOUND = JSON.stringify({ query: { exact: { ctx: "even" } }, limit: 3 });
/** Does no harm, and is left to Node's parser. */
const NODES = "te: trailers\r\n";

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly type?: string;
  readonly more?: string;
  readonly body?: string;
}

function requestOf({
  path = "/index/books/search",
  key = READ,
  type,
  more = "",
  body = FOUND,
}: Sent): string {
  const authorization = key === "" ? "" : `authorization: ${key}\r\n`;
  return (
    `POST ${path} HTTP/1.1\r\nhost: here\r\n${authorization}content-type: ${type ?? "application/json"}\r\n` +
    `${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

interface Answer {
  readonly head: string;
  readonly body: string;
}

/** So many answers, as they come. */
async function answersOf(socket: Socket, count: number): Promise<Answer[]> {
  let text = "";
  const answers: Answer[] = [];
  const chunks: AsyncIterable<Buffer> = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    text += chunk.toString("latin1");
    for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
      const next = end + 4 + Number(/content-length: (\d+)/.exec(text)?.[1]);
      if (text.length < next) break;
      answers.push({ head: text.slice(0, end), body: text.slice(end + 4, next) });
      text = text.slice(next);
    }
    if (answers.length >= count) break;
  }
  return answers;
}

const ask = (text: string): Promise<Answer> =>
  server.withConnection(async (socket) => {
    socket.write(text);
    return (await answersOf(socket, 1))[0]!;
  });

const idOf = ({ head }: Answer): string => /x-request-id: (\S+)/.exec(head)![1]!;

async function logLineOf(answer: Answer): Promise<Record<string, unknown>> {
  const line = await server.logLineOf(idOf(answer));
  const { request_id: _id, time: _time, duration_ms: _duration, ...rest } = line;
  return rest;
}

/** Without what every answer says anew. */
function sameOf(answer: Answer): Answer {
  const time = /"time_taken":[\d.e-]+/;
  return {
    head: answer.head
      .replace(idOf(answer), "ID")
      .replace(/Date: .*? GMT/, "Date: DATE")
      .replace(/content-length: \d+/, "content-length: LENGTH"),
    body: answer.body.replace(time, '"time_taken":TIME'),
  };
}

test.each<[string, Sent]>([
  ["a search", {}],
  ["from a page that may ask", { more: "origin: https://shop.example\r\n" }],
  ["from a page that may not", { more: "origin: https://other.example\r\n" }],
  ["by way of a proxy", { more: "x-forwarded-for: 192.0.2.7\r\n" }],
  ["a federation", { path: "/federation/library/search" }],
  ["a federation that isn't there", { path: "/federation/absent/search" }],
  ["an index that isn't there", { path: "/index/absent/search" }],
  ["no key", { key: "" }],
  ["an unknown key", { key: "nobody" }],
  ["no JSON", { body: '{"query":' }],
  ["another type", { type: "text/plain" }],
  ["a query that can't be read", { body: JSON.stringify({ query: { exact: { ctx: "a AND" } } }) }],
  ["a cursor", { body: JSON.stringify({ query: { exact: { ctx: "even" } }, cursor: true, limit: 1 }) }],
])("%s", async (_case, sent) => {
  const plain = await ask(requestOf(sent));
  const nodes = await ask(requestOf({ ...sent, more: `${NODES}${sent.more ?? ""}` }));
  const withoutToken = (answer: Answer): Answer => {
    const { head, body } = sameOf(answer);
    return { head, body: body.replace(/"cursor":"[^"]+"/, '"cursor":TOKEN') };
  };
  expect(withoutToken(plain)).toEqual(withoutToken(nodes));
  expect(await logLineOf(plain)).toEqual(await logLineOf(nodes));
});

test("a connection may become Node's, and goes on", async () => {
  const federated = requestOf({ path: "/federation/library/search" });
  const texts = [
    requestOf({}),
    federated,
    requestOf({ key: "nobody" }),
    requestOf({}),
    "GET /healthcheck HTTP/1.1\r\nhost: here\r\n\r\n",
    requestOf({}),
  ];
  const oneByOne = await server.withConnection(async (socket) => {
    const answers: Answer[] = [];
    for (const text of texts) {
      socket.write(text);
      answers.push(...(await answersOf(socket, 1)));
    }
    return answers;
  });
  const together = await server.withConnection(async (socket) => {
    socket.write(texts[0]!);
    const answers = await answersOf(socket, 1);
    socket.write(texts.slice(1).join(""));
    return [...answers, ...(await answersOf(socket, texts.length - 1))];
  });
  expect(oneByOne.map(({ head }) => head.slice(9, 12))).toEqual(["200", "200", "401", "200", "200", "200"]);
  expect(together.map(sameOf)).toEqual(oneByOne.map(sameOf));
});

test("nobody is answered what another asked, however many ask at once and wherever their requests are cut", async () => {
  const asked = fc.record({ word: fc.nat(49), isLacking: fc.boolean(), isNodes: fc.boolean() });
  const connection = fc.record({
    requests: fc.array(asked, { minLength: 1, maxLength: 5 }),
    areWhole: fc.boolean(),
    cuts: fc.array(fc.nat(1500), { maxLength: 6 }),
  });
  type CutConnection = typeof connection extends fc.Arbitrary<infer Value> ? Value : never;
  const answered = (number: number, { requests, areWhole, cuts }: CutConnection) =>
    server.withConnection(async (socket) => {
      const texts = requests.map(({ word, isLacking, isNodes }, i) =>
        requestOf({
          body: JSON.stringify({ query: { exact: { ctx: isLacking ? `c${number}r${i}:x` : `w${word}` } } }),
          more: isNodes ? NODES : "",
        }),
      );
      const text = texts.join("");
      const ends = texts.map((_, i) => texts.slice(0, i + 1).join("").length);
      const places = [...cuts, ...(areWhole ? ends : []), text.length];
      const answers = answersOf(socket, texts.length);
      let start = 0;
      for (const end of places.filter((each) => each <= text.length).sort((a, b) => a - b)) {
        if (end === start) continue;
        socket.write(text.slice(start, end));
        start = end;
        await new Promise((resolve) => setImmediate(resolve));
      }
      const found = (await answers).map(
        ({ body }) => /'c\d+r\d+'|"ünïcode even w\d+"/.exec(Buffer.from(body, "latin1").toString())?.[0],
      );
      const expected = requests.map(({ word, isLacking }, i) =>
        isLacking ? `'c${number}r${i}'` : `"ünïcode even w${word}"`,
      );
      expect(found).toEqual(expected);
    });
  await fc.assert(
    fc.asyncProperty(fc.array(connection, { minLength: 2, maxLength: 20 }), async (connections) => {
      await Promise.all(connections.map((each, number) => answered(number, each)));
    }),
    { numRuns: 25 },
  );
});

test("every search over a connection is an event of its own sender", async () => {
  const users = ["first", "second", "second", "first"];
  await server.withConnection(async (socket) => {
    for (const [i, user] of users.entries()) {
      const body = JSON.stringify({ query: { exact: { ctx: `w${"1".repeat(i)}` } } });
      socket.write(requestOf({ body, more: `x-sc-session-id: one\r\nx-sc-user-id: ${user}\r\n` }));
      await answersOf(socket, 1);
    }
  });
  const events = await eventsOnceThere(server, users.length, "?session_id=one");
  expect(events.map(({ searchTerm, userId }) => [searchTerm, userId])).toEqual(
    users.map((user, i) => [`w${"1".repeat(i)}`, user]),
  );
});

test("what arrives while an answer is made waits for it", async () => {
  const answers = await server.withConnection(async (socket) => {
    socket.setNoDelay(true);
    for (let i = 0; i < 20; i++) {
      const path = i % 2 === 0 ? "/federation/library/search" : "/index/books/search";
      socket.write(requestOf({ path, body: JSON.stringify({ query: { exact: { ctx: `w${i}` } } }) }));
      await new Promise((resume) => setImmediate(resume));
    }
    return answersOf(socket, 20);
  });
  const ids = answers.map(({ body }) => JSON.parse(body).data.hits.map((hit: never) => hit["doc"]["id"]));
  expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => [String(i)]));
});

test("who sends the end along is answered, and the connection closes", async () => {
  await server.withConnection(async (socket) => {
    const closed = once(socket, "close");
    socket.end(requestOf({ path: "/federation/library/search" }));
    const [answer] = await answersOf(socket, 1);
    expect(answer?.head).toContain("200 OK");
    socket.resume();
    await closed;
  });
});

test("who goes away while an answer is made is logged as gone", async () => {
  const before = server.logLines.length;
  await server.withConnection(async (socket) => {
    await once(socket, "connect");
    socket.write(requestOf({ path: "/federation/library/search" }));
    socket.resetAndDestroy();
  });
  await expect.poll(() => server.logLines.length).toBeGreaterThan(before);
});

test("connections that rest don't keep a server from stopping", async () => {
  const other = await WireServer.start();
  const socket = connect(other.running.address.port, "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  await other.stopAndRemove();
  await closed;
});
