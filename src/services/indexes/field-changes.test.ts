// PATCH /index/:index_name/fields: fields are added, and changed as far as kept values allow; documents stay.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { Authority } from "../authority/authority.js";

const ADMIN = Authority.unrestricted();
const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  note: { type: "text", stored: false, indexed: false },
  pages: { type: "u64" },
  tags: { type: "facet", multi: true },
  seen: { type: "datetime" },
};
const PATCH_WAIT_MS = 20_000;

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  await harness.services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
  await harness.services.documents.add("books", [{ id: "1", title: "one", note: "kept apart", pages: 3 }]);
  await harness.services.documents.commit("books");
});
afterEach(() => harness.close());

const patch = (fields: object): Promise<string> => harness.services.indexes.patchFields("books", fields);
const entry = (): CatalogIndex => harness.catalog.index("books")!;
const add = (document: object): Promise<{ readonly ignored_fields?: readonly string[] }> =>
  harness.services.documents.add("books", [document]);

async function find(ctx: string): Promise<readonly string[]> {
  const { hits } = await harness.services.search.search("books", {
    query: { exact: { ctx } },
    order_by: "id",
  });
  return hits.map(({ docJson }) => Buffer.from(docJson).toString());
}

async function refusal(fields: object): Promise<string> {
  const error = await patch(fields).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "invalid_schema" });
  return (error as Error).message;
}

test("a field is added behind the others; documents stay, and new ones may have it", async () => {
  const before = entry().storageId;
  expect(await patch({ colour: { type: "text" } })).toBe("index updated");
  expect(Object.keys(entry().schema.fields)).toEqual([...Object.keys(FIELDS), "colour"]);
  expect(entry().storageId).not.toBe(before);
  expect(harness.backend.storageIds).toEqual([entry().storageId]);
  expect(await add({ id: "2", colour: "red" })).not.toHaveProperty("ignored_fields");
  await harness.services.documents.commit("books");
  expect(await find("colour:red")).toEqual(['{"id":"2","colour":"red"}']);
  expect(await find("one")).toEqual(['{"id":"1","title":"one","pages":3}']);
});

test("what is shown of an index with new fields may be sent back", async () => {
  await patch({ colour: { type: "facet", hierarchical: false }, "size.width": { type: "f64" } });
  const shown = harness.services.indexes.get("books", ADMIN);
  await harness.services.indexes.replace("books", { index: shown }, ADMIN);
  expect(harness.services.indexes.get("books", ADMIN)).toEqual(shown);
});

test("kept values come to be stored and indexed, and the other way", async () => {
  await expect(find("note:apart")).rejects.toMatchObject({ code: "field_not_indexed" });
  await patch({ note: { stored: true, indexed: true } });
  expect(await find("note:apart")).toEqual(['{"id":"1","title":"one","note":"kept apart","pages":3}']);
  await patch({ note: { stored: false }, pages: { stored: false, indexed: false } });
  expect(await find("note:apart")).toEqual(['{"id":"1","title":"one"}']);
  await patch({ pages: { stored: true } });
  expect(await find("one")).toEqual(['{"id":"1","title":"one","pages":3}']);
});

test("what documents have nothing to do with rewrites none", async () => {
  const { storageId } = entry();
  await patch({ pages: { fast: false, coerce: true, format: "1.234,56" }, title: { type: "text" } });
  expect(entry().storageId).toBe(storageId);
  expect(entry().schema.fields["pages"]).toMatchObject({ fast: false, coerce: true, format: "1.234,56" });
});

