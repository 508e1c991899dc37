import { beforeEach, describe, expect, test } from "vitest";
import { documentVersion } from "../../../src/contract/document-version.js";
import type { DocumentChange } from "../../../src/ports/document-change.js";
import type { SearchBackend, StorageId } from "../../../src/ports/search-backend.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { bookOf, EVERYTHING, idsIn, LIBRARY, libraryOf, planOf } from "./library.js";

const TALES: QueryAst = { kind: "term", field: "title", term: "tale" };

/** Writes, transactions, and what is seen of them. */
export function writeSuite(shared: () => BackendUnderTest): void {
  describe("writes", () => {
    let backend: SearchBackend;
    let storageId: StorageId;

    beforeEach(async () => {
      ({ backend } = shared());
      ({ storageId } = await libraryOf(backend));
    });

    const ids = () => idsIn(backend, storageId);
    const count = async () => (await backend.stats(storageId)).documentCount;
    const add = (...names: readonly string[]) =>
      backend.add(
        storageId,
        names.map((id) => ({ id, title: "a new tale" })),
      );

    test("what is added is seen once it is committed, and not before", async () => {
      const [documentId] = await add("f");
      expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
      expect(await count()).toBe(5);
      expect(await backend.document(storageId, documentId!)).toBeNull();
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f"]);
      expect(await count()).toBe(6);
      expect(JSON.parse((await backend.document(storageId, documentId!))!)).toEqual({
        id: "f",
        title: "a new tale",
      });
    });

    test("a rollback takes back what was added and deleted since the last commit, and nothing else", async () => {
      await add("f");
      await backend.commit(storageId);
      await add("g");
      expect(await backend.deleteMatching(storageId, TALES)).toBe(4);
      await add("h");
      await backend.rollback(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f"]);
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f"]);
    });

    test("documents get ids of their own, in their order, also from calls that overlap", async () => {
      const calls = await Promise.all(Array.from({ length: 20 }, (_, i) => add(`x${i}`, `y${i}`)));
      await backend.commit(storageId);
      expect(new Set(calls.flat()).size).toBe(40);
      for (const [i, [first, second]] of calls.entries()) {
        expect(bookOf(Buffer.from((await backend.document(storageId, first!))!))["id"]).toBe(`x${i}`);
        expect(bookOf(Buffer.from((await backend.document(storageId, second!))!))["id"]).toBe(`y${i}`);
      }
    });

    test("unread documents are read and added; members that the schema doesn't have are told", async () => {
      const written = await backend.addUnread(
        storageId,
        unread('[{"id":"f","colour":"red"},{"id":"g","count":7}]'),
      );
      expect(written).toEqual({
        ids: [expect.any(String), expect.any(String)],
        replaced: 0,
        ignoredFields: ["colour"],
      });
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    });

    test("bad ones among unread documents are left out where that is asked for, even all of them", async () => {
      const body = '[{"id":"f"},{"count":"many"},{"id":"g"}]';
      expect(await backend.addUnread(storageId, { ...unread(body), skipsBad: true })).toMatchObject({
        ids: [expect.any(String), expect.any(String)],
        leftOut: { sentCount: 3, places: [0, 2], skippedCount: 1, skipped: [{ path: "[1].count" }] },
      });
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
      const bad = { ...unread('[{"count":"many"}]'), skipsBad: true };
      expect(await backend.addUnread(storageId, bad)).toMatchObject({
        ids: [],
        replaced: 0,
        leftOut: { sentCount: 1, places: [], skippedCount: 1 },
      });
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    });

    test("of unread documents that can't be read none is added", async () => {
      for (const body of [
        '[{"id":"f"},{"count":"many"}]',
        '[{"id":"f"},',
        '[{"id":"f"},{"id":"g"},{"id":"h"},{"id":"i"}]',
      ])
        await expect(backend.addUnread(storageId, unread(body))).rejects.toMatchObject({
          code: expect.stringMatching(/^invalid_|^batch_|^payload_/),
        });
      expect(await backend.hasPendingWrites(storageId)).toBe(false);
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
    });

    describe("replacing by a key", () => {
      const replace = (...names: readonly string[]) =>
        backend.replace(
          storageId,
          "id",
          names.map((id) => ({ id, title: "a new tale" })),
        );

      test("documents with the same key give way, committed and pending ones, and come back with a rollback", async () => {
        await add("f");
        const { ids: written, replaced } = await replace("b", "f", "g");
        expect([written.length, replaced]).toEqual([3, 2]);
        expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
        expect((await replace("g", "h")).replaced).toBe(1);
        await backend.commit(storageId);
        expect(await ids()).toEqual(["a", "c", "d", "e", "b", "f", "g", "h"]);
        await replace("a", "h");
        await backend.rollback(storageId);
        expect(await ids()).toEqual(["a", "c", "d", "e", "b", "f", "g", "h"]);
        expect(await backend.deleteMatching(storageId, TALES)).toBe(6);
      });

      test("of several with one key the last stays", async () => {
        const { ids: written, replaced } = await replace("b", "x", "b", "y", "x");
        expect(replaced).toBe(1);
        expect(written.map((id) => id !== null)).toEqual([false, false, true, true, true]);
        await backend.commit(storageId);
        expect(await ids()).toEqual(["a", "c", "d", "e", "b", "y", "x"]);
        expect(await backend.document(storageId, written[2]!)).not.toBeNull();
      });

      test("unread documents do the same", async () => {
        const body = '[{"id":"a","count":7},{"id":"n"},{"id":"n","colour":"red"}]';
        const written = await backend.addUnread(storageId, { ...unread(body), primaryKey: "id" });
        expect(written).toEqual({
          ids: [expect.any(String), null, expect.any(String)],
          replaced: 1,
          ignoredFields: ["colour"],
        });
        await backend.commit(storageId);
        expect(await ids()).toEqual(["b", "c", "d", "e", "a", "n"]);
      });

      test("numbers are keys, beyond what a double holds, too", async () => {
        const counted = [{ count: "18446744073709551615" }, { count: 10 }, { count: 11 }];
        expect((await backend.replace(storageId, "count", counted)).replaced).toBe(2);
        const replaced = await backend.replace(storageId, "delta", [{ delta: "-9223372036854775808" }]);
        expect(replaced.replaced).toBe(0);
      });

      test("what keeps a field from being a key is told, of the committed state and of the next", async () => {
        expect(await backend.keyConflicts(storageId, "id")).toEqual({
          shared: [],
          sharedCount: 0,
          lacking: [],
          lackingCount: 0,
        });
        expect(await backend.keyConflicts(storageId, "count")).toMatchObject({
          shared: [3],
          sharedCount: 1,
          lacking: [expect.any(String)],
          lackingCount: 1,
        });
        const noted = await backend.keyConflicts(storageId, "note");
        expect([noted.sharedCount, noted.lackingCount]).toEqual([0, 2]);
        await backend.add(storageId, [{ id: "b" }, { id: "c", note: "lent to a friend" }]);
        expect(await backend.keyConflicts(storageId, "note")).toMatchObject({
          shared: ["lent to a friend"],
          sharedCount: 1,
        });
        const pending = await backend.keyConflicts(storageId, "id");
        expect([pending.sharedCount, [...pending.shared].sort()]).toEqual([2, ["b", "c"]]);
        const [empty, emptyToo] = await backend.add(storageId, [{ id: "" }, { id: "", title: "" }]);
        for (const field of ["id", "title"])
          expect(await backend.keyConflicts(storageId, field)).toMatchObject({
            lacking: expect.arrayContaining(field === "id" ? [empty, emptyToo] : [emptyToo]),
          });
        expect(await backend.keyConflicts(storageId, "id")).toMatchObject({
          sharedCount: 2,
          lackingCount: 2,
        });
        await backend.commit(storageId);
        await backend.deleteMatching(storageId, EVERYTHING);
        expect((await backend.keyConflicts(storageId, "id")).sharedCount).toBe(2);
        await backend.commit(storageId);
        expect((await backend.keyConflicts(storageId, "id")).sharedCount).toBe(0);
      });

      test("text that is words to searches is a key as a whole, with its case", async () => {
        const schema = { ...LIBRARY, primary_key: "title" };
        ({ storageId } = await libraryOf(backend, [], schema));
        const put = (...titles: readonly string[]) =>
          backend.replace(
            storageId,
            "title",
            titles.map((title) => ({ title })),
          );
        await put("Winter tale", "winter tale", "Winter", "Winter tale");
        expect((await put("Winter", "tale")).replaced).toBe(1);
        await backend.commit(storageId);
        const withTale = await backend.search(storageId, planOf(TALES));
        expect(withTale.count).toBe(3);
        const key: QueryAst = { kind: "value_set", field: "title", values: ["winter tale"] };
        expect((await backend.search(storageId, planOf(key))).count).toBe(1);
        expect(await backend.deleteMatching(storageId, key)).toBe(1);
        await backend.commit(storageId);
        expect((await backend.search(storageId, planOf(EVERYTHING))).count).toBe(3);
      });
    });

    describe("changing", () => {
      const change = (changes: readonly Partial<DocumentChange>[], upsert = false) =>
        backend.change(
          storageId,
          changes.map((each) => ({ target: { key: "a" }, set: {}, removed: [], isWhole: true, ...each })),
          { key: "id", upsert },
        );
      const shownOf = async (id: string) => {
        const ast: QueryAst = { kind: "value_set", field: "id", values: [id] };
        const [hit] = (await backend.search(storageId, planOf(ast))).hits;
        return {
          id: hit!.documentId,
          version: documentVersion(hit!.documentId, hit!.docJson),
          book: bookOf(hit!.docJson),
        };
      };

      test("a document keeps its id and what isn't named, also what hits don't show, and has the place of a new one", async () => {
        const before = await shownOf("a");
        const changed = await change([{ set: { title: "Spring tale" }, removed: ["body", "note"] }]);
        expect(changed).toEqual({ kind: "changed", ids: [before.id], added: 0 });
        expect((await shownOf("a")).book).toEqual(before.book);
        await backend.commit(storageId);
        const { body: _, note: __, ...rest } = before.book;
        const after = await shownOf("a");
        expect(after.book).toEqual({ ...rest, title: "Spring tale" });
        expect(after.version).not.toBe(before.version);
        expect(await ids()).toEqual(["b", "c", "d", "e", "a"]);
        const attic: QueryAst = { kind: "term", field: "secret", term: "attic" };
        expect((await backend.search(storageId, planOf(attic))).count).toBe(1);
        expect(JSON.parse((await backend.document(storageId, before.id))!)).toEqual(after.book);
        expect(await backend.deleteDocument(storageId, before.id)).toBe(true);
        expect(await backend.deleteDocument(storageId, before.id)).toBe(false);
      });

      test("pending documents are changed, again and again, and a rollback undoes it", async () => {
        await add("f");
        await change([{ target: { key: "f" }, set: { count: 1 } }]);
        await change([
          { target: { key: "f" }, set: { flag: true } },
          { set: { count: 9 } },
          { set: { price: 2 } },
        ]);
        await backend.commit(storageId);
        expect((await shownOf("f")).book).toEqual({ id: "f", title: "a new tale", count: 1, flag: true });
        expect((await shownOf("a")).book).toMatchObject({ count: 9, price: 2 });
        await change([{ set: { count: 10 } }]);
        await backend.rollback(storageId);
        expect((await shownOf("a")).book).toMatchObject({ count: 9, price: 2 });
        expect(await count()).toBe(6);
      });

      test("all changes are made or none: missing documents and other versions are told", async () => {
        const { id, version } = await shownOf("b");
        const changes = [
          { set: { count: 1 } },
          { target: { key: "x" } },
          { target: { id: "0".repeat(32) } },
          { target: { key: "b" }, version },
          { target: { id }, version: "0".repeat(16) },
          { target: { key: "b" }, set: { id: "c" } },
        ];
        expect(await change(changes)).toEqual({
          kind: "refused",
          missing: [1, 2],
          conflicting: [4],
          incomplete: [],
          rekeyed: [5],
        });
        expect(await backend.hasPendingWrites(storageId)).toBe(false);
        expect(await change([{ target: { id }, version, set: { count: 2 } }])).toMatchObject({ ids: [id] });
        expect(await change([{ target: { id }, version }])).toMatchObject({ conflicting: [0] });
      });

      test("what isn't there is added where that is asked for, if it is whole", async () => {
        const changes = [
          { target: { key: "x" }, set: { id: "x", count: 1 } },
          { target: { key: "x" }, set: { id: "x", price: 2 } },
          { set: { count: 8 } },
        ];
        expect(await change([...changes, { target: { key: "y" }, isWhole: false }], true)).toMatchObject({
          incomplete: [3],
        });
        const changed = await change(changes, true);
        expect(changed).toMatchObject({ kind: "changed", added: 1 });
        await backend.commit(storageId);
        expect((await shownOf("x")).book).toEqual({ id: "x", count: 1, price: 2 });
        expect(await ids()).toEqual(["b", "c", "d", "e", "x", "a"]);
      });
    });

    test("deletes by query take committed and pending documents, and tell how many", async () => {
      await add("f", "g");
      expect(await backend.deleteMatching(storageId, TALES)).toBe(4);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
      expect(await backend.deleteMatching(storageId, TALES)).toBe(0);
      await add("h");
      await backend.commit(storageId);
      expect(await ids()).toEqual(["b", "d", "e", "h"]);
    });

    test("deletes by a query that depends on what there is", async () => {
      const ifPresent = (word: string): QueryAst => ({
        kind: "boolean",
        clauses: [
          { occur: "must", ast: TALES },
          { occur: "must_if_present", word, ast: { kind: "term", field: "title", term: word } },
        ],
      });
      expect(await backend.deleteMatching(storageId, ifPresent("summer"))).toBe(1);
      expect(await backend.deleteMatching(storageId, ifPresent("autumn"))).toBe(1);
      await backend.commit(storageId);
      expect(await ids()).toEqual(["b", "d", "e"]);
    });

    test("deletes by a field that has no index look at what is kept", async () => {
      const words = (...terms: readonly string[]) => terms.map((term, position) => ({ term, position }));
      const lent = { kind: "phrases", phrases: [words("lent"), words("by", "whom")] } as const;
      expect(await backend.deleteByKeptValue(storageId, "note", lent)).toBe(2);
      const exact = { kind: "values", values: ["signed by the author", "signed"] } as const;
      expect(await backend.deleteByKeptValue(storageId, "note", exact)).toBe(1);
      await backend.commit(storageId);
      expect(await ids()).toEqual(["b", "d"]);
    });

    test("a document is deleted by its id, pending or committed, once", async () => {
      const [pending] = await add("f");
      const [committed] = await backend.add(storageId, [{ id: "g" }]);
      expect(await backend.deleteDocument(storageId, pending!)).toBe(true);
      expect(await backend.deleteDocument(storageId, pending!)).toBe(false);
      await backend.commit(storageId);
      expect(await backend.deleteDocument(storageId, committed!)).toBe(true);
      expect(await backend.deleteDocument(storageId, "0".repeat(32))).toBe(false);
      await backend.commit(storageId);
      expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
    });

    test("all documents are deleted, those that are pending too", async () => {
      await add("f");
      expect(await backend.deleteAll(storageId)).toBe(6);
      await add("g");
      await backend.commit(storageId);
      expect(await ids()).toEqual(["g"]);
      expect(await count()).toBe(1);
    });

    test("whether writes wait for a commit is known", async () => {
      expect(await backend.hasPendingWrites(storageId)).toBe(false);
      await add("f");
      expect(await backend.hasPendingWrites(storageId)).toBe(true);
      await backend.commit(storageId);
      expect(await backend.hasPendingWrites(storageId)).toBe(false);
      await backend.deleteAll(storageId);
      expect(await backend.hasPendingWrites(storageId)).toBe(true);
      await backend.rollback(storageId);
      expect(await backend.hasPendingWrites(storageId)).toBe(false);
    });

    test("a reader sees commits whole, also while others write", async () => {
      const isSeenWhole = async (): Promise<boolean> => {
        const seen = new Set(await ids());
        return Array.from({ length: 10 }, (_, i) => i).every((i) => seen.has(`x${i}`) === seen.has(`y${i}`));
      };
      const writing = (async () => {
        for (let i = 0; i < 10; i++) {
          await add(`x${i}`);
          await add(`y${i}`);
          await backend.commit(storageId);
        }
      })();
      let isWriting = true;
      const done = writing.finally(() => (isWriting = false));
      while (isWriting) {
        expect(await isSeenWhole()).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await done;
      expect(await count()).toBe(25);
    });
  });
}

function unread(json: string) {
  return {
    bytes: new Uint8Array(Buffer.from(json)),
    fields: LIBRARY.fields,
    maxDocuments: 3,
    memoryMax: 1_000_000,
  };
}
