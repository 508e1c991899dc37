/**
 * Many large bodies at once don't take unbounded memory (contract 1.6, 8): what doesn't fit is answered
 * 429 before it is read, its connection goes on, searches are left alone, and a request by itself,
 * or a small one, always goes through.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, READ, type WireAnswer, WireServer } from "./wire-server.js";

const MIB = 1 << 20;

let server: WireServer;

beforeAll(async () => {
  // Documents may take 7/8 of it.
  server = await WireServer.start({ bodyMemoryMb: 4, documentBodyLimitMb: 8 });
  await server.createIndex("papers");
});

afterAll(() => server.stopAndRemove());

/** Documents of about so many bytes. */
function documents(bytes: number): Buffer {
  const title = "memory is bounded ".repeat(500);
  const count = Math.floor(bytes / (title.length + 13));
  return Buffer.from(JSON.stringify(Array.from({ length: count }, () => ({ title }))));
}

function add(body: Buffer): Promise<WireAnswer> {
  return server.send("POST", "/index/papers/documents", {
    key: ADMIN,
    body,
    headers: { "content-type": "application/json" },
  });
}

function expectRefused(answer: WireAnswer): void {
  expect(answer).toMatchObject({ status: 429, json: { data: { code: "rate_limited" } } });
  expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
}

/** A connection on which a request has begun to arrive: so many bytes announced, and of them as many sent. */
class Upload {
  readonly socket: Socket;
  #text = "";

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#text += String(chunk);
    });
  }

  static async begin(
    announced: number,
    { path = "/index/papers/documents", key = ADMIN, sent = announced - 1 } = {},
  ): Promise<Upload> {
    const socket = connect(server.running.address.port, "127.0.0.1");
    const upload = new Upload(socket);
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\n`;
    const body = `content-type: application/json\r\ncontent-length: ${announced}\r\n`;
    socket.write(`${head}${body}expect: 100-continue\r\n\r\n`);
    await upload.receive(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    socket.write(`[${" ".repeat(sent - 1)}`);
    return upload;
  }

  /** Waits for an answer that matches, and takes everything up to its end. */
  async receive(expected: RegExp): Promise<string> {
    for (;;) {
      const [match] = expected.exec(this.#text) ?? [];
      if (match !== undefined) {
        this.#text = this.#text.slice(this.#text.indexOf(match) + match.length);
        return match;
      }
      await once(this.socket, "data");
    }
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Waits until what was sent has arrived, and leaves no room for a megabyte; asking takes none. */
async function othersAreRefused(): Promise<void> {
  for (let isRefused = false; !isRefused; ) {
    const asked = await Upload.begin(MIB, { sent: 1 });
    isRefused = await Promise.race([
      asked.receive(/^HTTP\/1\.1 429/).then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), 50)),
    ]);
    asked.end();
  }
}

describe("bodies in memory", () => {
  it("many at once: every one is added or refused, and nothing hangs", async () => {
    const body = documents(MIB);
    const count = (JSON.parse(body.toString()) as unknown[]).length;
    const answers = await Promise.all(Array.from({ length: 30 }, () => add(body)));
    const added = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(added.length).toBeGreaterThanOrEqual(1);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const answer of refused) expectRefused(answer);
    await server.post("/index/papers/commit");
    const stats = await server.get("/index/papers/stats");
    expect(JSON.stringify(stats.json)).toContain(String(count * added.length));
  });

  it("one by itself goes through, however large beside the budget", async () => {
    expect(await add(documents(7 * MIB))).toMatchObject({ status: 200 });
  });

  it("bodies that are announced, and don't come, keep nobody out", async () => {
    const slow: Upload[] = [];
    for (let i = 0; i < 20; i++) slow.push(await Upload.begin(3 * MIB, { sent: 1 }));
    for (let i = 0; i < 20; i++)
      slow.push(await Upload.begin(MIB / 4, { path: "/index/papers/search", key: READ, sent: 1 }));
    try {
      expect(await add(documents(MIB))).toMatchObject({ status: 200 });
      const query = { exact: { ctx: "bounded" } };
      const search = await server.post("/index/papers/search", { query, nothing: " ".repeat(20_000) }, READ);
      expect(search.status).toBe(200);
    } finally {
      for (const each of slow) each.end();
    }
  });

  it("a body that is slow to come holds what has arrived of it, until its sender is gone", async () => {
    const slow = await Upload.begin(3 * MIB);
    try {
      await othersAreRefused();
      expectRefused(await add(documents(MIB)));
      const search = await server.post("/index/papers/search", { query: { exact: { ctx: "bounded" } } });
      expect(search.status).toBe(200);
    } finally {
      slow.end();
    }
    await expect.poll(() => add(documents(MIB)).then((answer) => answer.status)).toBe(200);
  });

  it("small requests go through, whatever large ones are under way: a key that may only search holds up nobody", async () => {
    const slow = [
      await Upload.begin(2 * MIB, { path: "/index/papers/search", key: READ }),
      await Upload.begin(8 * MIB),
    ];
    try {
      const clause = { exact: { ctx: "bounded" } };
      const search = (body: unknown) => server.post("/index/papers/search", body, READ);
      expect(await search({ query: clause })).toMatchObject({ status: 200 });
      expect(await server.patch("/index/papers", {})).toMatchObject({ status: 200 });
      expect(await server.post("/index/papers/documents", { title: "small" })).toMatchObject({ status: 200 });
      expectRefused(await search({ query: clause, nothing: " ".repeat(20_000) }));
      expectRefused(await search({ query: clause, nothing: Array(1_000).fill(0) }));
    } finally {
      for (const each of slow) each.end();
    }
  });

  it("a refused sender has its answer before it has sent the body, and its connection goes on", async () => {
    const slow = await Upload.begin(3 * MIB);
    await othersAreRefused();
    const refused = await Upload.begin(MIB, { sent: 1 });
    try {
      await refused.receive(/HTTP\/1\.1 429 (.|\s)*"code":"rate_limited"\}\}/);
      refused.socket.write(Buffer.alloc(MIB - 1, " "));
      refused.socket.write("GET /healthcheck HTTP/1.1\r\nhost: x\r\n\r\n");
      await refused.receive(/HTTP\/1\.1 200 OK\r\n/);
    } finally {
      slow.end();
      refused.end();
    }
  });

  it("one whose length is not announced is counted as it comes", async () => {
    const slow = await Upload.begin(3 * MIB);
    await othersAreRefused();
    try {
      const answer = await server.send("POST", "/index/papers/documents", {
        key: ADMIN,
        body: documents(MIB),
        headers: {
          "content-type": "application/json",
          "content-length": undefined,
          "transfer-encoding": "chunked",
        },
      });
      expectRefused(answer);
    } finally {
      slow.end();
    }
  });

  it("counts the values of a body, which take more memory than their text", async () => {
    const slow = await Upload.begin(MIB);
    try {
      const many = Buffer.from(`[${"{},".repeat(100_000)}{}]`);
      expectRefused(await add(many));
    } finally {
      slow.end();
    }
  });
});
