// Contract 2.2 to 2.4 as a matrix: every route of the table, every kind of key, in and out of scope.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, ROUTE_TABLE, type RouteRow } from "../../src/contract/route-table.js";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { ADMIN, INGEST, READ, type WireAnswer, WireServer } from "./wire-server.js";

/** Contract 2.3, by hand: the bits that a route needs; "none": no key, "any": any active key. */
const NEEDED: Readonly<Record<OperationId, number | "none" | "any">> = {
  checkHealth: "none",
  checkLiveness: "none",
  checkReadiness: "none",
  getMetrics: 32,
  searchIndex: 1,
  searchFederation: 1,
  suggest: 1,
  getCapabilities: 1,
  summarizeSearch: 1,
  summarizeSearchAsText: 1,
  listIndexes: 1,
  getAllIndexStats: 1,
  getIndex: 4,
  getIndexStats: 4,
  patchIndex: 4,
  patchIndexSettings: 4,
  patchIndexFields: 4,
  replaceIndex: 4,
  deleteIndex: 4,
  createIndex: 16,
  addDocuments: 2,
  getDocument: 2,
  deleteDocumentsByField: 2,
  deleteDocumentsByQuery: 2,
  deleteAllDocuments: 2,
  deleteDocument: 2,
  getDocumentByKey: 2,
  listAliases: 1,
  putAlias: 16,
  deleteAlias: 16,
  swapAliases: 16,
  updateDocuments: 2,
  deleteDocumentByKey: 2,
  getSynonyms: 1,
  addSynonyms: 2,
  deleteSynonyms: 2,
  deleteAllSynonyms: 2,
  getStopwords: 1,
  addStopwords: 2,
  deleteStopwords: 2,
  deleteAllStopwords: 2,
  commitIndex: 2,
  rollbackIndex: 2,
  listFederations: 32,
  listFederationsOfOrganization: 32,
  getFederation: 32,
  getFederationStats: 32,
  createFederation: 32,
  replaceFederation: 32,
  deleteFederation: 32,
  getMeasureStatus: "none",
  recordMeasureEvent: 2,
  recordMeasureBatch: 2,
  getSummaryDashboard: 2,
  getConversionDashboard: 2,
  getUsageDashboard: 2,
  getBreakdownDashboard: 2,
  exportMeasureEvents: 32,
  deleteMeasureUser: 32,
  listKeys: 40,
  createKey: 40,
  deleteAllKeys: 40,
  getKey: 40,
  updateKey: 40,
  deleteKey: 40,
  listKeysOfApplication: 40,
  listKeysOfOrganization: 40,
  listKeysOfFederation: 40,
  listKeysOfIndex: 40,
  checkPermission: "any",
  getOverview: 63,
  listSlowSearches: 63,
  getLog: 63,
  getConfiguration: 63,
  describeCaller: "any",
  signInWithCode: "none",
  listBackups: 63,
  createBackup: 63,
  verifyBackup: 63,
  restoreIndex: 63,
  callMcp: "any",
};

/** No index or federation of this name exists, so that a request let through is answered 404 and changes nothing. */
const TARGET = "absent";
/** Each bit alone, each bit missing, and the kinds of key that clients make. */
const BITS = [1, 2, 4, 8, 16, 32, 64];
const MASKS = [...BITS, ...BITS.map((bit) => 127 - bit), 15, 40, 127];
const ADMIN_MASK = 63;

let server: WireServer;
/** Made when first asked for, by mask and scope. */
const keys = new Map<string, string>();

beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const SCOPES = {
  in: { allowed_indexes: [TARGET] },
  all: { allowed_indexes: ["*"] },
  out: { allowed_indexes: ["other"] },
  nothing: {},
  inactive: { allowed_indexes: ["*"], status: "inactive" },
  expired: { allowed_indexes: ["*"], expires_at: "2020-01-01" },
} as const;

