// The way out to providers: to the one base URL, to the addresses that were checked, and no further.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { guardedFetch, type HostAddress, type HostLookup } from "./guarded-fetch.js";

let server: Server;
let port: number;
let answer: RequestListener;
let requests: {
  readonly host: string | undefined;
  readonly url: string | undefined;
  readonly body: string;
}[];

beforeEach(async () => {
  requests = [];
  answer = (_request, response) => void response.end("the answer");
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers, url } = request;
      requests.push({ host: headers.host, url, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

const LOOPBACK: HostAddress = { address: "127.0.0.1", family: 4 };

function resolvingTo(...answers: readonly (readonly HostAddress[])[]): HostLookup & { names: string[] } {
  const names: string[] = [];
  const lookup = (hostname: string): Promise<readonly HostAddress[]> => {
    names.push(hostname);
    const addresses = answers[Math.min(names.length, answers.length) - 1];
    return addresses === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(addresses);
  };
  return Object.assign(lookup, { names });
}

interface Post {
  readonly base?: string;
  readonly url?: string;
  readonly lookup?: HostLookup;
  readonly signal?: AbortSignal;
}

function post({
  base = `http://llm.example:${port}/v1`,
  url = `${base}/chat`,
  lookup,
  signal,
}: Post = {}): Promise<Response> {
  const fetch = guardedFetch({
    base: new URL(base),
    lookup: lookup ?? resolvingTo([LOOPBACK]),
    signal: signal ?? new AbortController().signal,
  });
  return fetch(url, { method: "POST", body: "größer", headers: { "x-key": "k" } });
}

async function failure(post: Promise<unknown>): Promise<FindlingError> {
  const error = await post.then(
    () => new Error("it was answered"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FindlingError);
  return error as FindlingError;
}

describe("names", () => {
  test("are resolved once, and the address that was checked is the one connected to", async () => {
    const lookup = resolvingTo([LOOPBACK], [{ address: "127.0.0.2", family: 4 }]);
    const response = await post({ lookup });
    expect(await response.text()).toBe("the answer");
    expect(lookup.names).toEqual(["llm.example"]);
    expect(requests).toEqual([{ host: `llm.example:${port}`, url: "/v1/chat", body: "größer" }]);
  });

  test("are resolved anew for each request, each time checked", async () => {
    const lookup = resolvingTo([LOOPBACK], [{ address: "169.254.169.254", family: 4 }]);
    await (await post({ lookup })).text();
    const error = await failure(post({ lookup }));
    expect([error.code, error.details]).toEqual([
      "model_unavailable",
      "the provider's name leads to an address that no provider can have",
    ]);
    expect(requests).toHaveLength(1);
  });

  test("are refused if only one of their addresses is forbidden", async () => {
    const lookup = resolvingTo([LOOPBACK, { address: "::ffff:a9fe:a9fe", family: 6 }]);
    expect((await failure(post({ lookup }))).details).toMatch(/leads to an address/);
    expect(requests).toHaveLength(0);
  });

  test("may have several addresses, of which one answers", async () => {
    const lookup = resolvingTo([{ address: "::1", family: 6 }, LOOPBACK]);
    expect((await post({ lookup })).status).toBe(200);
  });

  test.each([
    ["that no one knows", []],
    ["without an address", [[]]],
  ])("%s can't be reached", async (_name, answers) => {
    expect((await failure(post({ lookup: resolvingTo(...answers) }))).details).toMatch(/can't be resolved/);
  });

  test("are not resolved where the base URL holds the address itself", async () => {
    const lookup = resolvingTo();
    expect((await post({ base: `http://127.0.0.1:${port}/v1`, lookup })).status).toBe(200);
    expect(lookup.names).toEqual([]);
  });

  test("that take for ever to resolve end at an abort", async () => {
    const aborting = new AbortController();
    const posting = post({ lookup: () => new Promise(() => {}), signal: aborting.signal });
    aborting.abort(new Error("left"));
    await expect(posting).rejects.toThrow("left");
  });
});

test("the system's own resolver is good enough for localhost", async () => {
  const { lookupBySystem } = await import("./guarded-fetch.js");
  expect((await post({ base: `http://localhost:${port}/v1`, lookup: lookupBySystem })).status).toBe(200);
});

test.each(["http://127.0.0.1:9/v1/chat", "https://llm.example/v1/chat"])(
  "no request leaves for another origin: %s",
  async (url) => {
    expect((await failure(post({ url }))).code).toBe("model_refused");
    expect(requests).toHaveLength(0);
  },
);

test.each(["/v2/chat", "/v1/../admin", "/v1/%2e%2e/admin", "/v1", "/v1x/chat"])(
  "no request leaves for a path beside the base's: %s",
  async (path) => {
    const error = await failure(post({ url: `http://llm.example:${port}${path}` }));
    expect(error.code).toBe("model_refused");
    expect(requests).toHaveLength(0);
  },
);

test.each([301, 302, 303, 307, 308])("a redirect (%i) is not followed", async (status) => {
  answer = (request, response) =>
    void response.writeHead(status, { location: `http://${request.headers.host}/v1/elsewhere` }).end();
  const error = await failure(post());
  expect([error.code, error.details]).toEqual([
    "model_unavailable",
    `the provider answered ${status}, a redirect, and redirects are not followed`,
  ]);
  expect(requests).toHaveLength(1);
});

test("headers have a limit", async () => {
  answer = (_request, response) => void response.writeHead(200, { "x-long": "x".repeat(20_000) }).end("text");
  expect((await failure(post())).details).toBe("the connection failed (HPE_HEADER_OVERFLOW)");
});

test("a body has a limit, and its reader needn't wait for its end", async () => {
  let isClosed: Promise<unknown> | undefined;
  answer = (_request, response) => {
    isClosed = once(response, "close");
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const more = (): void => void response.write(megabyte, (error) => error ?? more());
    more();
  };
  const response = await post();
  const error = await failure(response.text());
  expect(error.details).toMatch(/longer than any/);
  await isClosed;
});

test("a body waits for its reader", async () => {
  let written = 0;
  answer = (_request, response) => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const more = (): void =>
      void response.write(piece, (error) => {
        written += piece.length;
        if (!error) more();
      });
    more();
  };
  const aborting = new AbortController();
  const response = await post({ signal: aborting.signal });
  // Once what fits into the buffers of the system and of the two processes is written, no more is.
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(written).toBeLessThan(16 * 1024 * 1024);
  aborting.abort();
  await expect(response.text()).rejects.toThrow();
});

test("a long body is whole, read slowly or at once", async () => {
  const text = "0123456789abcdef".repeat(100_000);
  answer = (_request, response) => void response.end(text);
  expect(await (await post()).text()).toBe(text);
  let slowly = "";
  for await (const chunk of (await post()).body as ReadableStream<Uint8Array>) {
    slowly += Buffer.from(chunk).toString();
    await new Promise(setImmediate);
  }
  expect(slowly).toBe(text);
});

test.each([
  ["compressed", 200, { "content-encoding": "gzip" }],
  ["without a body", 204, {}],
])("an answer that is %s is none", async (_name, status, headers) => {
  answer = (_request, response) => void response.writeHead(status, headers).end();
  expect((await failure(post())).code).toBe("model_unavailable");
});

test("nobody listens", async () => {
  const gone = createTcpServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port: freePort } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, "close");
  const error = await failure(post({ base: `http://llm.example:${freePort}/v1` }));
  expect([error.code, error.details]).toEqual(["model_unavailable", "the connection failed (ECONNREFUSED)"]);
});

test.each([
  ["hung up on", (socket: Socket) => socket.destroy()],
  ["reset", (socket: Socket) => socket.resetAndDestroy()],
])("a request that is %s before it is answered", async (_name, end) => {
  answer = (request) => void end(request.socket);
  const error = await failure(post());
  expect([error.code, error.details]).toEqual(["model_unavailable", "the connection failed (ECONNRESET)"]);
});

test("what is no HTTP at all", async () => {
  const nonsense = createTcpServer((socket) => void socket.on("error", () => {}).end("SSH-2.0-CANARY\r\n"));
  nonsense.listen(0, "127.0.0.1");
  await once(nonsense, "listening");
  const { port: otherPort } = nonsense.address() as AddressInfo;
  const error = await failure(post({ base: `http://llm.example:${otherPort}/v1` }));
  expect(error.details).toMatch(/^the connection failed \((HPE_\w+|ECONNRESET|EPIPE)\)$/);
  nonsense.close();
});

test("https is spoken where the base URL says https", async () => {
  const error = await failure(post({ base: `https://llm.example:${port}/v1` }));
  expect(error.details).toMatch(/^the connection failed \((EPROTO|ERR_SSL_\w+)\)$/);
  expect(requests).toHaveLength(0);
});

test("an aborted request is not even sent", async () => {
  await expect(post({ signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow("left");
  expect(requests).toHaveLength(0);
});
