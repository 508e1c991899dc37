// Properties: the client has one method for every row of the route table, and each sends that row's
// method and path; answers are opened, errors keep their parts, failures are told apart.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OperationId, ROUTE_TABLE } from "../contract/route-table.js";
import { FindlingClient, FindlingClientError, JsonText } from "./index.js";

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let client: FindlingClient;
let url: string;
let seen: SeenRequest[];
let answer: {
  status: number;
  body: string;
  headers?: Record<string, string>;
  drop?: boolean;
  delayMs?: number;
};

beforeEach(async () => {
  seen = [];
  answer = { status: 200, body: '{"status":200,"data":"yes"}' };
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      if (answer.drop === true) {
        request.socket.destroy();
        return;
      }
      setTimeout(
        () => response.writeHead(answer.status, answer.headers).end(answer.body),
        answer.delayMs ?? 0,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new FindlingClient({ url: `${url}/`, key: "secret" });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function failure(promise: Promise<unknown>): Promise<FindlingClientError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FindlingClientError);
  return error as FindlingClientError;
}

const draft = { name: "a b", fields: { id: { type: "text" } } } as const;

const event = {
  event_name: "document_clicked",
  properties: { searchcraft_index_names: [] },
  user: { user_id: "u" },
} as const;

const QUERIES: Partial<Record<OperationId, string>> = {
  createBackup: "",
  restoreIndex: "",
  getDocument: "?version=true",
  getDocumentByKey: "?version=true",
  suggest: "?q=wo&limit=5",
  addDocuments: "?on_error=skip",
  updateDocuments: "?upsert=true",
  exportMeasureEvents: "?format=ndjson",
  getLog: "?after=7",
};

/** What isn't for this client: MCP has clients of its own, and orchestrators ask by themselves. */
const OTHERS = ["callMcp", "checkLiveness", "checkReadiness"] as const;
type CalledOperation = Exclude<OperationId, (typeof OTHERS)[number]>;

/** One call of every operation, with the value that each path parameter then has. */
const CALLS: Readonly<Record<CalledOperation, (client: FindlingClient) => Promise<unknown>>> = {
  checkHealth: (c) => c.checkHealth(),
  getMetrics: async (c) => (JSON.parse(await c.getMetrics()) as { data: unknown }).data,
  listIndexes: (c) => c.listIndexes(),
  getAllIndexStats: (c) => c.getAllIndexStats(),
  createIndex: (c) => c.createIndex(draft),
  getIndex: (c) => c.getIndex("p/1"),
  getIndexStats: (c) => c.getIndexStats("p/1"),
  replaceIndex: (c) => c.replaceIndex("p/1", draft),
  patchIndex: (c) => c.patchIndex("p/1", { auto_commit_delay: 1 }),
  patchIndexSettings: (c) => c.patchIndexSettings("p/1", { symbols: "+#" }),
  patchIndexFields: (c) => c.patchIndexFields("p/1", { colour: { type: "text" } }),
  deleteIndex: (c) => c.deleteIndex("p/1"),
  addDocuments: (c) => c.addDocuments("p/1", [{ id: "1" }], { onError: "skip" }),
  getDocument: (c) => c.getDocument("p/1", "p/2", { version: true }),
  deleteDocumentsByField: (c) => c.deleteDocumentsByField("p/1", "id", ["1", "2"]),
  deleteDocumentsByQuery: (c) => c.deleteDocumentsByQuery("p/1", { exact: { ctx: "*" } }),
  deleteAllDocuments: (c) => c.deleteAllDocuments("p/1"),
  listAliases: (c) => c.listAliases(),
  putAlias: (c) => c.putAlias("p/1", "b"),
  deleteAlias: (c) => c.deleteAlias("p/1"),
  swapAliases: (c) => c.swapAliases([{ alias: "a", index: "b" }]),
  updateDocuments: (c) => c.updateDocuments("p/1", [{ _id: "1", title: null }], { upsert: true }),
  getDocumentByKey: (c) => c.getDocumentByKey("p/1", "p/2", { version: true }),
  deleteDocumentByKey: (c) => c.deleteDocumentByKey("p/1", "p/2"),
  deleteDocument: (c) => c.deleteDocument("p/1", "p/2"),
  searchIndex: (c) => c.searchIndex("p/1", { query: "words" }),
  suggest: (c) => c.suggest("p/1", "wo", { limit: 5 }),
  getCapabilities: (c) => c.getCapabilities("p/1"),
  summarizeSearch: async (c) => {
    await (await c.summarizeSearch("p/1", { query: "words", sources: true })).return();
    return "yes";
  },
  summarizeSearchAsText: async (c) => {
    await (await c.summarizeSearchAsText("p/1", { query: "words" })).cancel();
    return "yes";
  },
  searchFederation: (c) => c.searchFederation("p/1", { query: "words" }),
  getSynonyms: (c) => c.getSynonyms("p/1"),
  addSynonyms: (c) => c.addSynonyms("p/1", ["ny:new york"]),
  deleteSynonyms: (c) => c.deleteSynonyms("p/1", ["ny"]),
  deleteAllSynonyms: (c) => c.deleteAllSynonyms("p/1"),
  getStopwords: (c) => c.getStopwords("p/1"),
  addStopwords: (c) => c.addStopwords("p/1", ["gmbh"]),
  deleteStopwords: (c) => c.deleteStopwords("p/1", ["gmbh"]),
  deleteAllStopwords: (c) => c.deleteAllStopwords("p/1"),
  commitIndex: (c) => c.commitIndex("p/1"),
  rollbackIndex: (c) => c.rollbackIndex("p/1"),
  listFederations: (c) => c.listFederations(),
  listFederationsOfOrganization: (c) => c.listFederationsOfOrganization("p/1"),
  getFederation: (c) => c.getFederation("p/1"),
  getFederationStats: (c) => c.getFederationStats("p/1"),
  createFederation: (c) => c.createFederation({ name: "a", index_configurations: [{ name: "b" }] }),
  replaceFederation: (c) => c.replaceFederation("p/1", { index_configurations: [{ name: "b" }] }),
  deleteFederation: (c) => c.deleteFederation("p/1"),
  getMeasureStatus: (c) => c.getMeasureStatus(),
  recordMeasureEvent: (c) => c.recordMeasureEvent(event),
  recordMeasureBatch: (c) => c.recordMeasureBatch([event]),
  getSummaryDashboard: (c) => c.getSummaryDashboard({ index_names: ["a", "b"], rpp: 5 }),
  getConversionDashboard: (c) => c.getConversionDashboard({ index_names: ["a", "b"], rpp: 5 }),
  getUsageDashboard: (c) => c.getUsageDashboard({ index_names: ["a", "b"], rpp: 5 }),
  getBreakdownDashboard: (c) => c.getBreakdownDashboard({ index_names: ["a", "b"], rpp: 5 }),
  exportMeasureEvents: async (c) => {
    const file = await c.exportMeasureEvents({ format: "ndjson" });
    return (JSON.parse(await new Response(file).text()) as { data: unknown }).data;
  },
  deleteMeasureUser: (c) => c.deleteMeasureUser("p/1"),
  listKeys: (c) => c.listKeys(),
  getOverview: (c) => c.getOverview(),
  listSlowSearches: (c) => c.listSlowSearches(),
  getLog: (c) => c.getLog({ after: 7 }),
  getConfiguration: (c) => c.getConfiguration(),
  describeCaller: (c) => c.describeCaller(),
  signInWithCode: (c) => c.signInWithCode("code"),
  createKey: (c) => c.createKey({ permissions: 1 }),
  deleteAllKeys: (c) => c.deleteAllKeys(),
  getKey: (c) => c.getKey("p/1"),
  updateKey: (c) => c.updateKey("p/1", { name: "x" }),
  deleteKey: (c) => c.deleteKey("p/1"),
  listKeysOfApplication: (c) => c.listKeysOfApplication("p/1"),
  listKeysOfOrganization: (c) => c.listKeysOfOrganization("p/1"),
  listKeysOfFederation: (c) => c.listKeysOfFederation("p/1"),
  listKeysOfIndex: (c) => c.listKeysOfIndex("p/1"),
  checkPermission: (c) => c.checkPermission(63),
  listBackups: (c) => c.listBackups(),
  createBackup: (c) => c.createBackup(),
  verifyBackup: (c) => c.verifyBackup("p/1"),
  restoreIndex: (c) => c.restoreIndex("p/1", { index: "a", as: "b" }),
};

function isCalled(operation: OperationId): operation is CalledOperation {
  return !OTHERS.some((other) => other === operation);
}

describe("FindlingClient", () => {
  const called = ROUTE_TABLE.flatMap((row) =>
    isCalled(row.operationId) ? [[row.operationId, row] as const] : [],
  );
  it.each(called)("%s sends its route", async (operationId, row) => {
    expect(await CALLS[operationId](client)).toBe("yes");
    let parameters = 0;
    const path = row.path.replaceAll(/:[a-z_]+/g, () => {
      parameters++;
      return operationId === "checkPermission" ? "63" : `p%2F${parameters}`;
    });
    const [request] = seen;
    const query = row.query === undefined ? "" : (QUERIES[operationId] ?? "?index_names=a%7Cb&rpp=5");
    expect(`${request!.method} ${request!.path}`).toBe(`${row.method} ${path}${query}`);
    expect(request!.headers.authorization).toBe("secret");
    expect(request!.body === "").toBe(row.body === null);
    if (row.body !== null) expect(request!.headers["content-type"]).toBe("application/json");
  });

  it("tells why a file is not to be had, and ends one that is no longer wanted", async () => {
    answer = {
      status: 403,
      body: '{"status":403,"message":"no","data":{"code":"insufficient_permissions"}}',
    };
    expect(await failure(client.exportMeasureEvents())).toMatchObject({
      status: 403,
      code: "insufficient_permissions",
    });
    answer = { status: 200, body: "", delayMs: 5_000 };
    const late = client.exportMeasureEvents({}, { timeoutMs: 50 });
    expect(await failure(late)).toMatchObject({ code: "timeout" });
    const unwanted = new AbortController();
    const aborted = client.exportMeasureEvents({}, { signal: unwanted.signal });
    unwanted.abort();
    await expect(aborted).rejects.toThrow();
  });

  it("sends bodies as the contract has them", async () => {
    await client.createIndex(draft, { overrideIfExists: true });
    await client.replaceIndex("a", draft);
    await client.addDocuments("a", new JsonText('[{"id":"1"}]'));
    await client.deleteDocumentsByField("a", "id", ["1", "2"]);
    await client.deleteDocumentsByQuery("a", "words");
    expect(seen.map((request) => request.body)).toEqual([
      JSON.stringify({ override_if_exists: true, index: draft }),
      JSON.stringify({ index: draft }),
      '[{"id":"1"}]',
      '{"id":["1","2"]}',
      '{"query":"words"}',
    ]);
  });

  it("sends no key where it has none", async () => {
    await new FindlingClient({ url }).checkHealth();
    expect(seen[0]!.headers.authorization).toBeUndefined();
  });

  it("keeps every part of an error answer", async () => {
    const errors = [{ path: "[3].rating", message: "not a number" }];
    answer = {
      status: 429,
      body: JSON.stringify({
        status: 429,
        message: "too much",
        data: { error: "too much", code: "rate_limited", details: "slow down", errors },
      }),
      headers: { "retry-after": "7" },
    };
    const error = await failure(client.commitIndex("a"));
    expect(error).toMatchObject({
      status: 429,
      code: "rate_limited",
      message: "too much",
      details: "slow down",
      errors,
      retryAfterSeconds: 7,
    });
  });

  it("says when the answer is not from a findling server", async () => {
    answer = { status: 200, body: "<html>" };
    expect(await failure(client.checkHealth())).toMatchObject({ status: 200, code: "not_findling" });
    answer = { status: 502, body: "Bad Gateway" };
    expect(await failure(client.checkHealth())).toMatchObject({ status: 502, code: "not_findling" });
  });

  it("tells a request that was never sent from one whose answer was lost", async () => {
    answer = { status: 200, body: "", drop: true };
    expect(await failure(client.commitIndex("a"))).toMatchObject({ status: 0, code: "connection_lost" });
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(client.commitIndex("a"))).toMatchObject({ status: 0, code: "unreachable" });
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });

  it("repeats no key that HTTP can't carry", async () => {
    for (const key of ["secret\nkey", "鍵secret"]) {
      const error = await failure(new FindlingClient({ url: "http://127.0.0.1:9", key }).checkHealth());
      expect(error).toMatchObject({ status: 0 });
      expect((error as Error).message).not.toContain("secret");
    }
  });

  it("gives up after its timeout, and when the caller aborts", async () => {
    answer = { status: 200, body: "{}", delayMs: 60_000 };
    expect(await failure(client.checkHealth({ timeoutMs: 20 }))).toMatchObject({
      status: 0,
      code: "timeout",
    });
    const abort = new AbortController();
    const pending = failure(client.checkHealth({ signal: abort.signal }));
    abort.abort();
    expect(await pending).toMatchObject({ status: 0, code: "aborted" });
  });
});
