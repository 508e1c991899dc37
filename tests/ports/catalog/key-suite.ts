import { describe, expect, test } from "vitest";
import type { AccessKey } from "../../../src/contract/access-key.js";
import type { Catalog } from "../../../src/ports/catalog.js";

/** Access keys, as part of the suite of catalogs. */
export function keySuite(catalogOf: () => Catalog, reopened: () => Promise<Catalog>): void {
  describe("access keys", () => {
    const valuesOf = (catalog: Catalog) => catalog.keys().map(({ key }) => key);

    test("are what was put last, in the order of their creation", async () => {
      const catalog = catalogOf();
      await catalog.putKeys([keyOf("b"), keyOf("a")]);
      await catalog.putKey(keyOf("c"));
      await catalog.putKey({ ...keyOf("b"), status: "inactive", organization_id: 7 });
      for (const one of [catalog, await reopened()]) {
        expect(valuesOf(one)).toEqual(["b", "a", "c"]);
        expect(one.key("b")).toEqual({ ...keyOf("b"), status: "inactive", organization_id: 7 });
        expect(one.key("x")).toBeUndefined();
      }
    });

    test("are deleted one by one or all together", async () => {
      await catalogOf().putKeys([keyOf("a"), keyOf("b"), keyOf("c")]);
      await catalogOf().deleteKey("b");
      await catalogOf().deleteKey("b");
      expect(valuesOf(await reopened())).toEqual(["a", "c"]);
      await catalogOf().deleteAllKeys();
      expect(valuesOf(catalogOf())).toEqual([]);
      expect(valuesOf(await reopened())).toEqual([]);
    });

    test("writes that overlap are all there", async () => {
      const values = Array.from({ length: 20 }, (_, i) => `k${i}`);
      await Promise.all([
        ...values.map((value) => catalogOf().putKey(keyOf(value))),
        catalogOf().deleteKey("k3"),
      ]);
      expect(valuesOf(await reopened())).toEqual(values.filter((value) => value !== "k3"));
    });
  });
}

function keyOf(key: string): AccessKey {
  return { key, name: `key ${key}`, permissions: 1, allowed_indexes: ["books"], status: "active" };
}
