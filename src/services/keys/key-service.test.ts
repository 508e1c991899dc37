import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import { PERMISSION } from "../../contract/access-key.js";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { Authority } from "../authority/authority.js";
import { equalsInConstantTime } from "./configured-keys.js";
import { generateKey } from "./generate-key.js";
import type { KeyService } from "./key-service.js";

const ADMIN = Authority.unrestricted();

let harness: ServiceHarness;
let keys: KeyService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  keys = harness.services.keys;
});
afterEach(() => harness.close());

function authorityWith(grant: Partial<CatalogKey>): Authority {
  return Authority.ofKey({
    id: "caller",
    name: "",
    permissions: 1,
    allowed_indexes: [],
    status: "active",
    ...grant,
  });
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof FindlingError) return error.code;
    throw error;
  }
}

describe("authenticate", () => {
  test("takes the key alone or after Bearer, whatever its case", async () => {
    const { key, id } = await keys.create({ permissions: 1 }, ADMIN);
    for (const header of [key, ` ${key} `, `Bearer ${key}`, `bearer   ${key}`, `BEARER\t${key}`]) {
      expect(keys.authenticate(header).keyId).toBe(id);
    }
  });

  test.each([
    [undefined, "missing_key"],
    ["", "missing_key"],
    ["  ", "missing_key"],
    ["Bearer", "missing_key"],
    ["Bearer ", "missing_key"],
    ["nonsense", "invalid_key"],
    ["Basic abc", "invalid_key"],
    ["__proto__", "invalid_key"],
  ])("refuses %j as %s", (header, code) => {
    expect(codeOf(() => keys.authenticate(header))).toBe(code);
  });

  test("refuses a key that has become inactive, at the next request", async () => {
    const { key } = await keys.create({ permissions: 1 }, ADMIN);
    await keys.update(key, { status: "inactive" }, ADMIN);
    expect(codeOf(() => keys.authenticate(key))).toBe("inactive_key");
    await keys.delete(key, ADMIN);
    expect(codeOf(() => keys.authenticate(key))).toBe("invalid_key");
  });

  test("refuses a key from its expiry on, which a change moves and null takes away", async () => {
    const { key, expires_at: expiry } = await keys.create({ permissions: 63, expires_at: 3_600 }, ADMIN);
    expect(expiry).toBe("1970-01-01T01:00:00.000Z");
    expect(keys.anyAdminKey()).toBe(key);
    await harness.clock.advance(3_599_999);
    expect(keys.authenticate(key).expiresMs).toBe(3_600_000);
    await harness.clock.advance(1);
    expect(codeOf(() => keys.authenticate(key))).toBe("inactive_key");
    expect(keys.anyAdminKey()).toBeUndefined();
    await keys.update(key, { expires_at: "1970-01-01T03:00:00+01:00" }, ADMIN);
    await keys.update(key, { name: "kept" }, ADMIN);
    keys.authenticate(key);
    await harness.clock.advance(3_600_000);
    expect(codeOf(() => keys.authenticate(key))).toBe("inactive_key");
    expect(await keys.update(key, { expires_at: null }, ADMIN)).not.toHaveProperty("expires_at");
    keys.authenticate(key);
    for (const wrong of ["soon", "2027-02-30", {}, true]) {
      await expect(keys.update(key, { expires_at: wrong }, ADMIN)).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
  });

  test("a key that ends makes, changes and sees none that lasts longer", async () => {
    const made = await keys.create({ permissions: 63, expires_at: "2030-01-01" }, ADMIN);
    const passing = keys.authenticate(made.key);
    const endless = await keys.create({ permissions: 1 }, ADMIN);
    for (const body of [{ permissions: 1 }, { permissions: 1, expires_at: "2030-01-02" }])
      await expect(keys.create(body, passing)).rejects.toThrow("validity after 2030-01-01T00:00:00.000Z");
    for (const change of [{ name: "x" }, { expires_at: "2029-01-01" }])
      await expect(keys.update(endless.id, change, passing)).rejects.toMatchObject({
        code: "insufficient_permissions",
      });
    await expect(keys.update(made.id, { expires_at: null }, passing)).rejects.toThrow("validity after");
    expect(keys.get(endless.id, passing).key).toMatch(/^\*{8}/);
    expect(keys.get(made.id, passing).key).toBe(made.key);
    await keys.create({ permissions: 1, expires_at: "2030-01-01" }, passing);
  });

  test("tells when a key was last used, and writes it rarely and at the stop", async () => {
    const { key, id } = await keys.create({ permissions: 1 }, ADMIN);
    expect(keys.get(id, ADMIN)).not.toHaveProperty("last_used_at");
    await harness.clock.advance(1_000);
    keys.authenticate(key);
    expect(keys.get(id, ADMIN).last_used_at).toBe("1970-01-01T00:00:01.000Z");
    expect(harness.catalog.key(id)?.last_used_at).toBeUndefined();
    await harness.clock.advance(600_000);
    await expect.poll(() => harness.catalog.key(id)?.last_used_at).toBe("1970-01-01T00:00:01.000Z");
    await harness.clock.advance(86_400_000);
    keys.authenticate(key);
    // What a body says of it is passed over.
    await keys.update(id, { name: "used", last_used_at: "2050-01-01T00:00:00Z" }, ADMIN);
    await harness.restart();
    keys = harness.services.keys;
    expect(keys.get(id, ADMIN)).toMatchObject({ name: "used", last_used_at: "1970-01-02T00:10:01.000Z" });
    expect(harness.clock.waiting).toBe(0);
  });

  test("knows configured keys, which nothing else reaches", async () => {
    await harness.close();
    harness = await ServiceHarness.open({
      keys: { ...TEST_OPTIONS.keys, configuredKeys: [{ key: "configured-key", permissions: 15 }] },
    });
    keys = harness.services.keys;
    const authority = keys.authenticate("configured-key");
    expect([authority.permissions, authority.isUnscoped]).toEqual([15, true]);
    expect(keys.list(ADMIN)).toEqual([]);
    expect(codeOf(() => keys.get("configured-key", ADMIN))).toBe("key_not_found");
    await expect(keys.delete("configured-key", ADMIN)).rejects.toMatchObject({ code: "key_not_found" });
    await keys.deleteAll(ADMIN);
    expect(keys.authenticate("configured-key").permissions).toBe(15);
  });

  test("lets everyone do everything where authentication is off, but for the check of a key", async () => {
    await harness.close();
    harness = await ServiceHarness.open({ keys: { configuredKeys: [], authenticationEnabled: false } });
    keys = harness.services.keys;
    expect(keys.authenticate(undefined).permissions).toBe(127);
    expect(keys.authenticate("nonsense").isUnscoped).toBe(true);
    expect(codeOf(() => keys.authenticate(undefined, { evenIfOff: true }))).toBe("missing_key");
    const { key } = await keys.create({ permissions: 1 }, ADMIN);
    expect(keys.authenticate(key, { evenIfOff: true }).permissions).toBe(1);
  });
});

describe("authorize", () => {
  const guarded = ROUTE_TABLE.filter((route) => route.access.kind === "permission");
  /** Beyond every key that isn't for all indexes, as the federation isn't there. */
  const UNKNOWN_SCOPES: readonly string[] = ["federation", "federation_indexes", "everything"];

  test("lets a key pass exactly where it holds every bit of the route and has the index in scope", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...guarded),
        fc.integer({ min: 1, max: 127 }),
        fc.boolean(),
        (route, mask, inScope) => {
          const authority = authorityWith({
            permissions: mask,
            allowed_indexes: inScope ? ["books"] : ["films"],
          });
          const bits = route.access.kind === "permission" ? route.access.bits : 0;
          const holdsBits = (mask & bits) === bits;
          // The federation is not there, so nobody knows that its indexes are in scope.
          const holdsScope =
            (mask & 63) === 63 || (route.scope === "index" ? inScope : !UNKNOWN_SCOPES.includes(route.scope));
          const expected = !holdsBits
            ? "insufficient_permissions"
            : holdsScope
              ? "none"
              : "index_not_allowed";
          expect(codeOf(() => keys.authorize(authority, route, { indexName: "books", key: "other" }))).toBe(
            expected,
          );
        },
      ),
    );
  });

  test("lets a key search a federation that it is tied to, or whose indexes it may all search", async () => {
    const fields = { t: { type: "text" } };
    for (const name of ["books", "films"])
      await harness.services.indexes.create({ index: { name, fields } }, ADMIN);
    await harness.services.federations.create(
      {
        name: "shop",
        index_configurations: [{ name: "books" }, { name: "films" }],
      },
      ADMIN,
    );
    const route = ROUTE_TABLE.find((row) => row.operationId === "searchFederation")!;
    const verdict = (grant: Partial<CatalogKey>, federationName = "shop"): string =>
      codeOf(() => keys.authorize(authorityWith(grant), route, { federationName }));
    expect(verdict({ federation_name: "shop" })).toBe("none");
    expect(verdict({ allowed_indexes: ["films", "books", "more"] })).toBe("none");
    expect(verdict({ allowed_indexes: ["*"] })).toBe("none");
    expect(verdict({ permissions: 63 })).toBe("none");
    for (const grant of [{}, { allowed_indexes: ["books"] }, { federation_name: "Shop" }]) {
      expect(verdict(grant)).toBe("index_not_allowed");
    }
    expect(verdict({ allowed_indexes: ["films", "books"] }, "absent")).toBe("index_not_allowed");
    expect(verdict({ federation_name: "absent" }, "absent")).toBe("none");
  });

  test("lets a key read and delete itself, and nothing more", () => {
    const own = { key: "caller" };
    const allowed = ROUTE_TABLE.filter(
      (route) =>
        route.tag === "Keys" && codeOf(() => keys.authorize(authorityWith({}), route, own)) === "none",
    ).map((route) => route.operationId);
    expect(allowed.toSorted()).toEqual(["checkPermission", "deleteKey", "describeCaller", "getKey"]);
  });

  test("takes 63 for every bit and every index, and * for every index", () => {
    expect(authorityWith({ permissions: 63 }).holds(PERMISSION.LLM_RAG_SUMMARIES)).toBe(true);
    expect(authorityWith({ permissions: 63 }).coversIndex("any")).toBe(true);
    expect(authorityWith({ permissions: 62, allowed_indexes: ["*"] }).coversIndex("any")).toBe(true);
    expect(authorityWith({ permissions: 62 }).holds(PERMISSION.LLM_RAG_SUMMARIES)).toBe(false);
    expect(authorityWith({ allowed_indexes: ["a*"] }).coversIndex("ab")).toBe(false);
  });
});

