import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { memoryUpTo, UnreadBody } from "../../intake/unread-body.js";
import { Authority } from "../authority/authority.js";
import type { IndexService } from "../indexes/index-service.js";
import type { DocumentService } from "./document-service.js";

const FIELDS = {
  sku: { type: "text" },
  title: { type: "text" },
  number: { type: "u64" },
  tags: { type: "text", multi: true },
  price: { type: "f64" },
};

let harness: ServiceHarness;
let documents: DocumentService;
let indexes: IndexService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  ({ documents, indexes } = harness.services);
});
afterEach(() => harness.close());

function create(settings: object = { primary_key: "sku" }): Promise<string> {
  return indexes.create({ index: { name: "shop", fields: FIELDS, ...settings } }, Authority.unrestricted());
}

describe("an index with a primary key", () => {
  test("replaces, and says what it did", async () => {
    await create();
    const first = await documents.add("shop", [{ sku: "A" }, { sku: "a" }, { sku: "B", title: "first" }]);
    expect(first).toMatchObject({ num_added: 3, num_replaced: 0 });
    const second = await documents.add("shop", [
      { sku: "B", title: "second" },
      { sku: "C" },
      { sku: "D" },
      { sku: "C", title: "last" },
    ]);
    expect(second).toMatchObject({
      num_added: 2,
      num_replaced: 1,
      ids: [expect.any(String), null, expect.any(String), expect.any(String)],
    });
    await documents.commit("shop");
    expect((await indexes.stats("shop")).document_count).toBe(5);
    expect((await documents.getByKey("shop", "B")).view).toMatchObject({ sku: "B", title: "second" });
    expect((await documents.getByKey("shop", "C")).view["title"]).toBe("last");
    expect((await documents.getByKey("shop", "a")).documentId).toBe(first.ids[1]);
  });

  test("replaces where the body is read later", async () => {
    await create({ primary_key: "number" });
    await documents.add("shop", { number: "18446744073709551615" });
    const bytes = new Uint8Array(
      Buffer.from('[{"number":"18446744073709551615"},{"number":1},{"number":"01"}]'),
    );
    const body = new UnreadBody(bytes, { limit: 1 << 20, ...memoryUpTo(1 << 20) });
    expect(await documents.add("shop", body)).toMatchObject({
      num_added: 1,
      num_replaced: 1,
      ids: [expect.any(String), null, expect.any(String)],
    });
  });

  test("wants the key in every document", async () => {
    await create();
    await expect(documents.add("shop", [{ sku: "A" }, { title: "none" }])).rejects.toMatchObject({
      code: "invalid_document",
      items: [{ path: "[1].sku", message: "'[1].sku' is required" }],
    });
    expect(indexes.get("shop", Authority.unrestricted()).fields["sku"]?.required).toBe(false);
  });

  test("takes no empty key, which no path could name, and leaves documents that have one as they are", async () => {
    await create();
    const { storageId } = harness.catalog.index("shop")!;
    // As versions of before took it.
    const [empty] = await harness.backend.add(storageId, [{ sku: "", title: "old" }]);
    await documents.commit("shop");
    const refused = {
      code: "invalid_document",
      items: [{ path: "[0].sku", message: expect.stringContaining("'[0].sku' is empty") }],
    };
    await expect(documents.add("shop", [{ sku: "" }, { sku: " " }])).rejects.toMatchObject(refused);
    await expect(documents.add("shop", [{ sku: [""] }])).rejects.toMatchObject({ code: "invalid_document" });
    await expect(documents.update("shop", [{ sku: "", title: "x" }], true)).rejects.toMatchObject(refused);
    const body = new UnreadBody(new Uint8Array(Buffer.from('[{"sku":"B"},{"sku":"","title":"x"}]')), {
      limit: 1 << 20,
      ...memoryUpTo(1 << 20),
    });
    expect(await documents.add("shop", body, { on_error: "skip" })).toMatchObject({
      num_added: 1,
      num_skipped: 1,
      errors: [{ path: "[1].sku" }],
    });
    const change = { _id: empty, sku: "", title: "new" };
    expect(await documents.update("shop", change, false)).toMatchObject({ num_updated: 1 });
    await documents.commit("shop");
    expect((await documents.get("shop", empty!)).view).toMatchObject({ sku: "", title: "new" });
    expect((await indexes.stats("shop")).document_count).toBe(2);
  });

  test("reads and deletes by key", async () => {
    await create({ primary_key: "number" });
    await documents.add("shop", [{ number: 7 }, { number: 8 }]);
    await documents.commit("shop");
    expect(await documents.deleteByKey("shop", "7")).toMatchObject({ num_removed: 1 });
    await expect(documents.deleteByKey("shop", "7")).rejects.toMatchObject({ code: "document_not_found" });
    expect((await documents.getByKey("shop", "7")).view["number"]).toBe(7);
    await documents.commit("shop");
    await expect(documents.getByKey("shop", "7")).rejects.toMatchObject({
      code: "document_not_found",
      message: "index 'shop' has no document whose number is '7'",
    });
    await expect(documents.getByKey("shop", "seven")).rejects.toMatchObject({ code: "invalid_field_value" });
    await expect(documents.getByKey("none", "7")).rejects.toMatchObject({ code: "index_not_found" });
  });

  test("without one, neither is there anything to ask for", async () => {
    await create({});
    await expect(documents.getByKey("shop", "A")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(documents.deleteByKey("shop", "A")).rejects.toMatchObject({ code: "invalid_request" });
    const added = await documents.add("shop", [{ sku: "A" }, { sku: "A" }]);
    expect(added).toEqual({
      success: true,
      detail: expect.any(String),
      num_added: 2,
      ids: [expect.any(String), expect.any(String)],
    });
  });
});

describe("partial updates", () => {
  beforeEach(async () => {
    await create();
    await documents.add("shop", [{ sku: "A", title: "first", tags: ["x", "y"], price: 1 }, { sku: "B" }]);
    await documents.commit("shop");
  });
  const update = (body: unknown, upsert = false) => documents.update("shop", body, upsert);

  test("change what they name, and say what they did", async () => {
    const { documentId } = await documents.getByKey("shop", "A");
    expect(await update({ sku: "A", title: null, tags: ["z"], colour: "red" })).toEqual({
      success: true,
      detail: "changes accepted; commit or roll back to finish",
      num_updated: 1,
      num_added: 0,
      ids: [documentId],
      ignored_fields: ["colour"],
    });
    await update(
      [
        { _id: documentId, price: "2" },
        { sku: "C", title: "new" },
      ],
      true,
    );
    await documents.commit("shop");
    expect((await documents.getByKey("shop", "A")).view.doc).toEqual({ sku: "A", tags: ["z"], price: 2 });
    expect((await documents.getByKey("shop", "C")).view.doc).toEqual({ sku: "C", title: "new" });
  });

  test.each([
    ["invalid_request", []],
    ["invalid_document", [{ title: "whose?" }]],
    ["invalid_document", [{ sku: "A", price: "dear" }]],
    ["invalid_document", ["A"]],
    ["invalid_document", [{ sku: ["A", "B"] }]],
    ["invalid_document", [{ _id: 7 }]],
    ["invalid_document", [{ sku: "A", _version: 7 }]],
    ["invalid_document", [{ sku: "A", _version: null }]],
    ["document_not_found", [{ sku: "A", price: 3 }, { sku: "none" }]],
    ["version_conflict", [{ sku: "A", price: 3, _version: "0" }]],
  ])("refuse with %s: %j", async (code, body) => {
    await expect(update(body)).rejects.toMatchObject({ code });
    await documents.commit("shop");
    expect((await documents.getByKey("shop", "A")).view["price"]).toBe(1);
  });

  test("name their document by a list of one value, too, and never change nothing in silence", async () => {
    await documents.add("shop", { sku: ["L"], title: "one" });
    await documents.commit("shop");
    expect(await documents.update("shop", [{ sku: ["L"], title: "two" }], false)).toMatchObject({
      num_updated: 1,
    });
    await documents.commit("shop");
    expect((await documents.getByKey("shop", "L")).view["title"]).toBe("two");
    for (const sku of [[], [null], ["L", "B"], [["L"]]]) {
      await expect(documents.update("shop", [{ sku, title: "three" }], false)).rejects.toMatchObject({
        code: "invalid_document",
      });
    }
  });

  test("never give a document another key", async () => {
    const { documentId } = await documents.getByKey("shop", "A");
    await expect(update({ _id: documentId, sku: "B" })).rejects.toMatchObject({ code: "invalid_document" });
    await expect(update({ _id: documentId, sku: null })).rejects.toMatchObject({ code: "invalid_document" });
    expect(await update({ _id: documentId, sku: "A" })).toMatchObject({ num_updated: 1 });
  });
});

describe("the setting", () => {
  test("is shown where it is set, and taken back by PUT", async () => {
    await create({});
    expect(indexes.get("shop", Authority.unrestricted())).not.toHaveProperty("primary_key");
    await indexes.patchSettings("shop", { primary_key: "sku" });
    const view = indexes.get("shop", Authority.unrestricted());
    expect(view.primary_key).toBe("sku");
    await indexes.replace("shop", { index: view }, Authority.unrestricted());
    expect(indexes.get("shop", Authority.unrestricted())).toEqual(view);
    await indexes.patchSettings("shop", { primary_key: null });
    expect(indexes.get("shop", Authority.unrestricted())).not.toHaveProperty("primary_key");
  });

  test.each(["tags", "price", "none", "__proto__"])("refuses '%s'", async (name) => {
    await expect(create({ primary_key: name })).rejects.toMatchObject({ code: "invalid_schema" });
  });

  test("is refused where documents share a value or lack one, and names some", async () => {
    await create({});
    await documents.add("shop", [{ sku: "A" }, { sku: "A" }, { sku: "B", number: 1 }]);
    await documents.commit("shop");
    await expect(indexes.patchSettings("shop", { primary_key: "sku" })).rejects.toMatchObject({
      code: "invalid_schema",
      message: expect.stringContaining('several documents share a value: "A"'),
    });
    await expect(indexes.patchSettings("shop", { primary_key: "number" })).rejects.toMatchObject({
      code: "invalid_schema",
      message: expect.stringContaining("documents have no value"),
    });
    await documents.deleteByField("shop", { sku: "A" });
    await expect(indexes.patchSettings("shop", { primary_key: "sku" })).rejects.toMatchObject({
      code: "invalid_schema",
    });
    await documents.commit("shop");
    await indexes.patchSettings("shop", { primary_key: "sku" });
    expect(await documents.add("shop", { sku: "B" })).toMatchObject({ num_added: 0, num_replaced: 1 });
  });

  test("is refused where a document has an empty text for it, which is named", async () => {
    await create({});
    const { ids } = await documents.add("shop", [{ sku: "A" }, { sku: "" }]);
    for (const state of ["pending", "committed"]) {
      await expect(indexes.patchSettings("shop", { primary_key: "sku" }), state).rejects.toMatchObject({
        code: "invalid_schema",
        message: expect.stringContaining(`documents have no value, or an empty one: ${ids[1]};`),
      });
      await documents.commit("shop");
    }
    await documents.deleteDocument("shop", ids[1]!);
    await documents.commit("shop");
    await indexes.patchSettings("shop", { primary_key: "sku" });
  });

  test("comes into force once documents are found by it, unless others have come that share a value", async () => {
    await create({});
    await documents.add("shop", [{ sku: "A" }, { sku: "B" }]);
    await documents.commit("shop");
    let open: () => void = () => undefined;
    harness.backend.gate = new Promise((resolve) => {
      open = resolve;
    });
    const patching = indexes.patchSettings("shop", { primary_key: "sku" });
    const adding = documents.add("shop", { sku: "A" });
    open();
    // Whichever comes first, the index is never left with two documents of one key.
    await adding;
    await documents.commit("shop");
    await patching.catch(() => undefined);
    const isKeyed = indexes.get("shop", Authority.unrestricted()).primary_key === "sku";
    expect((await indexes.stats("shop")).document_count).toBe(isKeyed ? 2 : 3);
  });
});
