// Contract 2.4 as a matrix: every kind of key × every federation × every verb and route that touches one,
// against a naive oracle. Nobody reaches an index by way of a federation that he doesn't reach himself.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, ROUTE_TABLE, type RouteRow } from "../../src/contract/route-table.js";
import { sampled } from "../setup/sampled.js";
import { type Grant, holdsBits, isInReach, mayManage, maySearch, RESOURCE_OF } from "./naive-rights.js";
import { isOnCluster, type WireAnswer, WireServer } from "./wire-server.js";

const SECRET_OF_B = "hidden-words-of-b";

/** By name; `gone` was deleted after its federation was made, `absent` was never there. */
const FEDERATIONS: Readonly<Record<string, readonly string[] | null>> = {
  "of-a": ["a"],
  "of-ab": ["a", "b"],
  "of-b": ["b"],
  "of-a-gone": ["a", "gone"],
  absent: null,
};
const PRESENT = Object.entries(FEDERATIONS).flatMap(([name, members]) =>
  members === null ? [] : [[name, members] as const],
);

const MASKS = [1, 2, 32, 33, 40, 63];
const SCOPES: readonly (readonly string[])[] = [[], ["a"], ["b"], ["a", "b"], ["a", "gone"], ["*"]];
const GRANTS: readonly Grant[] = MASKS.flatMap((permissions) => [
  ...SCOPES.flatMap((allowed_indexes) => [
    { permissions, allowed_indexes },
    { permissions, allowed_indexes, federation_name: "of-ab" },
  ]),
  { permissions, allowed_indexes: ["a"], federation_name: "absent" },
]);

type Verdict = "allowed" | "insufficient_permissions" | "index_not_allowed";

interface Call {
  readonly body?: unknown;
  /** Indexes that a search names in place of the federation's. */
  readonly searched?: readonly string[];
  /** Whether the scope holds what the call is about. */
  readonly isInScope: (grant: Grant, name: string, members: readonly string[] | null) => boolean;
}

const PUT_BODIES: readonly (readonly string[])[] = [["a"], ["b"], ["a", "b"], ["a", "never-there"]];

const EVERYTHING = { query: { exact: { ctx: "*" } } };

const manages: Call["isInScope"] = (grant, _name, members) => mayManage(grant, members);
const reaches: Call["isInScope"] = isInReach;
const bodyOf = (members: readonly string[], name?: string): object => ({
  ...(name !== undefined && { name }),
  index_configurations: members.map((each) => ({ name: each })),
});

/** Every call about one federation; those that list many have tests of their own below. */
function callsOf(operation: OperationId, name: string): readonly Call[] | "lists" {
  switch (operation) {
    case "getFederation":
    case "getFederationStats":
    case "deleteFederation":
      return [{ isInScope: manages }];
    case "replaceFederation":
      return PUT_BODIES.map((members) => ({
        body: bodyOf(members),
        isInScope: (grant, _name, before) => mayManage(grant, before) && mayManage(grant, members),
      }));
    case "createFederation":
      return PUT_BODIES.map((members) => ({
        body: bodyOf(members, name),
        // A name that is free is anybody's.
        isInScope: (grant, _name, before) =>
          mayManage(grant, members) && (before === null || mayManage(grant, before)),
      }));
    case "searchFederation":
      return [
        { body: EVERYTHING, isInScope: reaches },
        ...PUT_BODIES.map((members) => ({
          body: { ...EVERYTHING, ...bodyOf(members) },
          searched: members,
          // A key that is tied to the federation reaches no index by naming it.
          isInScope: (grant: Grant, federation: string, own: readonly string[] | null) =>
            isInReach(grant, federation, own) && (own === null || mayManage(grant, members)),
        })),
      ];
    case "listKeysOfFederation":
      return [{ isInScope: reaches }];
    case "recordMeasureEvent":
      return [{ body: eventAbout(name), isInScope: reaches }];
    case "recordMeasureBatch":
      return [{ body: [eventAbout(name)], isInScope: reaches }];
    case "listFederations":
    case "listFederationsOfOrganization":
      return "lists";
    default:
      throw new Error(`${operation} touches federations and has no calls here`);
  }
}

function eventAbout(federation: string): object {
  return {
    event_name: "search_requested",
    properties: { searchcraft_index_names: [], searchcraft_federation_name: federation },
    user: { user_id: "u" },
  };
}

let server: WireServer;
const keys = new Map<Grant, string>();

beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["a", "b", "gone"]) {
    await server.createIndex(name);
    await server.addCommitted(name, [{ id: `${name}1`, title: name === "b" ? SECRET_OF_B : "words" }]);
  }
  for (const [name, members] of PRESENT) await put(name, members);
  expect((await server.delete("/index/gone")).status).toBe(200);
  for (const grant of GRANTS) keys.set(grant, await keyOf(grant));
});
afterAll(() => server.stopAndRemove());

async function put(name: string, members: readonly string[]): Promise<void> {
  const answer = await server.post("/federation", { ...bodyOf(members, name), organization_id: "7" });
  expect(answer.status, answer.text).toBe(200);
}

