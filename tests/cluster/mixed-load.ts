import { setTimeout as wait } from "node:timers/promises";
import type { Operation } from "./history.js";
import { ADMIN_KEY, type ServerProcess } from "./server-process.js";

/** What a call that failed says of the service. */
export interface Failure {
  readonly at: number;
  readonly kind: Operation["kind"];
  readonly what: string;
  /** Whether it is one of those that there may be while a node or a server is gone. */
  readonly isAllowed: boolean;
  /** Whether it is for the server that isn't there. */
  readonly isOfAbsentServer: boolean;
}

/** When a call that succeeded began and ended, for how long nothing came through. */
interface Success {
  readonly kind: Operation["kind"];
  readonly invoked: number;
  readonly returned: number;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly data?: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>;
}

const CALL_TIMEOUT_MS = 60_000;
/** Documents of one write, at most. */
const WRITE_MAX = 4;
const READ_LIMIT = 5_000;
/** Milliseconds between two calls of a client, at most. */
const PAUSE_MS = 120;
/** As the answers' `Retry-After` asks for; besides, the history has fewer calls of which nobody knows whether they happened. */
const PAUSE_AFTER_FAILURE_MS = 1_000;
/** How long before a kill was done, or after a server was back, a connection to it may still break. */
const ABSENCE_SLACK_MS = 500;

/** Clients that write, delete, commit, roll back and read one index by several servers, and note what came of it. */
export class MixedLoad {
  readonly #servers: readonly ServerProcess[];
  readonly #index: string;
  readonly operations: Operation[] = [];
  readonly failures: Failure[] = [];
  readonly successes: Success[] = [];
  /** Writes that were acknowledged, of which deletes take some. */
  readonly #written: (readonly string[])[] = [];
  #count = 0;
  #isOver = false;
  #clients: Promise<void>[] = [];

  constructor(servers: readonly ServerProcess[], index: string) {
    this.#servers = servers;
    this.#index = index;
  }

