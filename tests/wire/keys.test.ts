// Contract 2.1, 2.5, 3.9: access keys.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { ADMIN, isOnCluster, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(() => server.delete("/auth/key"));

async function create(body: object): Promise<Record<string, unknown>> {
  const answer = await server.post("/auth/key", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

describe("POST /auth/key", () => {
  test("creates a key of forty letters and digits with defaults, and leaves absent members out", async () => {
    const { key, id, ...rest } = await create({ permissions: 15 });
    expect(key).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(rest).toEqual({ name: "", permissions: 15, allowed_indexes: [], status: "active" });
  });

  test("repeats the members at the top level, but for status, which is the envelope's (1.4)", async () => {
    const { json } = await server.post("/auth/key", { permissions: 1, name: "shop" });
    const { status, data, ...mirrored } = json;
    expect([status, data.status]).toEqual([200, "active"]);
    const { status: _own, ...members } = data;
    expect(mirrored).toEqual(members);
  });

  test("takes ids as numbers or strings, stores digit strings as numbers (2.5)", async () => {
    expect(await create({ permissions: 1, organization_id: "42", application_id: 7 })).toMatchObject({
      organization_id: 42,
      application_id: 7,
    });
    expect(await create({ permissions: 1, organization_id: "acme" })).toMatchObject({
      organization_id: "acme",
    });
  });

  test("takes null as absent, ignores unknown members and a key of the caller's choosing", async () => {
    const made = await create({ permissions: 1, name: null, key: "my-own-choice-of-key", color: "red" });
    expect(made).toMatchObject({ name: "" });
    expect(made["key"]).not.toBe("my-own-choice-of-key");
    expect(made).not.toHaveProperty("color");
  });

  test.each([
    {},
    { permissions: 0 },
    { permissions: 128 },
    { permissions: -1 },
    { permissions: 1.5 },
    { permissions: "15" },
    { permissions: null },
    { permissions: 1, name: 5 },
    { permissions: 1, allowed_indexes: "books" },
    { permissions: 1, allowed_indexes: [5] },
    { permissions: 1, status: "asleep" },
    { permissions: 1, organization_id: true },
    { permissions: 1, organization_id: 1.5 },
    { permissions: 1, organization_id: 2 ** 53 },
    { permissions: 1, application_id: -1e21 },
    { permissions: 1, federation_name: 5 },
    [{ permissions: 1 }],
    "text",
    7,
  ])("refuses %j", async (body) => {
    expectError(
      await server.send("POST", "/auth/key", { key: ADMIN, body: JSON.stringify(body) }),
      400,
      "invalid_request",
    );
  });

  test("nobody grants what they don't hold (2.2)", async () => {
    const manager = (await create({ permissions: 40 + 1, allowed_indexes: ["a"] }))["key"] as string;
    const grant = (body: object) => server.post("/auth/key", body, manager);
    expect((await grant({ permissions: 1, allowed_indexes: ["a"] })).status).toBe(200);
    expectError(await grant({ permissions: 2 }), 403, "insufficient_permissions");
    expectError(await grant({ permissions: 63 }), 403, "insufficient_permissions");
    expectError(await grant({ permissions: 1, allowed_indexes: ["b"] }), 403);
    expectError(await grant({ permissions: 1, allowed_indexes: ["a", "*"] }), 403);
    expectError(await grant({ permissions: 1, federation_name: "f" }), 403);
    const weak = (await create({ permissions: 1, allowed_indexes: ["a"] }))["key"] as string;
    expectError(await server.post(`/auth/key/${weak}`, { permissions: 3 }, manager), 403);
    const strong = (await create({ permissions: 63 }))["key"] as string;
    expectError(await server.post(`/auth/key/${strong}`, { permissions: 1 }, manager), 403);
  });
});

describe("reading", () => {
  test("GET /auth/key lists whole key objects", async () => {
    const made = [
      await create({ permissions: 1, name: "one" }),
      await create({ permissions: 15, name: "two" }),
    ];
    const answer = await server.get("/auth/key");
    expect(Object.keys(answer.json)).toEqual(["status", "data"]);
    expect(answer.json.data).toHaveLength(2);
    expect(answer.json.data).toEqual(expect.arrayContaining(made));
  });

  test("GET /auth/key/:key is the key object, mirrored; 404 if there is none", async () => {
    const made = await create({ permissions: 1, name: "one" });
    const { json } = await server.get(`/auth/key/${made["key"]}`);
    expect(json.data).toEqual(made);
    expect([json.key, json.name, json.status]).toEqual([made["key"], "one", 200]);
    expectError(await server.get("/auth/key/there-is-none"), 404, "key_not_found");
    expectError(await server.get("/auth/key/__proto__"), 404, "key_not_found");
  });

  test("by application and organization compares as strings; [] if none", async () => {
    const made = await create({ permissions: 1, organization_id: "42", application_id: 7 });
    expectPlainSuccess(await server.get("/auth/organization/42"), [made]);
    expectPlainSuccess(await server.get("/auth/application/7"), [made]);
    expectPlainSuccess(await server.get("/auth/organization/7"), []);
    expectPlainSuccess(await server.get("/auth/application/none"), []);
  });

  test("by index lists keys with the name or *; 404 for a missing index", async () => {
    await server.createIndex("listed");
    const named = await create({ permissions: 1, allowed_indexes: ["listed"] });
    const all = await create({ permissions: 1, allowed_indexes: ["*"] });
    await create({ permissions: 1, allowed_indexes: ["other"] });
    const { data } = (await server.get("/auth/index/listed")).json;
    expect(data).toHaveLength(2);
    expect(data).toEqual(expect.arrayContaining([named, all]));
    expectError(await server.get("/auth/index/none"), 404, "index_not_found");
  });

  test("by federation is 404 where the federation does not exist", async () => {
    expectError(await server.get("/auth/federation/none"), 404, "federation_not_found");
  });
});

describe("POST /auth/key/:key", () => {
  test("changes the members sent and no others, on the next request", async () => {
    const made = await create({ permissions: 1, name: "one", allowed_indexes: ["a"], organization_id: 1 });
    const key = made["key"] as string;
    const { json } = await server.post(`/auth/key/${key}`, { permissions: 3, key: "another-key-value" });
    expect(json.data).toEqual({ ...made, permissions: 3 });
    expect(json.name).toBe("one");
    expect((await server.get("/auth/key/check/2", key)).status).toBe(200);
    await server.post(`/auth/key/${key}`, { status: "inactive" });
    expectError(await server.get("/auth/key/check/2", key), 401, "inactive_key");
    await server.post(`/auth/key/${key}`, { status: "active", permissions: null });
    expect((await server.get("/auth/key/check/2", key)).status).toBe(200);
  });

  test("takes [] for {} and refuses what creating refuses", async () => {
    const made = await create({ permissions: 1 });
    expect((await server.post(`/auth/key/${made["key"]}`, [])).json.data).toEqual(made);
    expectError(await server.post(`/auth/key/${made["key"]}`, { permissions: 200 }), 400, "invalid_request");
    expectError(await server.post("/auth/key/there-is-none", { name: "x" }), 404, "key_not_found");
  });
});

describe("deleting", () => {
  test("one key, 404 if there is none", async () => {
    const key = (await create({ permissions: 1 }))["key"] as string;
    expectPlainSuccess(await server.delete(`/auth/key/${key}`), "key deleted");
    expectError(await server.delete(`/auth/key/${key}`), 404, "key_not_found");
    expectError(await server.get("/index", key), 401, "invalid_key");
  });

  test("all keys; the configured super-user key keeps working", async () => {
    await create({ permissions: 63 });
    expectPlainSuccess(await server.delete("/auth/key"), "all keys deleted");
    expectPlainSuccess(await server.get("/auth/key"), []);
  });
});

describe("GET /auth/key/check/:permission", () => {
  test.each([
    [63, 64, 200],
    [63, 127, 200],
    [15, 15, 200],
    [15, 16, 403],
    [15, 31, 403],
    [1, 0, 200],
    [1, 128, 403],
    [63, 4_294_967_297, 403],
  ])("a key with %i asked for %i: %i", async (permissions, mask, status) => {
    const key = (await create({ permissions }))["key"] as string;
    const answer = await server.get(`/auth/key/check/${mask}`, key);
    expect(answer.status).toBe(status);
    if (status === 200) expect(typeof answer.json.data).toBe("string");
  });

  test.each(["x", "-1", "1.5", "0x1", "1e1", "%20"])("'%s' is no integer: 400", async (mask) => {
    expectError(await server.get(`/auth/key/check/${mask}`), 400, "invalid_request");
  });
});

describe("the first start (2.1)", () => {
  const noKeys = { adminKey: undefined, ingestKey: undefined, readKey: undefined };

  test("creates one key of each kind, tells of them once, and the next start creates none", async () => {
    const told: string[] = [];
    const onFirstKeys = (keys: readonly { key: string }[]): void =>
      void told.push(...keys.map(({ key }) => key));
    const first = await WireServer.start(noKeys, { onFirstKeys });
    expect(first.running.createdKeys.map(({ permissions }) => permissions)).toEqual([127, 15, 1]);
    expect(first.running.createdKeys.map(({ key }) => key)).toEqual(told);
    await first.stop();

    const second = await WireServer.start(noKeys, { onFirstKeys, folder: first.folder });
    try {
      expect(second.running.createdKeys).toEqual([]);
      expect(told).toHaveLength(3);
      expect((await second.get("/auth/key", told[0])).json.data).toHaveLength(3);
    } finally {
      await second.stopAndRemove();
    }
  });

  test("creates none where one is configured or authentication is off", async () => {
    for (const settings of [
      { ...noKeys, readKey: "the-only-read-key" },
      { ...noKeys, auth: false },
    ]) {
      const configured = await WireServer.start(settings);
      expect(configured.running.createdKeys).toEqual([]);
      await configured.stopAndRemove();
    }
  });
});

describe("the secret key that stored keys are encrypted with", () => {
  const noKeys = { adminKey: undefined, ingestKey: undefined, readKey: undefined };
  const ONE = "11".repeat(32);

  test.skipIf(isOnCluster())(
    "once lost leaves a server that starts, says why in its log, makes no first keys and knows configured ones",
    async () => {
      const first = await WireServer.start({ ...noKeys, secretKey: ONE });
      const [admin] = first.running.createdKeys;
      await first.stop();
      for (const [secretKey, adminKey] of [
        [undefined, undefined],
        ["22".repeat(32), ADMIN],
      ]) {
        const without = await WireServer.start({ ...noKeys, secretKey, adminKey }, { folder: first.folder });
        expect(without.running.createdKeys).toEqual([]);
        expect(without.logLines.join("")).toMatch(
          /3 of 3 stored access keys can't be used: .* FINDLING_SECRET_KEY/,
        );
        expect((await without.get("/healthcheck")).status).toBe(200);
        expectError(await without.get("/index", admin!.key), 401, "invalid_key");
        if (adminKey !== undefined) {
          const { data } = (await without.get("/auth/key")).json;
          expect(data.map(({ key }: { key: string }) => key)).toEqual(Array(3).fill("********"));
          expect(data[0]).toMatchObject({ id: admin!.id, name: "admin" });
          const made = (await without.post("/auth/key", { permissions: 1, allowed_indexes: ["*"] })).json
            .data;
          expect((await without.get("/index", made.key)).status).toBe(200);
          expectPlainSuccess(await without.delete(`/auth/key/${made.id}`), "key deleted");
          await without.post(`/auth/key/${data[2].id}`, { name: "renamed" });
        }
        await without.stop();
      }
      const back = await WireServer.start({ ...noKeys, secretKey: ONE }, { folder: first.folder });
      try {
        const { data } = (await back.get("/auth/key", admin!.key)).json;
        expect(data.map(({ key }: { key: string }) => key)).toEqual(
          first.running.createdKeys.map(({ key }) => key),
        );
        expect(data[2].name).toBe("renamed");
        expect(back.logLines.join("")).not.toContain("access key");
      } finally {
        await back.stopAndRemove();
      }
    },
  );
});

test("keys outlive a restart", async () => {
  const made = await create({ permissions: 5, name: "lasting", allowed_indexes: ["a"] });
  const folder = server.folder;
  await server.stop();
  server = await WireServer.start({}, { folder });
  expect((await server.get(`/auth/key/${made["key"]}`)).json.data).toEqual(made);
});