/** As it was before a call: a member that is gone can't be named anew. */
async function restore(name: string, members: readonly string[] | null): Promise<void> {
  if (members === null) await server.delete(`/federation/${name}`);
  else if (!members.includes("gone")) await put(name, members);
  else {
    await server.createIndex("gone");
    await put(name, members);
    await server.delete("/index/gone");
  }
}

async function keyOf(grant: object): Promise<string> {
  const answer = await server.post("/auth/key", grant);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.key;
}

const send = (row: RouteRow, name: string, key: string, body: unknown): Promise<WireAnswer> =>
  server.send(row.method, row.path.replace(/:[a-z_]+/g, name), { key, body });

function verdictOf(answer: WireAnswer): Verdict {
  if (answer.status !== 401 && answer.status !== 403) return "allowed";
  return answer.json.data.code;
}

/** Without a store for events, as a cluster without ClickHouse is, they are passed over whatever they name. */
const UNMEASURED: ReadonlySet<string> = new Set(
  isOnCluster() ? ["recordMeasureEvent", "recordMeasureBatch"] : [],
);

const ROWS = ROUTE_TABLE.filter(
  (row) => RESOURCE_OF[row.operationId].includes("federation") && !UNMEASURED.has(row.operationId),
);

test("every route that names a federation is in the matrix", () => {
  const named = ROUTE_TABLE.filter(({ path, tag, scope }) =>
    [path, tag, scope].some((text) => text.toLowerCase().includes("federation")),
  );
  expect(ROWS).toEqual(expect.arrayContaining(named));
});

const ABOUT_ONE = ROWS.filter(({ operationId }) => callsOf(operationId, "of-a") !== "lists");

describe.each(ABOUT_ONE.map((row) => [`${row.method} ${row.path}`, row] as const))("%s", (_name, row) => {
  const bits = row.access.kind === "permission" ? row.access.bits : 0;
  for (const [name, members] of Object.entries(FEDERATIONS)) {
    const calls = callsOf(row.operationId, name);
    if (calls === "lists") continue;
    test(`of ${name}: as the oracle says, for each key`, async () => {
      const wrong: unknown[] = [];
      for (const grant of sampled(GRANTS)) {
        for (const { body, searched = members ?? [], isInScope } of calls) {
          const expected: Verdict = !holdsBits(grant, bits)
            ? "insufficient_permissions"
            : isInScope(grant, name, members)
              ? "allowed"
              : "index_not_allowed";
          const answer = await send(row, name, keys.get(grant)!, body);
          const verdict = verdictOf(answer);
          if (verdict !== expected) wrong.push({ grant, body, expected, verdict, text: answer.text });
          if (row.operationId === "searchFederation" && verdict === "allowed" && members !== null) {
            const mayReadB = searched.includes("b") && maySearch(grant, name, members);
            expect(answer.text.includes(SECRET_OF_B)).toBe(mayReadB);
          }
          if (verdict === "allowed" && row.tag === "Federations" && row.method !== "GET") {
            await restore(name, members);
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  }
});

test.each(["/federation", "/federation/organization/7"])(
  "GET %s lists those whose indexes are all in scope",
  async (path) => {
    for (const [name] of PRESENT) {
      await keyOf({ permissions: 1, organization_id: 7, federation_name: name });
    }
    for (const grant of GRANTS.filter((each) => holdsBits(each, 32))) {
      const { data } = (await server.get(path, keys.get(grant)!)).json;
      const expected = PRESENT.filter(([, members]) => mayManage(grant, members)).map(([name]) => name);
      expect([grant, data.map((each: { name: string }) => each.name)]).toEqual([grant, expected.toSorted()]);
    }
  },
);

test("what a body names counts before anything else of it, whatever its form", async () => {
  const key = await keyOf({ permissions: 32, allowed_indexes: ["a"] });
  const bodies = [
    { name: 7, index_configurations: [{ name: "b" }] },
    { name: "new", index_configurations: [{ name: "a" }, { name: "b", weight_multiplier: "much" }] },
    { name: "new", index_configurations: [7, { name: "never-there", color: null }] },
    { name: "of-ab", index_configurations: "none" },
  ];
  for (const body of bodies) {
    const answer = await server.post("/federation", body, key);
    expect([answer.status, answer.json.data.code], JSON.stringify(body)).toEqual([403, "index_not_allowed"]);
  }
  expect((await server.post("/federation", { name: "new", index_configurations: [7] }, key)).status).toBe(
    400,
  );
});

test("a key can't read an index that it isn't for by putting it into a federation", async () => {
  const key = await keyOf({ permissions: 33, allowed_indexes: ["a"] });
  for (const members of [["b"], ["a", "b"]]) {
    expect((await server.post("/federation", bodyOf(members, "mine"), key)).status).toBe(403);
    const answer = await server.post("/federation/mine/search", { query: { exact: { ctx: "*" } } }, key);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain(SECRET_OF_B);
  }
});
