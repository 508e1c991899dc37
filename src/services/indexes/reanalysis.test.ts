// PATCH of the analysis (contract 3.2): settings and documents change together, late work goes on, failures leave all as it was.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { Authority } from "../authority/authority.js";

const ADMIN = Authority.unrestricted();
const FIELDS = { id: { type: "text" }, title: { type: "text" } };
const STEMMING = { language: "en", enable_language_stemming: true };
const PATCH_WAIT_MS = 20_000;

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  await harness.services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
  await harness.services.documents.add("books", [{ id: "1", title: "one" }]);
  await harness.services.documents.commit("books");
  await harness.services.documents.add("books", [{ id: "2", title: "pending" }]);
});
afterEach(() => harness.close());

const patch = (body: object): Promise<string> => {
  const { indexes } = harness.services;
  return "fold_diacritics" in body
    ? indexes.patchSettings("books", body)
    : indexes.patch("books", body, ADMIN);
};
const entry = (): CatalogIndex => harness.catalog.index("books")!;
const shown = (): object => harness.services.indexes.get("books", ADMIN);
const count = async (): Promise<number> =>
  (await harness.services.search.search("books", { query: { exact: { ctx: "*" } } })).count;
const rewrites = (): number => harness.backend.calls.filter((call) => call === "rewriteIndex").length;
/** A PATCH that has come to copying, which is held up until the second value is called. */
async function heldPatch(
  body: object,
): Promise<{ readonly patching: Promise<string>; readonly openGate: () => void }> {
  const before = rewrites();
  const openGate = closeGate();
  const patching = patch(body);
  patching.catch(() => undefined);
  await until(() => rewrites() > before);
  harness.backend.gate = Promise.resolve();
  return { patching, openGate };
}

/** Waits for work behind the answers to come that far. */
async function until(isReached: () => boolean): Promise<void> {
  await expect.poll(isReached).toBe(true);
}
const isInForce = (schema: object) => (): boolean =>
  Object.entries(schema).every(([name, value]) => entry().schema[name as "language"] === value) &&
  harness.backend.storageIds.length === 1;

/** Holds all of the back end's operations up until called. */
function closeGate(): () => void {
  let open: () => void = () => undefined;
  harness.backend.gate = new Promise((resolve) => {
    open = resolve;
  });
  return open;
}

