/**
 * Documents that are in the journal, and fail halfway into memory, are in no commit until the index is opened again: it
 * refuses everything, and has all of them then.
 */
import { afterEach, expect, test, vi } from "vitest";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { defineSchema, Index } from "../server-door.js";
import { TextFieldBuilder } from "./text-field-builder.js";

const SCHEMA = defineSchema({ body: { kind: "text" } });

afterEach(() => {
  vi.restoreAllMocks();
});

const bodies = (count: number): { body: string }[] =>
  Array.from({ length: count }, (_, n) => ({ body: `word number${n}` }));

const countOf = (index: Index): number =>
  index.search({ query: { kind: "term", field: "body", term: "word" } }).count;

test("nothing of them is committed, and all of them once the index is open again", async () => {
  const directory = new MemoryDirectory();
  const index = await Index.create(directory, SCHEMA, { lock: false });
  await index.add(bodies(20));
  await index.commit();
  const add = vi.spyOn(TextFieldBuilder.prototype, "addValue").mockImplementation(() => {
    throw new RangeError("no memory");
  });
  await expect(index.add(bodies(16))).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(add).toHaveBeenCalled();
  add.mockRestore();
  expect(index.failure).toMatchObject({ code: "storage_unavailable" });
  await expect(index.add(bodies(1))).rejects.toMatchObject({ code: "storage_unavailable" });
  await expect(index.commit()).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(countOf(index)).toBe(20);
  await index.close();

  const again = await Index.open(directory, { lock: false });
  expect(again.failure).toBeNull();
  await again.commit();
  expect(countOf(again)).toBe(36);
  await again.close();
});
