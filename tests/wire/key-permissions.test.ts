// Contract 2.2 and 3.9 as a matrix: every key × every other key × list, read, change and delete, in every place
// that shows keys, against a naive oracle. Who has a key can do all that it can, so only those who hold all of
// its rights see it whole, change or delete it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, ROUTE_TABLE } from "../../src/contract/route-table.js";
import { sampled } from "../setup/sampled.js";
import { type Grant, hasIndex, holdsAllOf, holdsBits, isInReach, RESOURCE_OF } from "./naive-rights.js";
import { type WireAnswer, WireServer } from "./wire-server.js";

const MANAGER = 40;
const ORGANIZATION = 7;

const SCOPES: readonly (readonly string[])[] = [[], ["a"], ["b"], ["a", "b"], ["*"]];
const CALLERS: readonly Grant[] = [
  ...[MANAGER, MANAGER + 1, MANAGER + 15, 63].flatMap((permissions) =>
    SCOPES.map((allowed_indexes) => ({ permissions, allowed_indexes })),
  ),
  ...[1, 8, 32, 62, 127].map((permissions) => ({ permissions, allowed_indexes: ["a"] })),
  ...[MANAGER + 1, 63].map((permissions) => ({
    permissions,
    allowed_indexes: ["a"],
    federation_name: "of-ab",
  })),
  { permissions: 63, allowed_indexes: [], expires_at: "2998-01-01T00:00:00.000Z" },
];
const TARGETS: readonly Grant[] = [
  ...[1, MANAGER, 63].flatMap((permissions) =>
    SCOPES.map((allowed_indexes) => ({ permissions, allowed_indexes })),
  ),
  ...[15, 64, 127].map((permissions) => ({ permissions, allowed_indexes: ["a"] })),
  { permissions: 1, allowed_indexes: [], federation_name: "of-ab" },
  { permissions: 1, allowed_indexes: ["a"], federation_name: "of-a" },
  { permissions: 1, allowed_indexes: ["a"], expires_at: "2997-01-01T00:00:00.000Z" },
  { permissions: 1, allowed_indexes: ["a"], expires_at: "2999-01-01T00:00:00.000Z" },
];

interface MadeKey extends Grant {
  readonly key: string;
  readonly id: string;
}

let server: WireServer;
let callers: readonly MadeKey[];
let targets: MadeKey[];

beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["a", "b"]) await server.createIndex(name);
  for (const [name, ...members] of [
    ["of-a", "a"],
    ["of-ab", "a", "b"],
  ]) {
    const index_configurations = members.map((each) => ({ name: each }));
    expect((await server.post("/federation", { name, index_configurations })).status).toBe(200);
  }
  callers = await Promise.all(CALLERS.map((grant) => make(grant)));
  targets = await Promise.all(TARGETS.map((grant) => make({ ...grant, ...MARKS })));
});
afterAll(() => server.stopAndRemove());

/** What the lists by organization and application find. */
const MARKS = { organization_id: ORGANIZATION, application_id: ORGANIZATION };

