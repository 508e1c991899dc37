import { describe, expect, test } from "vitest";
import type { AccessKey } from "../../../src/contract/access-key.js";
import type { Catalog } from "../../../src/ports/catalog.js";

/** Access keys, as part of the suite of catalogs. */
export function keySuite(catalogOf: () => Catalog, reopened: () => Promise<Catalog>): void {
  describe("access keys", () => {
    const valuesOf = (catalog: Catalog) => catalog.keys().map(({ id }) => catalog.valueOfKey(id));
    const idOf = (value: string): string => catalogOf().keyWithValue(value)!.id;

    test("are what was put last, in the order of their creation", async () => {
      const catalog = catalogOf();
      await catalog.addKeys([keyOf("b"), keyOf("a")]);
      await catalog.addKeys([keyOf("c")]);
      const { key: _, ...changed } = { ...keyOf("b"), id: idOf("b"), organization_id: 7 };
      await catalog.putKey({ ...changed, status: "inactive" });
      const { id } = changed;
      for (const one of [catalog, await reopened()]) {
        expect(valuesOf(one)).toEqual(["b", "a", "c"]);
        expect(one.key(id)).toEqual({ ...changed, status: "inactive" });
        expect(one.keyWithValue("b")).toEqual(one.key(id));
        expect([one.key("x"), one.keyWithValue("x"), one.valueOfKey("x")]).toEqual([
          undefined,
          undefined,
          undefined,
        ]);
      }
    });

    test("are deleted one by one or several together", async () => {
      await catalogOf().addKeys([keyOf("a"), keyOf("b"), keyOf("c")]);
      const ids = catalogOf()
        .keys()
        .map(({ id }) => id);
      await catalogOf().deleteKeys([ids[1]!]);
      await catalogOf().deleteKeys([ids[1]!]);
      expect(valuesOf(await reopened())).toEqual(["a", "c"]);
      await catalogOf().deleteKeys(ids);
      expect(valuesOf(catalogOf())).toEqual([]);
      expect(valuesOf(await reopened())).toEqual([]);
    });

    test("first ones are added where there are none", async () => {
      const added = await catalogOf().addFirstKeys([keyOf("a"), keyOf("b")]);
      expect(added.map(({ key, id }) => [key, id])).toEqual([
        ["a", idOf("a")],
        ["b", idOf("b")],
      ]);
      expect(await catalogOf().addFirstKeys([keyOf("c")])).toEqual([]);
      expect(await (await reopened()).addFirstKeys([keyOf("c")])).toEqual([]);
      expect(valuesOf(catalogOf())).toEqual(["a", "b"]);
    });

    test("compare and set: a change made from what was known before another change is refused", async () => {
      await catalogOf().addKeys([keyOf("a")]);
      const before = catalogOf().keyWithValue("a")!;
      await catalogOf().putKey({ ...before, name: "first" }, before);
      await expect(catalogOf().putKey({ ...before, name: "second" }, before)).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await reopened()).keyWithValue("a")?.name).toBe("first");
    });

    test("when keys were last used only gets later, and stands in no change's way", async () => {
      await catalogOf().addKeys([keyOf("a"), keyOf("b")]);
      const before = catalogOf().keyWithValue("a")!;
      const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];
      const gone = "0123456789abcdef";
      for (const instant of [late, early])
        await catalogOf().noteKeyUses(new Map([before.id, gone].map((id) => [id, instant])));
      const used = catalogOf().keyWithValue("a");
      expect(used).toEqual({ ...before, last_used_at: late });
      await catalogOf().noteKeyUses(new Map([[before.id, late]]));
      expect(catalogOf().keyWithValue("a")).toBe(used);
      await catalogOf().putKey({ ...before, name: "changed" }, before);
      const again = await reopened();
      expect(again.keyWithValue("a")).toEqual({ ...before, name: "changed", last_used_at: late });
      expect(again.keyWithValue("b")).not.toHaveProperty("last_used_at");
      expect(valuesOf(again)).toEqual(["a", "b"]);
    });

    test("writes that overlap are all there", async () => {
      const values = Array.from({ length: 20 }, (_, i) => `k${i}`);
      await catalogOf().addKeys([keyOf("k3")]);
      const deleted = idOf("k3");
      await Promise.all([
        ...values.filter((value) => value !== "k3").map((value) => catalogOf().addKeys([keyOf(value)])),
        catalogOf().deleteKeys([deleted]),
      ]);
      expect(valuesOf(await reopened())).toEqual(values.filter((value) => value !== "k3"));
    });
  });
}

function keyOf(key: string): Omit<AccessKey, "id"> {
  return { key, name: `key ${key}`, permissions: 1, allowed_indexes: ["books"], status: "active" };
}
