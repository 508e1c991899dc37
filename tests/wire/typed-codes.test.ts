// Versions, part numbers, dates, addresses and signs as people type them, in every mode, and suggestions for them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

const TITLES = [
  "version 1.2.3 released",
  "v1.2.3",
  "3.2.1",
  "1 and 2 then 3",
  "1.2.4",
  "host 192.168.0.1 down",
  "0 1 168 192 addresses",
  "192.168.0.10",
  "on 2024-01-15 we met",
  "15 people in 2024, 01 more",
  "2024/01/15",
  "AB-1234/5",
  "AB-1234/6",
  "5 of AB and 1234",
  "issue #42 closed",
  "@name said",
  "50% off",
  "john.doe@example.com",
  "john example",
  "https://example.com/docs/install?x=1#top",
  "install docs for example",
] as const;
type Title = (typeof TITLES)[number];

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const [name, settings] of [
    ["plain", {}],
    ["stemmed", { language: "en", enable_language_stemming: true }],
  ] as const) {
    await server.createIndex(name, {
      ...settings,
      fields: { id: { type: "text" }, title: { type: "text" } },
    });
    await server.addCommitted(
      name,
      TITLES.map((title, i) => ({ id: String(i), title })),
    );
  }
});
afterAll(() => server.stopAndRemove());

type Mode = "exact" | "dynamic" | "fuzzy";

async function titles(index: string, mode: Mode, ctx: string, isTyped = false): Promise<Title[]> {
  const query = { [mode]: { ctx, ...(isTyped && { as_you_type: true }) } };
  const answer = await server.post(`/index/${index}/search`, { query, limit: 50 }, READ);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits.map(({ doc }: { doc: { title: Title } }) => doc.title);
}

/** Found in the exact and the dynamic mode and no more than these; the first ones in the fuzzy mode, in that order. */
const CASES: readonly (readonly [typed: string, exact: readonly Title[], fuzzy: readonly Title[]])[] = [
  ["1.2.3", ["version 1.2.3 released"], ["version 1.2.3 released"]],
  ["v1.2.3", ["v1.2.3"], ["v1.2.3", "version 1.2.3 released"]],
  ["192.168.0.1", ["host 192.168.0.1 down"], ["host 192.168.0.1 down"]],
  ["AB-1234/5", ["AB-1234/5"], ["AB-1234/5", "5 of AB and 1234"]],
  ["#42", ["issue #42 closed"], ["issue #42 closed"]],
  ["@name", ["@name said"], ["@name said"]],
  ["50%", ["50% off"], ["50% off"]],
  ["john.doe@example.com", ["john.doe@example.com"], ["john.doe@example.com"]],
  ["john.doe", ["john.doe@example.com"], ["john.doe@example.com"]],
  [
    "example.com/docs",
    ["https://example.com/docs/install?x=1#top"],
    ["https://example.com/docs/install?x=1#top"],
  ],
];

describe.each(["plain", "stemmed"])("%s", (index) => {
  test.each(CASES)("%s", async (typed, exact, fuzzy) => {
    expect(await titles(index, "exact", typed)).toEqual(exact);
    expect(await titles(index, "dynamic", typed)).toEqual(exact);
    expect((await titles(index, "fuzzy", typed)).slice(0, fuzzy.length)).toEqual(fuzzy);
    for (const mode of ["exact", "dynamic", "fuzzy"] as const)
      expect(await titles(index, mode, typed, true)).toEqual(expect.arrayContaining([...exact]));
  });

  test("a version is found with and without its v, before documents that lack a part", async () => {
    const found = await titles(index, "fuzzy", "1.2.3");
    expect(found).toContain("v1.2.3");
    expect(found.indexOf("v1.2.3")).toBeLessThan(found.indexOf("1.2.4"));
    const all = await server.post(
      `/index/${index}/search`,
      { query: { fuzzy: { ctx: "1.2.3", match: "all" } }, limit: 50 },
      READ,
    );
    expect(all.json.data.hits.map(({ doc }: { doc: { title: string } }) => doc.title)).toContain("v1.2.3");
  });

  test("a date is the same with other signs, and comes before its parts elsewhere", async () => {
    const dates = ["2024/01/15", "on 2024-01-15 we met"];
    expect((await titles(index, "exact", "2024-01-15")).toSorted()).toEqual(dates);
    const fuzzy = await titles(index, "fuzzy", "2024-01-15");
    expect(fuzzy.slice(0, 2).toSorted()).toEqual(dates);
    expect(fuzzy[2]).toBe("15 people in 2024, 01 more");
  });

  test("a part number is found as it is typed, and as one word", async () => {
    const numbers = ["AB-1234/5", "AB-1234/6"];
    for (const typed of ["AB-12", "ab-1234", "AB-1234/"])
      expect((await titles(index, "fuzzy", typed, true)).slice(0, 2).toSorted(), typed).toEqual(numbers);
    expect((await titles(index, "fuzzy", "ab1234")).slice(0, 2).toSorted()).toEqual(numbers);
  });

  test("a URL in quotes is found in the exact mode", async () => {
    const found = await titles(index, "exact", '"https://example.com/docs/install"');
    expect(found).toEqual(["https://example.com/docs/install?x=1#top"]);
  });

  test("an address is completed with what goes on with it", async () => {
    const answer = await server.send("GET", `/index/${index}/suggest?q=192.168.0.1`, { key: READ });
    expect(answer.json.data.completions).toEqual(["192.168.0.10"]);
    const titled = await server.send("GET", `/index/${index}/suggest?q=AB-1234%2F5`, { key: READ });
    expect(titled.json.data.titles[0].text).toBe("AB-1234/5");
  });
});