describe("keys", () => {
  test("are created with defaults, forty letters and digits, and listed", async () => {
    const key = await keys.create({ permissions: 1, key: "mine", nonsense: 1, federation_name: null }, ADMIN);
    expect(key).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9]{40}$/) as unknown,
      id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      name: "",
      permissions: 1,
      allowed_indexes: [],
      status: "active",
    });
    expect(keys.list(ADMIN)).toEqual([key]);
    expect(keys.get(key.key, ADMIN)).toEqual(key);
    await harness.restart();
    expect(harness.services.keys.list(ADMIN)).toEqual([key]);
  });

  test("keep ids of digits as numbers and find them as text", async () => {
    const first = await keys.create({ permissions: 1, organization_id: "7", application_id: "shop" }, ADMIN);
    const second = await keys.create({ permissions: 1, organization_id: 7, application_id: "007" }, ADMIN);
    const third = await keys.create({ permissions: 1, organization_id: "12345678901234567890" }, ADMIN);
    expect([
      first.organization_id,
      first.application_id,
      second.application_id,
      third.organization_id,
    ]).toEqual([7, "shop", "007", "12345678901234567890"]);
    expect(keys.listOfOrganization("7", ADMIN)).toEqual([first, second]);
    expect(keys.listOfOrganization("12345678901234567890", ADMIN)).toEqual([third]);
    expect(keys.listOfApplication("007", ADMIN)).toEqual([second]);
    expect(keys.listOfApplication("none", ADMIN)).toEqual([]);
  });

  test("are found by index, with * for all, if the index exists", async () => {
    await harness.services.indexes.create(
      { index: { name: "books", fields: { t: { type: "text" } } } },
      ADMIN,
    );
    const listed = await keys.create({ permissions: 1, allowed_indexes: ["books", "books", "films"] }, ADMIN);
    const all = await keys.create({ permissions: 1, allowed_indexes: ["*"] }, ADMIN);
    await keys.create({ permissions: 1, allowed_indexes: ["films"] }, ADMIN);
    expect(listed.allowed_indexes).toEqual(["books", "films"]);
    expect(keys.listOfIndex("books", ADMIN)).toEqual([listed, all]);
    expect(codeOf(() => keys.listOfIndex("films", ADMIN))).toBe("index_not_found");
  });

  test("are found by federation, if it exists", async () => {
    await harness.services.indexes.create(
      { index: { name: "books", fields: { t: { type: "text" } } } },
      ADMIN,
    );
    const tied = await keys.create({ permissions: 1, federation_name: "shop" }, ADMIN);
    await keys.create({ permissions: 1, allowed_indexes: ["*"] }, ADMIN);
    expect(codeOf(() => keys.listOfFederation("shop", ADMIN))).toBe("federation_not_found");
    const members = [{ name: "books" }];
    await harness.services.federations.create({ name: "shop", index_configurations: members }, ADMIN);
    await harness.services.federations.create({ name: "lone", index_configurations: members }, ADMIN);
    expect(keys.listOfFederation("shop", ADMIN)).toEqual([tied]);
    expect(keys.listOfFederation("lone", ADMIN)).toEqual([]);
  });

  test("change where the update names something", async () => {
    const before = await keys.create({ permissions: 1, name: "a", organization_id: 1 }, ADMIN);
    const after = await keys.update(before.key, { name: "b", permissions: null, key: "other" }, ADMIN);
    expect(after).toEqual({ ...before, name: "b" });
    expect(await keys.update(before.key, [], ADMIN)).toEqual(after);
    await expect(keys.update("none", {}, ADMIN)).rejects.toMatchObject({ code: "key_not_found" });
  });

  test("once deleted don't come back through an update under way", async () => {
    const { key } = await keys.create({ permissions: 1 }, ADMIN);
    const outcomes = await Promise.allSettled([
      keys.delete(key, ADMIN),
      keys.update(key, { name: "b" }, ADMIN),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
    expect(keys.list(ADMIN)).toEqual([]);
    const other = await keys.create({ permissions: 1 }, ADMIN);
    await Promise.allSettled([keys.deleteAll(ADMIN), keys.update(other.key, { name: "b" }, ADMIN)]);
    expect(keys.list(ADMIN)).toEqual([]);
  });

  test.each([
    [undefined, "'permissions' is missing"],
    [[], "'permissions' is missing"],
    [{}, "'permissions' is missing"],
    [[1], "must be an object"],
    ["text", "must be an object"],
    [{ permissions: 0 }, "'permissions' must be at least 1"],
    [{ permissions: 128 }, "'permissions' must be at most 127"],
    [{ permissions: 1.5 }, "'permissions' must be an integer, not 1.5"],
    [{ permissions: "1" }, "'permissions' must be an integer, not a string"],
    [{ permissions: 1, status: "on" }, "'status' must be one of active, inactive"],
    [{ permissions: 1, name: 5 }, "'name' must be a string"],
    [{ permissions: 1, allowed_indexes: "books" }, "'allowed_indexes' must be an array"],
    [{ permissions: 1, allowed_indexes: [1] }, "'allowed_indexes[0]' must be a string"],
    [{ permissions: 1, allowed_indexes: [""] }, "'allowed_indexes[0]' must not be empty"],
    [
      { permissions: 1, organization_id: true },
      "'organization_id' must be a string or an integer within ±(2^53-1)",
    ],
    [
      { permissions: 1, organization_id: {} },
      "'organization_id' must be a string or an integer within ±(2^53-1)",
    ],
  ])("can't be made of %j", async (body, message) => {
    const error: unknown = await keys.create(body, ADMIN).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "invalid_request" });
    expect((error as Error).message).toContain(message);
    expect(keys.list(ADMIN)).toEqual([]);
  });
});

