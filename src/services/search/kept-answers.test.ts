import { afterEach, beforeEach, expect, test } from "vitest";
import { sentBody } from "../../../tests/kit/sent-body.js";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import type { SearchResult } from "../../contract/search.js";
import { Authority } from "../keys/authority.js";

const ADMIN = Authority.unrestricted();
const FIELDS = { id: { type: "text" }, title: { type: "text" }, at: { type: "datetime" } };
const WORLD = { query: { exact: { ctx: "world" } } };
const ORIGIN = { authority: ADMIN, client: {} };

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  for (const name of ["books", "films"]) {
    await harness.services.indexes.create({ index: { name, fields: FIELDS } }, ADMIN);
    await add(name, "1");
  }
  const members = [{ name: "books" }, { name: "films" }];
  await harness.services.federations.create({ name: "shop", index_configurations: members }, ADMIN);
});
afterEach(() => harness.close());

async function add(index: string, id: string): Promise<void> {
  await harness.services.documents.add(index, [{ id, title: "world" }]);
  await harness.services.documents.commit(index);
}

const ofIndex = async (body: object = WORLD): Promise<SearchResult> =>
  harness.services.search.search("books", sentBody(body), ORIGIN);
const ofFederation = (): Promise<SearchResult> =>
  harness.services.federatedSearch.search("shop", sentBody(WORLD), ADMIN, {});

for (const [what, search] of [
  ["an index", () => ofIndex()],
  ["a federation", ofFederation],
] as const) {
  test(`the same search of ${what} is answered without searching, until a commit or other settings`, async () => {
    const first = await search();
    const asked = (): number => harness.backend.calls.filter((call) => /^search/.test(call)).length;
    await search();
    const before = asked();
    const third = await search();
    expect(third).toEqual({ ...first, time_taken: expect.any(Number) as unknown, keptPage: {} });
    expect(third.time_taken).not.toBe(first.time_taken);
    expect(asked()).toBe(before);

    await add("books", "2");
    expect((await search()).count).toBe(first.count + 1);
    await search();
    await harness.services.documents.add("books", [{ id: "3", title: "world" }]);
    expect((await search()).count).toBe(first.count + 1);
    await harness.services.indexes.patch("books", { time_decay_field: "at" }, ADMIN);
    expect((await search()).keptPage).toBeUndefined();
    expect((await search()).keptPage).toBeUndefined();
  });
}

test("a federation's answers go by its own settings too", async () => {
  for (let i = 0; i < 3; i++) expect((await ofFederation()).count).toBe(2);
  const left = [{ name: "films" }];
  await harness.services.federations.replace("shop", { name: "shop", index_configurations: left }, ADMIN);
  expect((await ofFederation()).count).toBe(1);
  await harness.services.indexes.delete("films");
  expect((await ofFederation()).count).toBe(0);
});

test("every search is measured, answered from memory or not", async () => {
  for (let i = 0; i < 4; i++) await ofIndex();
  await harness.services.recorder.flush();
  const events = harness.eventStore.events.map(({ searchTerm, numberOfDocuments }) => [
    searchTerm,
    numberOfDocuments,
  ]);
  expect(events).toEqual(Array.from({ length: 4 }, () => ["world", 1]));
});

test("cursors are never kept: each is a place of its own", async () => {
  await add("books", "2");
  const body = { ...WORLD, limit: 1, cursor: true };
  const tokens = [];
  for (let i = 0; i < 3; i++) tokens.push((await ofIndex(body)).cursor);
  expect(tokens).not.toContain(undefined);
  expect(new Set(tokens).size).toBe(3);
});

test("an answer that was searched for before a commit isn't given after it", async () => {
  await ofIndex();
  let open = (): void => {};
  const searching = ofIndex();
  harness.backend.gate = new Promise((resolve) => {
    open = resolve;
  });
  const adding = add("books", "2");
  open();
  await Promise.all([searching, adding]);
  expect((await ofIndex()).count).toBe(2);
});