describe("a PATCH that changes the analysis", () => {
  test("puts new storage and the settings in force together, pending writes included, and drops the old storage", async () => {
    const before = entry();
    expect(await patch({ ...STEMMING, weight_multipliers: { title: 2 } })).toBe("index updated");
    expect(entry().schema).toMatchObject({ ...STEMMING, weight_multipliers: { title: 2 } });
    expect(entry().storageId).not.toBe(before.storageId);
    expect(entry()).not.toHaveProperty("next_schema");
    expect(harness.backend.storageIds).toEqual([entry().storageId]);
    expect(await count()).toBe(1);
    await harness.services.documents.commit("books");
    expect(await count()).toBe(2);
    expect(harness.clock.waiting).toBe(0);
  });

  test.each([
    { weight_multipliers: { title: 3 } },
    { exclude_stop_words: false },
    { language: "de" },
    { fold_diacritics: false },
    { enable_language_stemming: false },
  ])("%j changes no token and rewrites nothing", async (body) => {
    const { storageId } = entry();
    await patch(body);
    expect(entry().storageId).toBe(storageId);
    expect(harness.backend.calls).not.toContain("rewriteIndex");
    expect(entry().schema).toMatchObject(body.fold_diacritics === false ? {} : body);
  });

  test.each([{ fold_diacritics: true }, { language: "tr" }, STEMMING])("%j rewrites", async (body) => {
    await patch(body);
    expect(harness.backend.calls).toContain("rewriteIndex");
    expect(shown()).toMatchObject(body);
  });

  test("a language without a stemmer is refused, and nothing changes", async () => {
    for (const body of [{ enable_language_stemming: true }, { ...STEMMING, language: "xx" }]) {
      await expect(patch(body)).rejects.toMatchObject({ code: "invalid_schema" });
    }
    await patch(STEMMING);
    for (const language of [null, "ja"]) {
      await expect(patch({ language })).rejects.toMatchObject({ code: "invalid_schema" });
    }
    expect(shown()).toMatchObject(STEMMING);
  });

  test.each(["rewriteIndex", "createIndex", "finishRewrite"] as const)(
    "fails with %s and leaves settings, documents and pending writes as they were",
    async (operation) => {
      const before = entry();
      harness.backend.failNext(operation);
      await expect(patch(STEMMING)).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(entry()).toEqual(before);
      expect(harness.backend.storageIds).toEqual([before.storageId]);
      await harness.services.documents.commit("books");
      expect(await count()).toBe(2);
      await patch(STEMMING);
      expect(await count()).toBe(2);
    },
  );

  test.each([true, false])(
    "keeps the new storage just if a restart may find it named (settled: %s)",
    async (isSettled) => {
      const before = entry();
      vi.spyOn(harness.catalog, "putIndex").mockRejectedValueOnce(new Error("injected"));
      vi.spyOn(harness.catalog, "isSettled", "get").mockReturnValue(isSettled);
      await expect(patch(STEMMING)).rejects.toThrow("injected");
      expect(entry()).toEqual(before);
      expect(harness.backend.storageIds).toHaveLength(isSettled ? 1 : 2);
      expect(harness.backend.storageIds).toContain(before.storageId);
      vi.restoreAllMocks();
    },
  );

  test("lets writes, searches and other settings through while it runs", async () => {
    const { patching, openGate } = await heldPatch(STEMMING);
    await harness.services.documents.add("books", [{ id: "3" }]);
    await harness.services.documents.commit("books");
    await harness.services.dictionaries.addSynonyms("books", ["a:b"]);
    expect(await count()).toBe(3);
    expect(entry().schema.enable_language_stemming).toBe(false);
    openGate();
    await patching;
    expect(entry().synonyms).toEqual({ a: ["b"] });
    expect(await count()).toBe(3);
  });

  test("several at once come into force one after the other, each whole", async () => {
    await Promise.all([
      patch(STEMMING),
      patch({ fold_diacritics: true }),
      patch({ weight_multipliers: { title: 5 } }),
      patch({ language: "de" }),
    ]);
    expect(shown()).toMatchObject({
      ...STEMMING,
      language: "de",
      fold_diacritics: true,
      weight_multipliers: { title: 5 },
    });
    expect(harness.backend.storageIds).toEqual([entry().storageId]);
  });

  test("gives way to a PUT and to a DELETE", async () => {
    for (const end of ["put", "delete"] as const) {
      const { patching, openGate } = await heldPatch(STEMMING);
      const index = { name: "books", fields: FIELDS };
      if (end === "put") await harness.services.indexes.replace("books", { index }, ADMIN);
      else await harness.services.indexes.delete("books");
      openGate();
      if (end === "put") expect(await patching).toBe("index updated");
      else await expect(patching).rejects.toMatchObject({ code: "index_not_found" });
      await until(() => harness.backend.storageIds.length === (end === "put" ? 1 : 0));
      if (end === "put") expect(entry().schema.enable_language_stemming).toBe(false);
    }
  });

  test("an automatic commit that was due comes, on the new storage", async () => {
    await patch({ auto_commit_delay: 5 });
    await harness.services.documents.add("books", [{ id: "3" }]);
    await patch(STEMMING);
    expect(await count()).toBe(1);
    await harness.clock.advance(5_000);
    expect(await count()).toBe(3);
  });
});