describe("granting", () => {
  const caller = authorityWith({
    permissions: 8 | 32 | 1,
    allowed_indexes: ["books"],
    federation_name: "shop",
  });

  test.each([
    [{ permissions: 1, allowed_indexes: ["books"], federation_name: "shop" }, true],
    [{ permissions: 41 }, true],
    [{ permissions: 2 }, false],
    [{ permissions: 127 }, false],
    [{ permissions: 1, allowed_indexes: ["books", "films"] }, false],
    [{ permissions: 1, allowed_indexes: ["*"] }, false],
    [{ permissions: 1, federation_name: "other" }, false],
  ])("of %j within the caller's own is %s", async (body, isAllowed) => {
    const outcome = keys.create(body, caller);
    if (isAllowed) await outcome;
    else await expect(outcome).rejects.toMatchObject({ code: "insufficient_permissions" });
    expect(keys.list(ADMIN)).toHaveLength(isAllowed ? 1 : 0);
  });

  test("looks at a changed key before and after", async () => {
    const own = await keys.create({ permissions: 1 }, ADMIN);
    const stronger = await keys.create({ permissions: 63 }, ADMIN);
    await keys.update(own.key, { name: "fine" }, caller);
    for (const [key, change] of [
      [own.key, { permissions: 63 }],
      [own.key, { allowed_indexes: ["*"] }],
      [stronger.key, { permissions: 1 }],
      [stronger.key, { name: "x" }],
    ] as const) {
      await expect(keys.update(key, change, caller)).rejects.toMatchObject({
        code: "insufficient_permissions",
      });
    }
    expect(keys.get(stronger.key, ADMIN)).toEqual(stronger);
  });
});

