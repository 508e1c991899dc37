// Contract 3.8 over HTTP: what a federation is, who may manage it, what is listed and counted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { INGEST, READ, type WireAnswer, WireServer } from "./wire-server.js";

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["a", "b", "c"]) await server.createIndex(name);
  await server.addCommitted("a", [{ id: "1", title: "one" }]);
  await server.addCommitted("b", [
    { id: "2", title: "two" },
    { id: "3", title: "three" },
  ]);
});
afterAll(() => server.stopAndRemove());

beforeEach(async () => {
  for (const { name } of (await server.get("/federation")).json.data)
    await server.delete(`/federation/${name}`);
});

const MEMBERS = [{ name: "a", weight_multiplier: 2 }, { name: "b" }];

function create(more: object = {}): Promise<WireAnswer> {
  return server.post("/federation", { name: "f", index_configurations: MEMBERS, ...more });
}

describe("POST /federation", () => {
  test("answers the entity with its defaults and timestamps", async () => {
    const answer = await create();
    expectPlainSuccess(answer, {
      name: "f",
      friendly_name: "f",
      created_at: expect.stringMatching(TIMESTAMP),
      last_modified: answer.json.data.created_at,
      index_configurations: [
        { name: "a", weight_multiplier: 2 },
        { name: "b", weight_multiplier: 1 },
      ],
    });
    expect(Date.parse(answer.json.data.created_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  test("takes the optional members, numbers as strings, and ignores what is the server's or unknown", async () => {
    const answer = await create({
      friendly_name: "Friends",
      organization_id: 42,
      created_by: 7,
      last_modified_by: "x",
      created_at: "1999-01-01T00:00:00Z",
      last_modified: 5,
      nonsense: [],
    });
    expect(answer.json.data).toMatchObject({
      friendly_name: "Friends",
      organization_id: "42",
      created_by: "7",
      last_modified_by: "x",
      created_at: expect.stringMatching(/^20[2-9]/),
      last_modified: expect.stringMatching(TIMESTAMP),
    });
    expect(answer.json.data).not.toHaveProperty("nonsense");
  });

  test("counts null as absent, also within a member", async () => {
    const answer = await create({
      friendly_name: null,
      organization_id: null,
      index_configurations: [{ name: "a", weight_multiplier: null, more: 1 }],
    });
    expect(answer.json.data.friendly_name).toBe("f");
    expect(answer.json.data).not.toHaveProperty("organization_id");
    expect(answer.json.data.index_configurations).toEqual([{ name: "a", weight_multiplier: 1 }]);
  });

  test("replaces one of that name and keeps when and by whom it was made", async () => {
    const before = (await create({ organization_id: "o", created_by: "me", friendly_name: "F" })).json.data;
    const after = (await create({ index_configurations: [{ name: "b" }] })).json.data;
    expect(after).toEqual({
      name: "f",
      friendly_name: "f",
      created_at: before.created_at,
      created_by: "me",
      last_modified: expect.stringMatching(TIMESTAMP),
      index_configurations: [{ name: "b", weight_multiplier: 1 }],
    });
    expect(after.last_modified >= before.last_modified).toBe(true);
    expect((await create({ created_by: "you" })).json.data.created_by).toBe("you");
    expect((await server.get("/federation")).json.data).toHaveLength(1);
  });

  test.each<[string, object]>([
    ["no name", { name: undefined }],
    ["a null name", { name: null }],
    ["a reserved name", { name: "organization" }],
    ["a name with a space", { name: "a b" }],
    ["a name that starts with a dash", { name: "-a" }],
    ["an empty name", { name: "" }],
    ["a name that is too long", { name: "x".repeat(129) }],
    ["a name that is no string", { name: 7 }],
    ["no indexes", { index_configurations: undefined }],
    ["an empty list of indexes", { index_configurations: [] }],
    ["indexes that are no list", { index_configurations: { name: "a" } }],
    ["names in place of objects", { index_configurations: ["a", "b"] }],
    ["an index that does not exist", { index_configurations: [{ name: "a" }, { name: "none" }] }],
    ["an index without a name", { index_configurations: [{ weight_multiplier: 1 }] }],
    ["an index named twice", { index_configurations: [{ name: "a" }, { name: "b" }, { name: "a" }] }],
    ["a negative weight", { index_configurations: [{ name: "a", weight_multiplier: -0.1 }] }],
    ["a weight above 100", { index_configurations: [{ name: "a", weight_multiplier: 100.5 }] }],
    ["a weight that is no number", { index_configurations: [{ name: "a", weight_multiplier: "1" }] }],
    ["a friendly name that is no string", { friendly_name: 1 }],
    ["an organization that is neither text nor number", { organization_id: {} }],
    ["an organization whose digits JSON has lost", { organization_id: 2 ** 53 }],
  ])("refuses %s", async (_case, more) => {
    expectError(await create(more), 400, "invalid_federation");
    expect((await server.get("/federation")).json.data).toEqual([]);
  });

  test("refuses a body that is no object", async () => {
    expectError(await server.post("/federation", [1]), 400, "invalid_request");
    expectError(await server.post("/federation", "7"), 400, "invalid_request");
    expectError(await server.post("/federation"), 400, "invalid_federation");
  });

  test("takes the limits of weights, one index, and names as for indexes", async () => {
    const members = [
      { name: "a", weight_multiplier: 0 },
      { name: "b", weight_multiplier: 100 },
    ];
    expect((await create({ index_configurations: members })).json.data.index_configurations).toEqual(members);
    expect((await create({ index_configurations: [{ name: "c" }] })).status).toBe(200);
    for (const name of ["0", "Aa_-9", "x".repeat(128)]) expect((await create({ name })).status).toBe(200);
  });
});

describe("PUT /federation/:name", () => {
  test("replaces as a whole; what is not sent has its default, but for the creation", async () => {
    const before = (await create({ friendly_name: "F", organization_id: "o", created_by: "me" })).json.data;
    const answer = await server.put("/federation/f", {
      index_configurations: [{ name: "c", weight_multiplier: 0.5 }],
      last_modified_by: 9,
    });
    expectPlainSuccess(answer, {
      name: "f",
      friendly_name: "f",
      created_at: before.created_at,
      created_by: "me",
      last_modified: expect.stringMatching(TIMESTAMP),
      last_modified_by: "9",
      index_configurations: [{ name: "c", weight_multiplier: 0.5 }],
    });
    expect((await server.get("/federation/f")).json.data).toEqual(answer.json.data);
  });

  test("takes back what GET has answered", async () => {
    const before = (await create({ organization_id: "o", created_by: "me" })).json.data;
    const { data } = (await server.put("/federation/f", before)).json;
    expect({ ...data, last_modified: before.last_modified }).toEqual(before);
  });

  test("is 404 for one that is missing, before its body is looked at", async () => {
    expectError(
      await server.put("/federation/none", { index_configurations: 7 }),
      404,
      "federation_not_found",
    );
    expectError(await server.put("/federation/organization", {}), 404, "federation_not_found");
  });

  test("does not rename, and refuses what POST refuses", async () => {
    await create();
    const body = { index_configurations: MEMBERS };
    expectError(await server.put("/federation/f", { ...body, name: "g" }), 400, "invalid_federation");
    expectError(await server.put("/federation/f", { ...body, name: "F" }), 400, "invalid_federation");
    expect((await server.put("/federation/f", { ...body, name: "f" })).status).toBe(200);
    expectError(await server.put("/federation/f", {}), 400, "invalid_federation");
    expectError(await server.put("/federation/f", [7]), 400, "invalid_request");
    expect((await server.get("/federation/f")).json.data.index_configurations).toHaveLength(2);
  });
});

describe("GET and DELETE", () => {
  test("list all federations by name", async () => {
    expectPlainSuccess(await server.get("/federation"), []);
    const made = [];
    for (const name of ["g", "F", "f"]) made.push((await create({ name })).json.data);
    expectPlainSuccess(await server.get("/federation"), [made[1], made[2], made[0]]);
  });

  test("read one, its members mirrored beside the envelope's own", async () => {
    const { data } = (await create({ organization_id: "o" })).json;
    expect((await server.get("/federation/f")).json).toEqual({ status: 200, data, ...data });
    for (const path of ["/federation/none", "/federation/F", "/federation/organization"]) {
      expectError(await server.get(path), 404, "federation_not_found");
    }
  });

  test("delete one and leave its indexes", async () => {
    await create();
    expectPlainSuccess(await server.delete("/federation/f"), "federation deleted");
    expectError(await server.delete("/federation/f"), 404, "federation_not_found");
    expectError(await server.get("/federation/f"), 404, "federation_not_found");
    expect((await server.get("/index")).json.data.index_names).toEqual(["a", "b", "c"]);
  });

  test("count documents and bytes by index, and what is deleted as 0", async () => {
    await server.createIndex("passing");
    await server.addCommitted("passing", [{ id: "9" }]);
    await create({
      index_configurations: [{ name: "b" }, { name: "passing" }, { name: "a" }, { name: "c" }],
    });
    const before = await server.get("/federation/f/stats");
    expect(before.json).toEqual({ status: 200, data: before.json.data, ...before.json.data });
    const countsOf = ({ json }: WireAnswer) =>
      json.data.indices.map((each: { index_name: string; num_docs: number }) => [
        each.index_name,
        each.num_docs,
      ]);
    expect(before.json.data).toMatchObject({ federation_name: "f", num_docs: 4 });
    expect(countsOf(before)).toEqual([
      ["b", 2],
      ["passing", 1],
      ["a", 1],
      ["c", 0],
    ]);
    for (const { space_usage } of before.json.data.indices) expect(space_usage).toBeGreaterThan(0);

    await server.delete("/index/passing");
    const after = await server.get("/federation/f/stats");
    expect(after.json.data.num_docs).toBe(3);
    expect(after.json.data.indices[1]).toEqual({ index_name: "passing", num_docs: 0, space_usage: 0 });
    expect((await server.get("/federation/f")).json.data.index_configurations).toHaveLength(4);
    expectError(await server.get("/federation/none/stats"), 404, "federation_not_found");
  });

  test("counts committed documents only", async () => {
    await create({ index_configurations: [{ name: "c" }] });
    await server.post("/index/c/documents", [{ id: "pending" }]);
    expect((await server.get("/federation/f/stats")).json.data.num_docs).toBe(0);
    await server.post("/index/c/rollback");
  });
});

describe("GET /federation/organization/:id", () => {
  const listed = async (id: string): Promise<readonly string[]> => {
    const answer = await server.get(`/federation/organization/${id}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data.map(({ name }: { name: string }) => name);
  };

  test("needs an active key that may search, tied to both the federation and the organization", async () => {
    await create({ organization_id: "7" });
    await create({ name: "g", organization_id: 7 });
    await create({ name: "other", organization_id: "8" });
    await create({ name: "free" });
    expect(await listed("7")).toEqual([]);
    const keyBody = { permissions: 1, federation_name: "f", organization_id: 7 };
    for (const lacking of [{ permissions: 2 }, { federation_name: "F" }, { organization_id: 8 }]) {
      await server.post("/auth/key", { ...keyBody, ...lacking });
    }
    await server.post("/auth/key", { permissions: 1, organization_id: 7 });
    expect(await listed("7")).toEqual([]);

    const { key } = (await server.post("/auth/key", keyBody)).json.data;
    expect(await listed("7")).toEqual(["f"]);
    await server.post("/auth/key", {
      ...keyBody,
      federation_name: "g",
      organization_id: "7",
      permissions: 15,
    });
    expect(await listed("7")).toEqual(["f", "g"]);
    await server.post("/auth/key", { ...keyBody, federation_name: "free" });
    expect(await listed("7")).toEqual(["f", "g"]);
    expect(await listed("8")).toEqual([]);

    await server.post(`/auth/key/${key}`, { status: "inactive" });
    expect(await listed("7")).toEqual(["g"]);
    expect(await listed("nobody")).toEqual([]);
  });

  test("is the organization's route whatever its id", async () => {
    expect(await listed("stats")).toEqual([]);
    expect(await listed("search")).toEqual([]);
  });
});

describe("keys", () => {
  test("GET /auth/federation/:name lists the keys tied to a federation that exists", async () => {
    expectError(await server.get("/auth/federation/f"), 404, "federation_not_found");
    await server.delete("/auth/key");
    const tied = (await server.post("/auth/key", { permissions: 1, federation_name: "f" })).json.data;
    await server.post("/auth/key", { permissions: 1, allowed_indexes: ["*"] });
    expectError(await server.get("/auth/federation/f"), 404, "federation_not_found");
    await create();
    expectPlainSuccess(await server.get("/auth/federation/f"), [tied]);
    await create({ name: "g" });
    expectPlainSuccess(await server.get("/auth/federation/g"), []);
  });

  test("management needs the admin bit; read and ingest keys have no part in it", async () => {
    await create();
    for (const key of [READ, INGEST]) {
      for (const path of [
        "/federation",
        "/federation/f",
        "/federation/f/stats",
        "/federation/organization/1",
      ]) {
        expectError(await server.get(path, key), 403, "insufficient_permissions");
      }
      expectError(await server.post("/federation", {}, key), 403, "insufficient_permissions");
      expectError(await server.put("/federation/none", {}, key), 403, "insufficient_permissions");
      expectError(await server.delete("/federation/f", undefined, key), 403, "insufficient_permissions");
    }
  });
});

test("federations outlive a restart, and an index that is deleted and made again is a member again", async () => {
  const before = (await create({ organization_id: "o" })).json.data;
  await server.delete("/index/c");
  await create({ name: "g", index_configurations: [{ name: "a" }] });
  await server.stop();
  const restarted = await WireServer.start({}, { folder: server.folder });
  server = restarted;
  expect((await server.get("/federation/f")).json.data).toEqual(before);
  expect((await server.get("/federation")).json.data).toHaveLength(2);
  await server.delete("/index/b");
  expect((await server.get("/federation/f/stats")).json.data.num_docs).toBe(1);
  await server.createIndex("b");
  await server.addCommitted("b", [{ id: "new" }]);
  expect((await server.get("/federation/f/stats")).json.data.num_docs).toBe(2);
});