async function make(grant: object): Promise<MadeKey> {
  const answer = await server.post("/auth/key", grant);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

const mayManage = (caller: Grant): boolean => holdsBits(caller, MANAGER);
const masked = (key: string): string => `********${key.slice(-4)}`;
const shownTo = (caller: Grant, target: MadeKey): MadeKey =>
  holdsAllOf(caller, target) ? target : { ...target, key: masked(target.key) };

function codeOf(answer: WireAnswer): unknown {
  return answer.status === 200 ? 200 : answer.json.data.code;
}

/** Every pair of keys, or a sample of them; what is wrong, all of it, so that a rule shows and not one case. */
async function forEachPair(
  check: (caller: MadeKey, target: MadeKey, place: number) => Promise<unknown>,
): Promise<void> {
  const wrong: unknown[] = [];
  for (const caller of callers) {
    for (const place of sampled([...targets.keys()])) {
      const found = await check(caller, targets[place]!, place);
      if (found !== undefined) wrong.push({ caller, target: targets[place], found });
    }
  }
  expect(wrong).toEqual([]);
}

test("every route that is about keys is in the matrix", () => {
  const about = ROUTE_TABLE.filter(
    ({ tag, path, operationId }) =>
      (tag === "Keys" || path.includes("/auth/")) && RESOURCE_OF[operationId] === "neither",
  );
  // They tell a caller about its own key only.
  expect(about.map(({ operationId }) => operationId)).toEqual(["checkPermission", "describeCaller"]);
  const covered: readonly OperationId[] = [
    ...LISTS.map(({ operation }) => operation),
    "createKey",
    "deleteAllKeys",
    "getKey",
    "updateKey",
    "deleteKey",
  ];
  const keyed = ROUTE_TABLE.filter(({ operationId }) => RESOURCE_OF[operationId].includes("keys"));
  expect([...covered].toSorted()).toEqual(keyed.map(({ operationId }) => operationId).toSorted());
});

const LISTS: readonly {
  readonly operation: OperationId;
  readonly path: string;
  readonly isInScope: (caller: Grant) => boolean;
  readonly holds: (target: Grant) => boolean;
}[] = [
  { operation: "listKeys", path: "/auth/key", isInScope: () => true, holds: () => true },
  {
    operation: "listKeysOfOrganization",
    path: `/auth/organization/${ORGANIZATION}`,
    isInScope: () => true,
    holds: () => true,
  },
  {
    operation: "listKeysOfApplication",
    path: `/auth/application/${ORGANIZATION}`,
    isInScope: () => true,
    holds: () => true,
  },
  {
    operation: "listKeysOfIndex",
    path: "/auth/index/a",
    isInScope: (caller) => hasIndex(caller, "a"),
    holds: ({ allowed_indexes }) => allowed_indexes.includes("a") || allowed_indexes.includes("*"),
  },
  {
    operation: "listKeysOfFederation",
    path: "/auth/federation/of-ab",
    isInScope: (caller) => isInReach(caller, "of-ab", ["a", "b"]),
    holds: ({ federation_name }) => federation_name === "of-ab",
  },
];

describe.each(LISTS)("GET $path", ({ path, isInScope, holds }) => {
  test("shows the keys whole whose rights the caller holds, and the others masked", async () => {
    for (const caller of callers) {
      const answer = await server.get(path, caller.key);
      if (!mayManage(caller) || !isInScope(caller)) {
        const expected = mayManage(caller) ? "index_not_allowed" : "insufficient_permissions";
        expect([caller, codeOf(answer)]).toEqual([caller, expected]);
        continue;
      }
      const ids = new Set(targets.map(({ id }) => id));
      const listed = answer.json.data.filter(({ id }: MadeKey) => ids.has(id));
      expect([caller, listed]).toEqual([
        caller,
        targets.filter(holds).map((target) => shownTo(caller, target)),
      ]);
      for (const target of targets) {
        if (!holdsAllOf(caller, target)) expect(answer.text).not.toContain(target.key);
      }
    }
  });
});

describe.each(["key", "id"] as const)("by its %s", (member) => {
  test("GET /auth/key/:key", () =>
    forEachPair(async (caller, target) => {
      const answer = await server.get(`/auth/key/${target[member]}`, caller.key);
      if (!mayManage(caller)) {
        return codeOf(answer) === "insufficient_permissions" ? undefined : answer.text;
      }
      const { status: _, ...shown } = answer.json;
      expect(shown.key).toBe(answer.json.data.key);
      expect(answer.json.data).toEqual(shownTo(caller, target));
      return undefined;
    }));

  test("POST /auth/key/:key", () =>
    forEachPair(async (caller, target, place) => {
      const name = `changed ${place}`;
      const answer = await server.post(`/auth/key/${target[member]}`, { name }, caller.key);
      const isAllowed = mayManage(caller) && holdsAllOf(caller, target);
      const expected = isAllowed ? 200 : "insufficient_permissions";
      if (codeOf(answer) !== expected) return answer.text;
      if (isAllowed) {
        targets[place] = { ...target, name } as MadeKey;
        expect(answer.json.data).toEqual(targets[place]);
      }
      return undefined;
    }));

  test("DELETE /auth/key/:key", () =>
    forEachPair(async (caller, target, place) => {
      const answer = await server.delete(`/auth/key/${target[member]}`, undefined, caller.key);
      const isAllowed = mayManage(caller) && holdsAllOf(caller, target);
      const expected = isAllowed ? 200 : "insufficient_permissions";
      if (codeOf(answer) !== expected) return answer.text;
      const isThere = (await server.get(`/auth/key/${target.id}`)).status === 200;
      expect(isThere).toBe(!isAllowed);
      if (isAllowed) targets[place] = await make({ ...TARGETS[place], ...MARKS });
      return undefined;
    }));

  test("any key reads and deletes itself, whole, whatever it may do besides", async () => {
    for (const grant of CALLERS) {
      const own = await make(grant);
      const path = `/auth/key/${own[member]}`;
      expect((await server.get(path, own.key)).json.data).toEqual({
        ...own,
        last_used_at: expect.any(String),
      });
      expect(codeOf(await server.delete(path, undefined, own.key))).toBe(200);
      expect((await server.get(path)).status).toBe(404);
    }
  });
});

test("POST /auth/key makes what the caller holds, and nothing else", () =>
  forEachPair(async (caller, { permissions, allowed_indexes, federation_name }) => {
    const grant = { permissions, allowed_indexes, ...(federation_name !== undefined && { federation_name }) };
    const answer = await server.post("/auth/key", grant, caller.key);
    const isAllowed = mayManage(caller) && holdsAllOf(caller, grant);
    const expected = isAllowed ? 200 : "insufficient_permissions";
    if (codeOf(answer) !== expected) return answer.text;
    if (isAllowed) await server.delete(`/auth/key/${answer.json.data.id}`);
    return undefined;
  }));

test("a masked key lets nobody in and stands for nothing in a path, which is told", async () => {
  const hidden = masked(targets[0]!.key);
  expect((await server.get("/auth/key", hidden)).json.data.code).toBe("invalid_key");
  expect((await server.get("/auth/key", targets[0]!.id)).json.data.code).toBe("invalid_key");
  const answer = await server.get(`/auth/key/${hidden}`);
  expect([answer.status, answer.json.message]).toEqual([404, expect.stringContaining("'id'")]);
});

// Last, as it leaves few keys.
test("DELETE /auth/key deletes what the caller holds, and says how many stayed", async () => {
  for (const grant of sampled(CALLERS)) {
    await server.delete("/auth/key");
    const made = await Promise.all(TARGETS.map((each) => make(each)));
    const own = await make(grant);
    const answer = await server.delete("/auth/key", undefined, own.key);
    const left = (await server.get("/auth/key")).json.data.map(({ id }: MadeKey) => id);
    if (!mayManage(grant)) {
      expect([codeOf(answer), left.length]).toEqual(["insufficient_permissions", made.length + 1]);
      continue;
    }
    const stayed = made.filter((target) => !holdsAllOf(grant, target)).map(({ id }) => id);
    expect([grant, left]).toEqual([grant, stayed]);
    const deleted = made.length + 1 - stayed.length;
    if (stayed.length === 0) expect(answer.json.data).toBe("all keys deleted");
    else
      expect(answer.json.data).toMatch(
        new RegExp(`^${deleted} keys? deleted, ${stayed.length} keys? stayed: `),
      );
  }
});
