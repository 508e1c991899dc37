// Contract 3.10: what an event may hold, what is refused and where the problem is said to be.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { claimedScopes, parseMeasureBatchBody, parseMeasureEventBody } from "./measure-body.js";
import { type MeasureEvent, PROPERTY_KINDS, USER_KINDS } from "./measure-event.js";

const MINIMAL = { event_name: "x", properties: { searchcraft_index_names: [] }, user: { user_id: "u" } };

const FULL = {
  event_name: "search_completed",
  properties: {
    searchcraft_index_names: ["a", "b"],
    searchcraft_organization_id: "1",
    searchcraft_application_id: "2",
    searchcraft_federation_name: "shop",
    search_term: "Schuhe",
    search_kind: "fuzzy",
    ai_provider: "ollama",
    external_document_id: "d",
    session_id: "s",
    number_of_documents: 0,
    document_position: 1.5,
  },
  user: {
    user_id: "u",
    user_type: "authenticated",
    country: "PT",
    city: "Porto",
    device_id: "d",
    client_ip: "192.0.2.7",
    locale: "pt",
    os: "Mac",
    platform: "web",
    region: "Norte",
    sdk_name: "js",
    sdk_version: "1",
    user_agent: "x",
    latitude: 41.1,
    longitude: -8.6,
  },
  received_at: "2024-05-01T12:00:00Z",
};