async function keyOf(mask: number, scope: keyof typeof SCOPES): Promise<string> {
  const known = keys.get(`${mask} ${scope}`);
  if (known !== undefined) return known;
  const key = await createKey({ permissions: mask, ...SCOPES[scope] });
  keys.set(`${mask} ${scope}`, key);
  return key;
}

async function createKey(body: object): Promise<string> {
  const answer = await server.post("/auth/key", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.key;
}

/** The route with its parameters filled in and a body that it accepts. */
function call(row: RouteRow, key: string | undefined): Promise<WireAnswer> {
  const path = row.path
    .replace(":permission", "0")
    .replace(":key", "someone-elses-key")
    .replace(/:[a-z_]+/g, TARGET);
  const body = row.body === null ? undefined : (BODIES[row.operationId] ?? {});
  return server.send(row.method, path, { key, body });
}

const BODIES: Partial<Record<OperationId, unknown>> = {
  // Refused after the permission check, whatever the key.
  createIndex: { index: { name: TARGET, fields: {} } },
  addDocuments: [{ id: "1" }],
  deleteDocumentsByField: { id: "1" },
  deleteDocumentsByQuery: { query: { exact: { ctx: "*" } } },
  searchIndex: { query: "x" },
  searchFederation: { query: "x" },
  createKey: {},
};

test("the matrix has a row for every route of the table, and no other", () => {
  expect(Object.keys(NEEDED).toSorted()).toEqual(ROUTE_TABLE.map((row) => row.operationId).toSorted());
});

describe.each(ROUTE_TABLE.map((row) => [`${row.method} ${row.path}`, row] as const))("%s", (_name, row) => {
  const needed = NEEDED[row.operationId];

  if (needed === "none") {
    test.each([undefined, "", "unknown-key-of-nobody", READ])(
      "answers without looking at the key: %s",
      async (key) => {
        // A body without a code is refused for that alone.
        expect((await call(row, key)).status).toBe(row.operationId === "signInWithCode" ? 400 : 200);
      },
    );
    return;
  }

  test("without a key, with an empty one, an unknown one, an inactive one, an expired one: 401", async () => {
    expectError(await call(row, undefined), 401, "missing_key");
    expectError(await call(row, ""), 401, "missing_key");
    expectError(await call(row, "Bearer "), 401, "missing_key");
    expectError(await call(row, "unknown-key-of-nobody"), 401, "invalid_key");
    expectError(await call(row, await keyOf(63, "inactive")), 401, "inactive_key");
    expectError(await call(row, await keyOf(63, "expired")), 401, "inactive_key");
  });

  const hasIndexName = /:(index|alias)_name/.test(row.path);
  for (const mask of MASKS) {
    const isAdmin = (mask & ADMIN_MASK) === ADMIN_MASK;
    const holdsBits = needed === "any" || (mask & needed) === needed;
    for (const scope of ["in", "all", "out", "nothing"] as const) {
      // Nobody knows which indexes an absent federation has, so only those with all of them may ask for it.
      const isUnscoped = isAdmin || scope === "all";
      const isInScope =
        isUnscoped ||
        (!["federation", "federation_indexes", "everything"].includes(row.scope) &&
          (!hasIndexName || scope === "in"));
      const verdict = !holdsBits ? "insufficient_permissions" : !isInScope ? "index_not_allowed" : "allowed";
      // What the body names counts as well (contract 2.4); a test of its own below has that.
      if (
        row.operationId === "createIndex" &&
        holdsBits &&
        !isAdmin &&
        (scope === "out" || scope === "nothing")
      )
        continue;

      test(`mask ${mask}, scope ${scope}: ${verdict}`, async () => {
        const answer = await call(row, await keyOf(mask, scope));
        if (verdict === "allowed") expect([401, 403], answer.text).not.toContain(answer.status);
        else expectError(answer, 403, verdict);
        if (row.operationId === "deleteAllKeys" && answer.status === 200) keys.clear();
      });
    }
  }
});

describe("the header (contract 1.2)", () => {
  test.each([ADMIN, `  ${ADMIN}  `, `Bearer ${ADMIN}`, `bearer ${ADMIN}`, `BEARER   ${ADMIN} `])(
    "takes the raw key or a bearer token, any case, spaces trimmed: '%s'",
    async (value) => {
      expect((await server.send("GET", "/auth/key", { headers: { authorization: value } })).status).toBe(200);
    },
  );

  test.each([
    `Basic ${ADMIN}`,
    `${ADMIN}x`,
    ADMIN.slice(1),
    ADMIN.toUpperCase(),
    `Bearer Bearer ${ADMIN}`,
    "__proto__",
    "constructor",
  ])("takes nothing else: '%s'", async (value) => {
    expectError(
      await server.send("GET", "/auth/key", { headers: { authorization: value } }),
      401,
      "invalid_key",
    );
  });
});

describe("configured keys (contract 2.1)", () => {
  test("admin, ingest and read do what their masks 127, 15 and 1 say", async () => {
    const held = async (key: string, mask: number): Promise<number> =>
      (await server.get(`/auth/key/check/${mask}`, key)).status;
    expect(await Promise.all([held(ADMIN, 127), held(INGEST, 15), held(READ, 1)])).toEqual([200, 200, 200]);
    expect(await Promise.all([held(INGEST, 16), held(READ, 2)])).toEqual([403, 403]);
  });

  test("cannot be listed, read, changed or deleted over the API", async () => {
    const listed = (await server.get("/auth/key")).json.data as { key: string }[];
    expect(listed.map(({ key }) => key)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/-of-the-tests$/)]),
    );
    for (const key of [ADMIN, INGEST, READ]) {
      expectError(await server.post(`/auth/key/${key}`, { name: "mine" }), 404, "key_not_found");
      expectError(await server.delete(`/auth/key/${key}`), 404, "key_not_found");
    }
  });
});

