import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { Authority } from "../authority/authority.js";
import type { AliasService } from "./alias-service.js";

const ADMIN = Authority.unrestricted();

let harness: ServiceHarness;
let aliases: AliasService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  ({ aliases } = harness.services);
  for (const name of ["v1", "v2", "other"]) await create(name);
});
afterEach(() => harness.close());

async function create(name: string): Promise<void> {
  const { indexes, documents } = harness.services;
  const fields = { id: { type: "text" }, title: { type: "text" } };
  await indexes.create({ index: { name, fields, primary_key: "id" } }, ADMIN);
  await documents.add(name, { id: "1", title: `of ${name}` });
  await documents.commit(name);
}

function keyFor(...names: readonly string[]): Authority {
  return Authority.ofKey({ id: "k", name: "", permissions: 31, allowed_indexes: names, status: "active" });
}

async function found(name: string, body: object = {}): Promise<readonly string[]> {
  const { hits } = await harness.services.search.search(name, { query: { exact: { ctx: "*" } }, ...body });
  return hits.map(({ source_index }) => source_index);
}

describe("an alias", () => {
  test("stands for its index wherever an index is named, and outlives a restart", async () => {
    expect(await aliases.put("live", { index: "v1" }, ADMIN)).toBe("alias set");
    await harness.restart();
    ({ aliases } = harness.services);
    expect(aliases.list(ADMIN)).toEqual([{ alias: "live", index: "v1" }]);
    const { documents, indexes, dictionaries } = harness.services;
    expect(await found("live")).toEqual(["v1"]);
    await documents.add("live", { id: "2" });
    await documents.commit("live");
    expect(await found("v1")).toEqual(["v1", "v1"]);
    expect((await documents.getByKey("live", "2")).sourceIndex).toBe("v1");
    expect(indexes.get("live", ADMIN).name).toBe("v1");
    expect((await indexes.stats("live")).document_count).toBe(2);
    await indexes.patch("live", { auto_commit_delay: 1 }, ADMIN);
    await indexes.patchSettings("live", { suggest_field: "title" });
    expect(indexes.get("v1", ADMIN)).toMatchObject({ auto_commit_delay: 1, suggest_field: "title" });
    await dictionaries.addSynonyms("live", ["a:b"]);
    expect(dictionaries.synonyms("v1")).toEqual({ a: ["b"] });
    await documents.deleteByKey("live", "2");
    expect(await found("live")).toEqual(["v1"]);
  });

  test("is given to another index at once; what was searched by cursor goes on where it began", async () => {
    await aliases.put("live", { index: "v1" }, ADMIN);
    await harness.services.documents.add("v1", { id: "2" });
    await harness.services.documents.commit("v1");
    const page = await harness.services.search.search("live", {
      query: { exact: { ctx: "*" } },
      limit: 1,
      cursor: true,
    });
    expect(await aliases.swap([{ alias: "live", index: "v2" }], ADMIN)).toBe("aliases swapped");
    expect(await found("live")).toEqual(["v2"]);
    const next = await harness.services.search.search("live", { cursor: page.cursor });
    expect(next.hits.map(({ source_index }) => source_index)).toEqual(["v1"]);
  });

  test("may be a member of a federation", async () => {
    await aliases.put("live", { index: "v1" }, ADMIN);
    const { federations, federatedSearch } = harness.services;
    const members = [{ name: "live" }, { name: "other" }];
    await federations.create({ name: "all", index_configurations: members }, ADMIN);
    await aliases.swap([{ alias: "live", index: "v2" }], ADMIN);
    const { hits } = await federatedSearch.search("all", { query: { exact: { ctx: "*" } } }, ADMIN);
    expect(hits.map(({ source_index }) => source_index)).toEqual(["v2", "other"]);
  });

  test("and an index never share a name, and an index with an alias isn't deleted", async () => {
    const { indexes } = harness.services;
    await aliases.put("live", { index: "v1" }, ADMIN);
    await expect(aliases.put("v2", { index: "v1" }, ADMIN)).rejects.toMatchObject({ code: "alias_conflict" });
    const draft = { index: { name: "live", fields: { id: { type: "text" } } }, override_if_exists: true };
    const refusal = {
      code: "invalid_index",
      message: "'live' is an alias of index 'v1'; name the index itself",
    };
    await expect(indexes.create(draft, ADMIN)).rejects.toMatchObject(refusal);
    await expect(indexes.replace("live", draft, ADMIN)).rejects.toMatchObject(refusal);
    await expect(indexes.delete("live")).rejects.toMatchObject(refusal);
    await expect(indexes.delete("v1")).rejects.toMatchObject({ code: "alias_conflict" });
    expect(await aliases.delete("live", ADMIN)).toBe("alias deleted");
    await expect(aliases.delete("live", ADMIN)).rejects.toMatchObject({ code: "alias_not_found" });
    await indexes.delete("v1");
    await expect(found("live")).rejects.toMatchObject({ code: "index_not_found" });
  });

  test("is swapped with others or not at all", async () => {
    await aliases.put("a", { index: "v1" }, ADMIN);
    await aliases.put("b", { index: "v2" }, ADMIN);
    const to = (a: string, b: string) => [
      { alias: "a", index: a },
      { alias: "b", index: b },
    ];
    await expect(aliases.swap(to("v2", "none"), ADMIN)).rejects.toMatchObject({ code: "index_not_found" });
    await expect(aliases.swap([...to("v2", "v1"), { alias: "c", index: "v1" }], ADMIN)).rejects.toMatchObject(
      {
        code: "alias_not_found",
      },
    );
    expect(aliases.list(ADMIN)).toEqual(to("v1", "v2"));
    await aliases.swap(to("v2", "v1"), ADMIN);
    expect(aliases.list(ADMIN)).toEqual(to("v2", "v1"));
  });

  test.each([["swap"], ["stats"], ["-"], ["__proto__"], ["a/b"]])("can't be called '%s'", async (name) => {
    await expect(aliases.put(name, { index: "v1" }, ADMIN)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test.each([
    [[]],
    [{}],
    [[7]],
    [[{ alias: "a" }]],
    [
      [
        { alias: "a", index: "v1" },
        { alias: "a", index: "v2" },
      ],
    ],
  ])("isn't swapped by %j", async (body) => {
    await expect(aliases.swap(body, ADMIN)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("keys", () => {
  test("need the alias, its old and its new index in scope to change it", async () => {
    await aliases.put("live", { index: "v1" }, ADMIN);
    const swapped = [{ alias: "live", index: "v2" }];
    for (const key of [keyFor("v1", "v2"), keyFor("live", "v2"), keyFor("live", "v1")]) {
      await expect(aliases.swap(swapped, key)).rejects.toMatchObject({ code: "index_not_allowed" });
      await expect(aliases.put("live", { index: "v2" }, key)).rejects.toMatchObject({
        code: "index_not_allowed",
      });
    }
    await expect(aliases.delete("live", keyFor("live"))).rejects.toMatchObject({ code: "index_not_allowed" });
    await aliases.swap(swapped, keyFor("live", "v1", "v2"));
    expect(aliases.list(keyFor("v2"))).toEqual(swapped);
    expect(aliases.list(keyFor("v1"))).toEqual([]);
  });
});