  /** Makes the index. */
  async prepare(): Promise<void> {
    const text = { type: "text" };
    const index = { name: this.#index, fields: { id: text, batch: text, every: text } };
    for (;;) {
      const answer = await this.#send(this.#servers[0]!, "POST", "/index", { index });
      if (answer.status === 200 || answer.body.data?.["code"] === "index_exists") break;
      await wait(200);
    }
    // Others know of it within a second.
    for (const server of this.#servers) {
      while ((await this.#send(server, "GET", `/index/${this.#index}`)).status !== 200) await wait(50);
    }
  }

  start(clients: number): void {
    this.#clients = Array.from({ length: clients }, (_, i) => this.#client(i));
  }

  /** Lets running calls end; then what is pending is committed and read once more by every server. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    for (const server of this.#servers) {
      await this.#untilDone(() => this.#commit(server));
      await this.#untilDone(() => this.#read(server));
    }
  }

  async #client(number: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const server = this.#servers[(number + round) % this.#servers.length]!;
      const isDone = await this.#something(server);
      await wait(isDone ? Math.random() * PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
    }
  }

  #something(server: ServerProcess): Promise<boolean> {
    const dice = Math.random();
    if (dice < 0.4) return this.#read(server);
    if (dice < 0.75) return this.#write(server);
    if (dice < 0.8) return this.#delete(server);
    if (dice < 0.95) return this.#commit(server);
    return this.#rollback(server);
  }

  async #write(server: ServerProcess): Promise<boolean> {
    const batch = `b${this.#count++}`;
    const documents = Array.from(
      { length: 1 + Math.floor(Math.random() * WRITE_MAX) },
      (_, i) => `${batch}-${i}`,
    );
    const answer = await this.#call(
      server,
      { kind: "write", documents },
      {
        method: "POST",
        path: "/documents",
        body: documents.map((id) => ({ id, batch, every: "ledger" })),
      },
    );
    if (answer !== null) this.#written.push(documents);
    return answer !== null;
  }

  async #delete(server: ServerProcess): Promise<boolean> {
    const documents = this.#written[Math.floor(Math.random() * this.#written.length)];
    if (documents === undefined) return true;
    const [batch] = documents[0]!.split("-");
    const answer = await this.#call(
      server,
      { kind: "delete", documents },
      { method: "DELETE", path: "/documents/query", body: { query: { exact: { ctx: `batch:${batch}` } } } },
    );
    return answer !== null;
  }

  async #commit(server: ServerProcess): Promise<boolean> {
    return (await this.#call(server, { kind: "commit" }, { method: "POST", path: "/commit" })) !== null;
  }

  async #rollback(server: ServerProcess): Promise<boolean> {
    return (await this.#call(server, { kind: "rollback" }, { method: "POST", path: "/rollback" })) !== null;
  }

  async #read(server: ServerProcess): Promise<boolean> {
    const body = { query: { exact: { ctx: "every:ledger" } }, limit: READ_LIMIT };
    return (await this.#call(server, { kind: "read" }, { method: "POST", path: "/search", body })) !== null;
  }

  /** Null if it failed, which is noted. */
  async #call(
    server: ServerProcess,
    what:
      | { readonly kind: "write" | "delete"; readonly documents: readonly string[] }
      | { readonly kind: "commit" | "rollback" | "read" },
    request: { readonly method: string; readonly path: string; readonly body?: unknown },
  ): Promise<Answer | null> {
    const invoked = performance.now();
    let answer: Answer | undefined;
    let problem: string | undefined;
    try {
      const path = `/index/${this.#index}${request.path}`;
      answer = await this.#send(server, request.method, path, request.body);
    } catch (error) {
      problem = `no answer: ${String((error as { readonly cause?: unknown }).cause ?? error)}`;
    }
    const returned = performance.now();
    if (answer?.status === 200) {
      this.successes.push({ kind: what.kind, invoked, returned });
      this.#note(what, answer, { invoked, returned });
      return answer;
    }
    const code = answer?.body.data?.["code"];
    problem ??= `${answer!.status} ${String(code)} ${JSON.stringify(answer!.body).slice(0, 300)}`;
    const isOfAbsentServer = answer === undefined && wasAbsent(server, invoked, returned);
    const isAllowed =
      isOfAbsentServer ||
      ((code === "storage_unavailable" || code === "rate_limited") && answer?.retryAfter != null);
    this.failures.push({ at: returned, kind: what.kind, what: problem, isAllowed, isOfAbsentServer });
    if (what.kind === "read") return null;
    if (what.kind === "delete")
      this.operations.push({ ...what, kind: "delete", count: 0, invoked, returned: null });
    else this.operations.push({ ...what, invoked, returned: null } as Operation);
    return null;
  }

  #note(
    what: { readonly kind: Operation["kind"]; readonly documents?: readonly string[] },
    { body }: Answer,
    at: { readonly invoked: number; readonly returned: number },
  ): void {
    const { kind, documents = [] } = what;
    switch (kind) {
      case "read": {
        const hits = body.data!["hits"] as readonly { readonly doc: { readonly id: string } }[];
        this.operations.push({ kind, documents: hits.map(({ doc }) => doc.id), ...at });
        return;
      }
      case "delete":
        this.operations.push({
          kind,
          documents,
          count: Number(body.data!["num_removed"]),
          ...at,
        });
        return;
      case "write":
        this.operations.push({ kind, documents, ...at });
        return;
      default:
        this.operations.push({ kind, ...at });
    }
  }

  async #send(server: ServerProcess, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: ADMIN_KEY, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      body: JSON.parse(text) as Answer["body"],
    };
  }

  async #untilDone(call: () => Promise<boolean>): Promise<void> {
    const giveUpAt = performance.now() + CALL_TIMEOUT_MS;
    while (!(await call())) {
      if (performance.now() > giveUpAt) throw new Error(`index '${this.#index}' doesn't come back`);
      await wait(100);
    }
  }
}

function wasAbsent({ absences }: ServerProcess, from: number, to: number): boolean {
  return absences.some(
    (absence) => absence.from - ABSENCE_SLACK_MS <= to && from <= absence.to + ABSENCE_SLACK_MS,
  );
}
