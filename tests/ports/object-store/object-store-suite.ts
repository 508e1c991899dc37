/** What every `ObjectStore` does, whatever is behind it. */
import { expect, test } from "vitest";
import type { ObjectStore } from "../../../src/ports/object-store.js";

export async function bytesOf(store: ObjectStore, key: string): Promise<Uint8Array | null> {
  const chunks = await store.get(key);
  if (chunks === null) return null;
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new Uint8Array(Buffer.concat(parts));
}

export async function keysOf(store: ObjectStore, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/**
 * @param open gives an empty store each time
 * @param objects that a list must get right, more than the store tells at once
 */
export function objectStoreSuite(open: () => Promise<ObjectStore>, objects: number): void {
  test("gives back what was put, with its length and time", async () => {
    const store = await open();
    const large = new Uint8Array(3_000_000).map((_, i) => i * 31);
    for (const content of [bytes(""), bytes("one"), large]) {
      const before = Date.now();
      expect(await store.put("a/b.json", content)).toBe(true);
      expect(await bytesOf(store, "a/b.json")).toEqual(content);
      const head = await store.head("a/b.json");
      expect(head).toMatchObject({ key: "a/b.json", bytes: content.length });
      // S3's times are whole seconds.
      expect(head!.modifiedAtMs).toBeGreaterThan(before - 2_000);
      expect(head!.modifiedAtMs).toBeLessThan(Date.now() + 2_000);
    }
  });

  test("knows nothing of what isn't there", async () => {
    const store = await open();
    expect(await store.get("a")).toBeNull();
    expect(await store.head("a/b/c")).toBeNull();
    expect(await keysOf(store, "")).toEqual([]);
    await store.delete("a");
    await store.put("a/b", bytes("x"));
    expect(await store.get("a")).toBeNull();
    expect(await store.get("a/b/c")).toBeNull();
    await store.delete("a/b");
    expect(await store.head("a/b")).toBeNull();
  });

  test("puts only if there is none where that is asked, and one of many at once", async () => {
    const store = await open();
    expect(await store.put("m", bytes("first"), { ifAbsent: true })).toBe(true);
    expect(await store.put("m", bytes("second"), { ifAbsent: true })).toBe(false);
    expect(await bytesOf(store, "m")).toEqual(bytes("first"));
    expect(await store.put("m", bytes("third"))).toBe(true);
    expect(await bytesOf(store, "m")).toEqual(bytes("third"));
    const racing = Array.from({ length: 8 }, (_, i) =>
      store.put("race", bytes(`racer ${i}`), { ifAbsent: true }),
    );
    const won = await Promise.all(racing);
    expect(won.filter((each) => each)).toHaveLength(1);
    expect(await bytesOf(store, "race")).toEqual(bytes(`racer ${won.indexOf(true)}`));
  });

  test("lists by prefix in the order of keys, more than a page's worth", async () => {
    const store = await open();
    const keys = [
      "a",
      "b/1",
      "b/10",
      "b/2",
      "b-0",
      "b.x",
      "bc",
      ...Array.from({ length: objects }, (_, i) => `n/${String(i).padStart(5, "0")}`),
    ];
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, bytes(key))));
    expect(await keysOf(store, "")).toEqual(keys.toSorted());
    expect(await keysOf(store, "b/")).toEqual(["b/1", "b/10", "b/2"]);
    expect(await keysOf(store, "b/1")).toEqual(["b/1", "b/10"]);
    expect(await keysOf(store, "n/")).toHaveLength(objects);
    for await (const { key, bytes: length } of store.list("b")) expect(length).toBe(key.length);
  });

  test.each([
    "",
    "/a",
    "a/",
    "a//b",
    "..",
    "a/../b",
    "a/.b",
    ".a",
    "a\\b",
    "a b",
    "ä",
    "a\n",
    `${"a/".repeat(11)}a`,
  ])("takes no key like %j", async (key) => {
    const store = await open();
    await expect(store.put(key, bytes("x"))).rejects.toThrow(RangeError);
    await expect(store.get(key)).rejects.toThrow(RangeError);
    await expect(store.delete(key)).rejects.toThrow(RangeError);
  });
}