describe("the first start", () => {
  test("creates one key of each kind, once", async () => {
    const created = await keys.ensureFirstKeys();
    expect(created.map(({ permissions, allowed_indexes }) => [permissions, allowed_indexes])).toEqual([
      [127, ["*"]],
      [15, ["*"]],
      [1, ["*"]],
    ]);
    expect(keys.authenticate(created[0]?.key).permissions).toBe(127);
    expect(await keys.ensureFirstKeys()).toEqual([]);
    await harness.restart();
    expect(await harness.services.keys.ensureFirstKeys()).toEqual([]);
  });

  test("creates none where one is configured", async () => {
    await harness.close();
    harness = await ServiceHarness.open({
      keys: { ...TEST_OPTIONS.keys, configuredKeys: [{ key: "configured-key", permissions: 1 }] },
    });
    expect(await harness.services.keys.ensureFirstKeys()).toEqual([]);
  });
});

test.each([
  ["1", 15, "none"],
  ["15", 15, "none"],
  ["16", 15, "insufficient_permissions"],
  ["127", 63, "none"],
  ["128", 127, "insufficient_permissions"],
  ["4294967297", 127, "insufficient_permissions"],
  ["0", 1, "none"],
  ["-1", 127, "invalid_request"],
  ["1.0", 127, "invalid_request"],
  ["0x1", 127, "invalid_request"],
  ["", 127, "invalid_request"],
  ["admin", 127, "invalid_request"],
])("the check of mask %j by a key with %i ends with %s", (mask, permissions, code) => {
  expect(codeOf(() => keys.check(mask, authorityWith({ permissions })))).toBe(code);
});

test("generated keys draw on the whole alphabet and differ", () => {
  const keysMade = Array.from({ length: 200 }, () => generateKey());
  expect(new Set(keysMade).size).toBe(200);
  expect(new Set(keysMade.join("")).size).toBe(62);
});

test("bytes that would make some letters likelier than others are drawn again", () => {
  let calls = 0;
  const key = generateKey((bytes) => bytes.fill(calls++ === 0 ? 248 : 0));
  expect([key, calls]).toEqual(["A".repeat(40), 2]);
});

test("the comparison in constant time is equality", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      expect(equalsInConstantTime(left, right)).toBe(left === right);
      expect(equalsInConstantTime(left, left)).toBe(true);
      expect(equalsInConstantTime(left, left + right)).toBe(right === "");
      expect(equalsInConstantTime(left + left, left)).toBe(left === "");
    }),
  );
});