describe("a caller's own key (contract 2.3)", () => {
  test("may read and delete itself with any permission, and nobody else", async () => {
    const own = await createKey({ permissions: 2, name: "plugin" });
    const other = await createKey({ permissions: 2 });
    expect((await server.get(`/auth/key/${own}`, own)).json.data).toMatchObject({ key: own, name: "plugin" });
    expectError(await server.get(`/auth/key/${other}`, own), 403, "insufficient_permissions");
    expectError(await server.delete(`/auth/key/${other}`, undefined, own), 403, "insufficient_permissions");
    expectError(
      await server.post(`/auth/key/${own}`, { permissions: 63 }, own),
      403,
      "insufficient_permissions",
    );
    expectPlainSuccess(await server.delete(`/auth/key/${own}`, undefined, own), "key deleted");
    expectError(await server.get(`/auth/key/${own}`, own), 401, "invalid_key");
  });
});

describe("POST /index: the name in the body must be in scope (contract 2.4), before anything else of it counts", () => {
  const bodies = (name: string): readonly unknown[] => [
    { index: { name, fields: { id: { type: "text" } } } },
    { index: { name, index: { name, fields: 7 } } },
    { override_if_exists: "yes", index: { name } },
    { name, fields: {} },
  ];

  test.each(["in", "all"] as const)("mask 16, scope %s: let through to validation", async (scope) => {
    for (const body of bodies(TARGET).slice(1)) {
      const answer = await server.post("/index", body, await keyOf(16, scope));
      expect(answer.status, answer.text).toBe(400);
    }
    expect((await server.post("/index", bodies(TARGET)[0], await keyOf(16, scope))).status).toBe(200);
    await server.delete(`/index/${TARGET}`);
  });

  test.each(["out", "nothing"] as const)(
    "mask 16, scope %s: 403 whether or not the index exists",
    async (scope) => {
      await server.createIndex("taken-already");
      for (const name of [TARGET, "taken-already"]) {
        for (const body of bodies(name)) {
          expectError(await server.post("/index", body, await keyOf(16, scope)), 403, "index_not_allowed");
        }
      }
      await server.delete("/index/taken-already");
    },
  );

  test("a key that holds all of 63 ignores its scope", async () => {
    for (const scope of ["out", "nothing"] as const) {
      expect((await server.post("/index", bodies("anywhere")[0], await keyOf(63, scope))).status).toBe(200);
      await server.delete("/index/anywhere");
    }
  });
});