function errorOf(work: () => unknown): FindlingError {
  try {
    work();
  } catch (error) {
    if (error instanceof FindlingError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function places(body: unknown): readonly (string | undefined)[] {
  const error = errorOf(() => parseMeasureEventBody(body));
  expect(error.code).toBe("invalid_request");
  return error.items?.map(({ path }) => path) ?? [];
}

function withMember(part: "properties" | "user", name: string, value: unknown): unknown {
  return { ...MINIMAL, [part]: { ...MINIMAL[part], [name]: value } };
}

describe("an event", () => {
  test("needs a name, index names and a user's id, and nothing more", () => {
    expect(parseMeasureEventBody(MINIMAL)).toEqual(MINIMAL);
  });

  test("keeps every member that it may have", () => {
    expect(parseMeasureEventBody(FULL)).toEqual({ ...FULL, received_at: Date.UTC(2024, 4, 1, 12) });
  });

  test("loses members that are null or unknown", () => {
    const properties = { ...MINIMAL.properties, search_term: null, more: 1 };
    const user = { ...MINIMAL.user, user_type: null, os: null, secret: {} };
    expect(parseMeasureEventBody({ ...MINIMAL, properties, user, received_at: null, x: [] })).toEqual(
      MINIMAL,
    );
  });

  test("names an index once, and by a name", () => {
    const names = ["b", "", "a", "b"];
    const { properties } = parseMeasureEventBody(withMember("properties", "searchcraft_index_names", names));
    expect(properties.searchcraft_index_names).toEqual(["b", "a"]);
    expect(claimedScopes(withMember("properties", "searchcraft_index_names", [""]), "event")).toMatchObject([
      { indexNames: [] },
    ]);
  });

  test("names each place that is wrong", () => {
    expect(places({})).toEqual(["event_name", "properties", "user"]);
    expect(places([])).toEqual(["event_name", "properties", "user"]);
    expect(places({ ...MINIMAL, properties: [], user: [] })).toEqual([
      "properties.searchcraft_index_names",
      "user.user_id",
    ]);
    expect(places("x")).toEqual([""]);
    expect(places(undefined)).toEqual([""]);
    expect(places({ ...MINIMAL, event_name: "", user: { user_id: "" } })).toEqual([
      "event_name",
      "user.user_id",
    ]);
    expect(places(withMember("properties", "searchcraft_index_names", ["a", 1]))).toEqual([
      "properties.searchcraft_index_names[1]",
    ]);
    expect(places(withMember("properties", "searchcraft_index_names", "a"))).toEqual([
      "properties.searchcraft_index_names",
    ]);
    expect(places(withMember("properties", "searchcraft_index_names", ["a", "b\u001fc"]))).toEqual([
      "properties.searchcraft_index_names[1]",
    ]);
    expect(places(withMember("user", "user_type", "robot"))).toEqual(["user.user_type"]);
    expect(places({ ...MINIMAL, received_at: "yesterday" })).toEqual(["received_at"]);
    expect(places({ ...MINIMAL, received_at: -1 })).toEqual(["received_at"]);
  });

  test("has texts of bounded length, in code points, and numbers that JavaScript can count", () => {
    const emoji = "🦊";
    expect(parseMeasureEventBody({ ...MINIMAL, event_name: emoji.repeat(128) }).event_name.length).toBe(256);
    expect(places({ ...MINIMAL, event_name: emoji.repeat(129) })).toEqual(["event_name"]);
    const long = withMember("properties", "search_term", "x".repeat(1001));
    expect(places(long)).toEqual(["properties.search_term"]);
    expect(places(withMember("properties", "search_term", "a\0b"))).toEqual(["properties.search_term"]);
    for (const number of [Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53)]) {
      const body = withMember("properties", "number_of_documents", number);
      expect(places(body)).toEqual(["properties.number_of_documents"]);
    }
    const names = Array.from({ length: 101 }, (_, i) => String(i));
    expect(places(withMember("properties", "searchcraft_index_names", names))).toEqual([
      "properties.searchcraft_index_names",
    ]);
  });

  test("is refused for a member of another type, whichever it is", () => {
    const members = [
      ...Object.entries(PROPERTY_KINDS).map(([name, kind]) => ["properties", name, kind] as const),
      ...Object.entries(USER_KINDS).map(([name, kind]) => ["user", name, kind] as const),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue(), ([part, name, kind], value) => {
        fc.pre(typeof value !== "number" || Math.abs(value) < 2 ** 53);
        fc.pre(typeof value !== "string" || !value.includes("\0"));
        const fits = value === null || typeof value === (kind === "text" ? "string" : "number");
        const body = withMember(part, name, value);
        if (fits) expect(() => parseMeasureEventBody(body)).not.toThrow();
        else expect(places(body)).toEqual([`${part}.${name}`]);
      }),
    );
  });
});

describe("a batch", () => {
  const parse = (body: unknown): readonly MeasureEvent[] => parseMeasureBatchBody(body);

  test("is a list of events, or an object with one", () => {
    expect(parse([MINIMAL, MINIMAL])).toEqual([MINIMAL, MINIMAL]);
    expect(parse({ items: [MINIMAL] })).toEqual([MINIMAL]);
    expect(parse(Array.from({ length: 1000 }, () => MINIMAL))).toHaveLength(1000);
  });

  test.each([
    [[], ""],
    [{ items: [] }, "items"],
    [{ items: {} }, "items"],
    [{}, ""],
    [undefined, ""],
    ["x", ""],
    [Array.from({ length: 1001 }, () => MINIMAL), ""],
    [[MINIMAL, { ...MINIMAL, user: {} }], "[1].user.user_id"],
    [{ items: [MINIMAL, 7] }, "items[1]"],
  ])("is refused whole, naming the place: %#", (body, path) => {
    const error = errorOf(() => parse(body));
    expect(error.items?.map((item) => item.path)).toEqual([path]);
    if (path !== "") expect(error.message).toContain(`'${path}'`);
  });

  test("tells of twenty problems at most", () => {
    expect(errorOf(() => parse(Array.from({ length: 30 }, () => 1))).items).toHaveLength(20);
  });
});

test("what events claim to be about is read without checking the rest", () => {
  const bad = {
    properties: { searchcraft_index_names: ["a", 1], searchcraft_federation_name: "f" },
    received_at: "x",
  };
  expect(claimedScopes({ items: [bad, "nonsense"] }, "batch")).toEqual([
    { path: "items[0]", indexNames: ["a"], federationName: "f", isBackdated: true },
    { path: "items[1]", indexNames: [], federationName: undefined, isBackdated: false },
  ]);
  expect(claimedScopes(undefined, "event")).toEqual([
    { path: "", indexNames: [], federationName: undefined, isBackdated: false },
  ]);
  expect(claimedScopes("nonsense", "batch")).toEqual([]);
});
