import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Configuration, SettingName } from "../../src/config/index.js";
import { loadConfiguration, type RunningServer, type StartOptions, startServer } from "../../src/server.js";

/** Keys of the three kinds (contract 2.2), given by configuration. */
export const ADMIN = "admin-key-of-the-tests";
export const INGEST = "ingest-key-of-the-tests";
export const READ = "read-key-of-the-tests";

/** Whatever an answer should have: tests read it member by member. */
export type ParsedJson = ReturnType<typeof JSON.parse>;

/** Settings that differ from the tests' own; undefined takes one away. */
export type WireSettings = { readonly [Name in SettingName]?: Configuration[Name] | undefined };

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined if it is empty or not JSON. */
  readonly json: ParsedJson;
}

export interface WireRequest {
  /** Sent in the Authorization header as it is; none if undefined. */
  readonly key?: string | undefined;
  /** A string or bytes are sent as they are, anything else as JSON with its content type. */
  readonly body?: unknown;
  /** Besides or in place of those that follow from the rest; undefined leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined };
}

/** Where servers of wire tests keep what they are given: in their folder unless a test says otherwise. */
export interface WireStorage {
  readonly isCluster: boolean;
  /** What a server needs to be started on a folder, the first time and again. */
  settings(folder: string): WireSettings;
  remove(folder: string): Promise<void>;
}

let storage: WireStorage = { isCluster: false, settings: () => ({}), remove: async () => undefined };

/** From now on servers of this process are started on other storage. */
export function keepIn(other: WireStorage): void {
  storage = other;
}

/**
 * Whether servers keep what they are given in a cluster rather than in their folder. Tests of what is one or the other's
 * alone are left out by it (docs/cluster.md).
 */
export function isOnCluster(): boolean {
  return storage.isCluster;
}

/** A running server on a free port over a temporary folder, and a client that sends exactly what it is told. */
export class WireServer {
  readonly folder: string;
  readonly running: RunningServer;
  readonly logLines: string[];
  readonly #agent: Agent = new Agent({ keepAlive: true });

  private constructor(folder: string, running: RunningServer, logLines: string[]) {
    this.folder = folder;
    this.running = running;
    this.logLines = logLines;
  }

  static async start(
    settings: WireSettings = {},
    options: StartOptions & { readonly folder?: string } = {},
  ): Promise<WireServer> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), "findling-wire-"));
    const logLines: string[] = [];
    const given = {
      port: 0,
      dataDir: folder,
      adminKey: ADMIN,
      ingestKey: INGEST,
      readKey: READ,
      // A busy machine is no reason to give a search up.
      searchTimeoutMs: 60_000,
      ...storage.settings(folder),
      ...settings,
    };
    const configuration = withoutUndefined({ ...loadConfiguration({ env: {} }), ...given }) as Configuration;
    const logDestination = { write: (line: string) => void logLines.push(line) };
    const running = await startServer(configuration, { logDestination, ...options });
    return new WireServer(folder, running, logLines);
  }

  /** Stops the server and leaves its folder for another one. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.running.stop();
  }

  async stopAndRemove(): Promise<void> {
    await this.stop();
    await storage.remove(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }

  send(method: string, path: string, request: WireRequest = {}): Promise<WireAnswer> {
    const isRaw = typeof request.body === "string" || request.body instanceof Uint8Array;
    const body = bytesOf(request.body);
    const headers: OutgoingHttpHeaders = withoutUndefined({
      ...(request.key !== undefined && { authorization: request.key }),
      ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
      ...(body !== undefined && { "content-length": String(body.length) }),
      ...request.headers,
    });
    return new Promise((resolve, reject) => {
      const { port } = this.running.address;
      const message = httpRequest(
        { port, host: "127.0.0.1", method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json: parsed(text),
            });
          });
        },
      );
      message.on("error", reject);
      message.end(body);
    });
  }

  get(path: string, key: string = ADMIN): Promise<WireAnswer> {
    return this.send("GET", path, { key });
  }

  post(path: string, body?: unknown, key: string = ADMIN): Promise<WireAnswer> {
    return this.send("POST", path, { key, body });
  }

  put(path: string, body?: unknown, key: string = ADMIN): Promise<WireAnswer> {
    return this.send("PUT", path, { key, body });
  }

  patch(path: string, body?: unknown, key: string = ADMIN): Promise<WireAnswer> {
    return this.send("PATCH", path, { key, body });
  }

  delete(path: string, body?: unknown, key: string = ADMIN): Promise<WireAnswer> {
    return this.send("DELETE", path, { key, body });
  }

  /** For what `send` doesn't write: several requests over one connection, in pieces, or half of one. */
  async withConnection<T>(run: (socket: Socket) => Promise<T>): Promise<T> {
    const socket = connect(this.running.address.port, "127.0.0.1");
    try {
      return await run(socket);
    } finally {
      socket.destroy();
    }
  }

  /** What was logged of one request; that is written when the answer has left, which may be after it has arrived. */
  async logLineOf(requestId: unknown): Promise<ParsedJson> {
    const find = (): string | undefined =>
      this.logLines.find((line) => line.includes(`"request_id":"${String(requestId)}"`));
    await expect.poll(find).toBeDefined();
    return JSON.parse(find()!);
  }

  /** Creates an index, with an `id` and a `title` unless told otherwise. */
  async createIndex(name: string, index: Record<string, unknown> = {}): Promise<void> {
    const fields = { id: { type: "text" }, title: { type: "text" } };
    const answer = await this.post("/index", { index: { name, fields, ...index } });
    if (answer.status !== 200) throw new Error(`creating '${name}' failed: ${answer.text}`);
  }

  /** Adds documents, commits, and yields their internal ids. */
  async addCommitted(index: string, documents: readonly object[]): Promise<readonly string[]> {
    const added = await this.post(`/index/${index}/documents`, documents);
    if (added.status !== 200) throw new Error(`adding to '${index}' failed: ${added.text}`);
    const committed = await this.post(`/index/${index}/commit`);
    if (committed.status !== 200) throw new Error(`committing '${index}' failed: ${committed.text}`);
    return added.json.data.ids;
  }

  /** The `id` fields of the hits of an exact query, in order. */
  async idsOf(index: string, ctx: string): Promise<readonly unknown[]> {
    const answer = await this.post(`/index/${index}/search`, { query: { exact: { ctx } }, limit: 200 });
    if (answer.status !== 200) throw new Error(`searching '${index}' failed: ${answer.text}`);
    return answer.json.data.hits.map((hit: { doc: { id?: unknown } }) => hit.doc.id);
  }
}

function withoutUndefined<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