describe("ai_enabled in a body needs bits 4 and 16 (contract 2.3)", () => {
  const fields = { id: { type: "text" } };
  const bodies: readonly (readonly [string, string, unknown])[] = [
    ["PATCH", "flat", { ai_enabled: false }],
    ["PATCH", "flat true", { ai_enabled: true }],
    ["PUT", "in index", { index: { fields, ai_enabled: true } }],
    ["PUT", "nested twice", { index: { name: "shelf", index: { fields, ai_enabled: true } } }],
    ["PUT", "bare", { name: "shelf", fields, ai_enabled: false }],
  ];

  test.each(bodies)("%s, %s: 403 before existence, allowed with both bits", async (method, _where, body) => {
    const four = await createKey({ permissions: 4, allowed_indexes: ["*"] });
    const both = await createKey({ permissions: 4 + 16, allowed_indexes: ["*"] });
    expectError(
      await server.send(method, "/index/nowhere", { key: four, body }),
      403,
      "insufficient_permissions",
    );
    expectError(await server.send(method, "/index/nowhere", { key: both, body }), 404, "index_not_found");
  });

  test("a body without it needs bit 4 only", async () => {
    const four = await createKey({ permissions: 4, allowed_indexes: ["*"] });
    expectError(await server.patch("/index/nowhere", {}, four), 404, "index_not_found");
    expectError(await server.put("/index/nowhere", { index: { fields } }, four), 404, "index_not_found");
  });
});

test("lists show what is in the key's scope (contract 2.3)", async () => {
  await server.createIndex("shown");
  await server.createIndex("hidden");
  const scoped = await createKey({ permissions: 1, allowed_indexes: ["shown", "gone"] });
  expectPlainSuccess(await server.get("/index", scoped), { index_names: ["shown"] });
  expect((await server.get("/index/stats", scoped)).json.data).toEqual({
    index_count: 1,
    indices: [{ shown: { document_count: 0 } }],
    total_document_count: 0,
  });
  expect((await server.get("/index")).json.data.index_names).toEqual(["hidden", "shown"]);
  expectError(await server.get("/index", await createKey({ permissions: 2 })), 403);
});

test("a key out of scope gets 403 whether or not the index exists (contract 1.6)", async () => {
  const scoped = await createKey({ permissions: 15, allowed_indexes: ["elsewhere"] });
  for (const name of ["shown", "never-there"]) {
    expectError(await server.get(`/index/${name}`, scoped), 403, "index_not_allowed");
    expectError(
      await server.send("POST", `/index/${name}/search`, { key: scoped, body: "{" }),
      403,
      "index_not_allowed",
    );
  }
});

test("with authentication off, every request is super-user but the check of a key (contract 2.1)", async () => {
  const open = await WireServer.start({ auth: false });
  try {
    expect((await open.send("GET", "/auth/key")).status).toBe(200);
    expect((await open.send("GET", "/index", { key: "whatever-comes" })).status).toBe(200);
    expectError(await open.send("GET", "/auth/key/check/1"), 401, "missing_key");
    expectError(await open.send("GET", "/auth/key/check/1", { key: "whatever-comes" }), 401, "invalid_key");
    expect((await open.send("GET", "/auth/key/check/1", { key: READ })).status).toBe(200);
  } finally {
    await open.stopAndRemove();
  }
});