describe("work that takes longer than an answer may", () => {
  /** A PATCH answered when its time was over, with the work held up. */
  async function latePatch(body: object): Promise<() => void> {
    const { patching, openGate } = await heldPatch(body);
    await harness.clock.advance(PATCH_WAIT_MS);
    expect(await patching).toBe("index updated");
    return openGate;
  }

  test("goes on after the answer; searches keep the old settings, callers see the new ones", async () => {
    const { storageId } = entry();
    const openGate = await latePatch(STEMMING);
    expect(entry()).toMatchObject({ storageId, schema: { enable_language_stemming: false } });
    expect(shown()).toMatchObject(STEMMING);
    openGate();
    await until(isInForce(STEMMING));
    expect(entry()).not.toHaveProperty("next_schema");
    expect(await count()).toBe(1);
  });

  test("is taken up again after a restart", async () => {
    const openGate = await latePatch(STEMMING);
    const restarting = harness.restart();
    openGate();
    await restarting;
    await until(isInForce(STEMMING));
    expect(harness.backend.storageIds).toEqual([entry().storageId]);
    expect(await count()).toBe(1);
  });

  test("is tried again after failures", async () => {
    harness.backend.failNext("finishRewrite", 2);
    const openGate = await latePatch(STEMMING);
    openGate();
    await until(() => harness.clock.waiting === 1);
    expect(entry().schema.enable_language_stemming).toBe(false);
    expect(harness.logger.lines.length).toBeGreaterThan(0);
    await harness.clock.advance(1_000);
    await until(() => harness.clock.waiting === 1);
    await harness.clock.advance(5_000);
    await until(isInForce(STEMMING));
    expect(harness.backend.storageIds).toEqual([entry().storageId]);
  });

  test("other settings come into force at once, and stay when it ends", async () => {
    const openGate = await latePatch(STEMMING);
    await patch({ weight_multipliers: { title: 4 } });
    expect(entry().schema).toMatchObject({
      weight_multipliers: { title: 4 },
      enable_language_stemming: false,
    });
    openGate();
    await until(isInForce(STEMMING));
    expect(entry().schema).toMatchObject({ weight_multipliers: { title: 4 } });
  });

  test("is given up where the next PATCH takes the change back, and replaced where it goes further", async () => {
    const openGate = await latePatch(STEMMING);
    await patch({ enable_language_stemming: false });
    openGate();
    await until(isInForce({ language: "en", enable_language_stemming: false }));
    expect(entry()).not.toHaveProperty("next_schema");

    const openSecond = await latePatch(STEMMING);
    await patch({ fold_diacritics: true });
    openSecond();
    await until(isInForce({ ...STEMMING, fold_diacritics: true }));
    expect(harness.backend.storageIds).toEqual([entry().storageId]);
  });

  test("still holds where the next PATCH fails", async () => {
    const openGate = await latePatch(STEMMING);
    harness.backend.failNext("finishRewrite");
    await expect(patch({ fold_diacritics: true })).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(shown()).not.toHaveProperty("fold_diacritics");
    openGate();
    await until(isInForce(STEMMING));
    expect(entry().schema).not.toHaveProperty("fold_diacritics");
  });

  test("a stop refuses whoever still waits, and leaves the old settings", async () => {
    const { patching, openGate } = await heldPatch(STEMMING);
    const refused = expect(patching).rejects.toMatchObject({ code: "shutting_down" });
    const restarting = harness.restart();
    openGate();
    await refused;
    await restarting;
    expect(shown()).not.toHaveProperty("language");
    expect(await count()).toBe(1);
  });
});

describe("an index of an earlier version's analysis", () => {
  test("is analysed anew behind the start, keeps its settings and documents, and says nothing of it", async () => {
    const { analysis_version, ...schema } = entry().schema;
    expect(analysis_version).toBeGreaterThan(1);
    await harness.catalog.putIndex({ ...entry(), schema });
    const before = entry().storageId;
    const seen = shown();
    await harness.services.start();
    await until(() => entry().storageId !== before && harness.backend.storageIds.length === 1);
    expect(entry().schema).toEqual({ ...schema, analysis_version });
    expect(entry()).not.toHaveProperty("next_schema");
    expect(shown()).toEqual(seen);
    expect(await count()).toBe(1);
  });

  test("takes other settings meanwhile, which stay when it comes into force", async () => {
    const { analysis_version, ...schema } = entry().schema;
    await harness.catalog.putIndex({ ...entry(), schema });
    const before = rewrites();
    const openGate = closeGate();
    await harness.services.start();
    await until(() => rewrites() > before);
    harness.backend.gate = Promise.resolve();
    await patch({ weight_multipliers: { title: 7 } });
    expect(entry().schema).not.toHaveProperty("analysis_version");
    openGate();
    await until(isInForce({ weight_multipliers: entry().next_schema!.weight_multipliers } as object));
    await until(() => entry().schema.analysis_version === analysis_version);
    expect(entry().schema.weight_multipliers).toEqual({ title: 7 });
  });
});