describe("is refused", () => {
  test("what kept values can't be made into, naming the field", async () => {
    expect(await refusal({ title: { type: "u64" } })).toContain("'fields.title.type' stays \"text\"");
    for (const way of ["findling reindex", "POST /index", "PUT /alias/NAME"])
      expect(await refusal({ title: { type: "u64" } })).toContain(way);
    expect(await refusal({ title: { multi: true } })).toContain("'fields.title.multi' stays false");
    expect(await refusal({ tags: { hierarchical: false } })).toContain(
      "'fields.tags.hierarchical' stays true",
    );
    expect(await refusal({ seen: { precision: "milliseconds" } })).toContain("'fields.seen.precision'");
    expect(await refusal({ title: { required: true } })).toContain("'fields.title.required'");
    expect(await refusal({ title: null })).toContain("'fields.title' can't be removed");
  });

  test("a new field without a type, of a wrong one, or within another", async () => {
    expect(await refusal({ colour: {} })).toContain("'fields.colour.type' is required");
    expect(await refusal({ colour: { type: "txt" } })).toContain("there is no type 'txt'");
    expect(await refusal({ colour: { type: "text", stored: "yes" } })).toContain("'fields.colour.stored'");
    expect(await refusal({ "title.short": { type: "text" } })).toContain("'title' is one itself");
    expect(await refusal({ __proto__x: { type: "text" }, "a b": { type: "text" } })).toContain("'a b'");
  });

  test("a search field that would not be indexed any more", async () => {
    expect(await refusal({ title: { indexed: false } })).toContain("'title' is not indexed");
  });

  test("a required field where documents lack it, pending ones too", async () => {
    expect(await refusal({ colour: { type: "text", required: true } })).toMatch(
      /documents have no value: 0{31}1;/,
    );
    await harness.services.documents.deleteAll("books");
    await harness.services.documents.commit("books");
    await add({ id: "2" });
    expect(await refusal({ colour: { type: "text", required: true } })).toContain("have no value");
    await harness.services.documents.rollback("books");
    await patch({ colour: { type: "text", required: true } });
    await expect(add({ id: "3" })).rejects.toMatchObject({ code: "invalid_document" });
  });

  test("a body that names none", async () => {
    for (const body of [{}, [], "colour", null])
      await expect(patch(body as object)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(harness.services.indexes.patchFields("none", {})).rejects.toMatchObject({
      code: "index_not_found",
    });
  });

  test("and nothing has changed then", async () => {
    const before = entry();
    await refusal({ colour: { type: "text" }, title: { type: "u64" } });
    expect(entry()).toEqual(before);
  });
});

describe("where it takes longer than an answer may", () => {
  /** A PATCH that was answered when its time was over, with the work held up until it is called. */
  async function latePatch(fields: object): Promise<() => void> {
    let openGate: () => void = () => undefined;
    harness.backend.gate = new Promise((resolve) => {
      openGate = resolve;
    });
    const calls = harness.backend.calls.length;
    const patching = patch(fields);
    await expect.poll(() => harness.backend.calls.slice(calls).includes("rewriteIndex")).toBe(true);
    harness.backend.gate = Promise.resolve();
    await harness.clock.advance(PATCH_WAIT_MS);
    expect(await patching).toBe("index updated");
    return openGate;
  }
  const isInForce = (): boolean => Object.hasOwn(entry().schema.fields, "colour");

  test("values of the new field don't get lost meanwhile: they are to be sent again", async () => {
    const openGate = await latePatch({ colour: { type: "text" } });
    expect(harness.services.indexes.get("books", ADMIN).fields).toHaveProperty("colour");
    await expect(add({ id: "2", colour: "red" })).rejects.toMatchObject({ code: "rate_limited" });
    await expect(
      harness.services.documents.add("books", [{ id: "2", colour: "red" }], { on_error: "skip" }),
    ).rejects.toMatchObject({ code: "rate_limited" });
    expect(await add({ id: "3", shade: "dark" })).toMatchObject({ ignored_fields: ["shade"] });
    openGate();
    await expect.poll(isInForce).toBe(true);
    await add({ id: "2", colour: "red" });
    await harness.services.documents.commit("books");
    expect(await find("colour:red")).toHaveLength(1);
    expect(await find("*")).toHaveLength(3);
  });

  test("settings may name the new field, and come with it", async () => {
    const openGate = await latePatch({ colour: { type: "text" } });
    await harness.services.indexes.patch("books", { search_fields: ["title", "colour"] }, ADMIN);
    expect(entry().schema.search_fields).toEqual(["title"]);
    await harness.services.indexes.patch("books", { weight_multipliers: { title: 2 } }, ADMIN);
    await patch({ colour: { type: "text" } });
    expect(isInForce()).toBe(false);
    openGate();
    await expect.poll(isInForce).toBe(true);
    expect(entry().schema).toMatchObject({
      search_fields: ["title", "colour"],
      weight_multipliers: { title: 2 },
    });
    expect(entry()).not.toHaveProperty("next_schema");
  });

  test("a restart goes on with it", async () => {
    const openGate = await latePatch({ colour: { type: "text" }, note: { stored: true } });
    const restarting = harness.restart();
    openGate();
    await restarting;
    await expect.poll(isInForce).toBe(true);
    expect(await find("one")).toEqual(['{"id":"1","title":"one","note":"kept apart","pages":3}']);
  });
});
