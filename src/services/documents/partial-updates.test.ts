/** Partial updates among all other writes, in any order, against documents that are kept as plain objects. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { FindlingError } from "../../errors/index.js";
import { Authority } from "../authority/authority.js";

const FIELDS = {
  sku: { type: "text" },
  name: { type: "text", required: true },
  price: { type: "f64", coerce: true },
  tags: { type: "text", multi: true },
  note: { type: "text", stored: false },
  "attrs.color": { type: "text" },
  "attrs.sizes": { type: "u64", multi: true },
};

interface Item {
  readonly sku: string;
  readonly name?: string | null;
  readonly price?: number | string | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly note?: string | null;
  readonly attrs?: { readonly color?: string | null; readonly sizes?: readonly number[] | null } | null;
  readonly _version?: string;
}

/** A document as it is, absent members left out. */
interface Kept {
  name: string;
  price?: number;
  tags?: readonly string[];
  note?: string;
  color?: string;
  sizes?: readonly number[];
}

const sku = fc.constantFrom("a", "b", "c", "d");
const orNull = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { freq: 3 });
const item: fc.Arbitrary<Item> = fc.record(
  {
    sku,
    name: orNull(fc.constantFrom("one", "two")),
    price: orNull(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom("2.5", " 7 ", "NULL"))),
    tags: orNull(fc.array(orNull(fc.constantFrom("x", "y")), { maxLength: 3 })),
    note: orNull(fc.constantFrom("red", "blue")),
    attrs: orNull(
      fc.record(
        {
          color: orNull(fc.constantFrom("green", "grey")),
          sizes: orNull(fc.array(fc.nat(3), { maxLength: 2 })),
        },
        { requiredKeys: [] },
      ),
    ),
    _version: fc.constant("0".repeat(100_000)),
  },
  { requiredKeys: ["sku"] },
);
const plain = item.map(({ _version: _, ...rest }) => rest);

type Step =
  | { readonly kind: "add" | "patch" | "upsert"; readonly items: readonly Item[] }
  | { readonly kind: "delete"; readonly sku: string }
  | { readonly kind: "commit" | "rollback" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("add" as const), items: some(plain) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("patch" as const, "upsert"), items: some(plain) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("patch" as const), items: some(item) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), sku }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "rollback") }) },
);

function some(each: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return fc.array(each, { minLength: 1, maxLength: 4 });
}

class Model {
  committed = new Map<string, Kept>();
  pending = new Map<string, Kept>();

  /** What a step comes to: the code of its refusal, or "done". */
  take(step: Step): string {
    switch (step.kind) {
      case "commit":
        this.committed = new Map(this.pending);
        return "done";
      case "rollback":
        this.pending = new Map(this.committed);
        return "done";
      case "delete":
        return this.pending.delete(step.sku) ? "done" : "document_not_found";
      case "add": {
        if (step.items.some(({ name }) => (name ?? null) === null)) return "invalid_document";
        for (const each of step.items) this.pending.set(each.sku, changed(undefined, each));
        return "done";
      }
      case "patch":
      case "upsert":
        return this.#change(step.items, step.kind === "upsert");
    }
  }

  #change(items: readonly Item[], upsert: boolean): string {
    if (items.some(({ name }) => name === null)) return "invalid_document";
    const isNew = ({ sku: key }: Item): boolean => !this.pending.has(key);
    if (!upsert && items.some(isNew)) return "document_not_found";
    if (items.some(({ _version }) => _version !== undefined)) return "version_conflict";
    const after = new Map(this.pending);
    for (const each of items) {
      if (!after.has(each.sku) && each.name === undefined) return "invalid_document";
      after.set(each.sku, changed(after.get(each.sku), each));
    }
    this.pending = after;
    return "done";
  }
}

function changed(before: Kept | undefined, { name, price, tags, note, attrs }: Item): Kept {
  const after: Partial<Kept> = { ...before };
  const set = <Name extends keyof Kept>(member: Name, value: Kept[Name] | null | undefined): void => {
    if (value === undefined) return;
    if (value === null || (Array.isArray(value) && value.length === 0)) delete after[member];
    else after[member] = value;
  };
  set("name", name);
  set("price", typeof price !== "string" ? price : price === "NULL" ? null : Number(price));
  set("tags", tags?.filter((tag) => tag !== null) ?? (tags as null | undefined));
  set("note", note);
  set("color", attrs === null ? null : attrs?.color);
  set("sizes", attrs === null ? null : attrs?.sizes);
  return after as Kept;
}

function documentIn(json: Uint8Array): Item {
  return JSON.parse(Buffer.from(json).toString()) as Item;
}

function shown(key: string, { color, sizes, note: _, ...rest }: Kept): object {
  const attrs = { ...(color !== undefined && { color }), ...(sizes !== undefined && { sizes }) };
  return { sku: key, ...rest, ...(Object.keys(attrs).length > 0 && { attrs }) };
}

test("whatever is added, changed, deleted, committed and rolled back, documents are what plain objects are", async () => {
  const harness = await ServiceHarness.open();
  const { documents, indexes, search } = harness.services;
  let count = 0;
  const carriedOut = async (index: string, each: Step): Promise<string> => {
    try {
      if (each.kind === "add") await documents.add(index, each.items);
      else if (each.kind === "patch" || each.kind === "upsert")
        await documents.update(index, each.items, each.kind === "upsert");
      else if (each.kind === "delete") {
        const { num_removed } = await documents.deleteByKey(index, each.sku);
        expect(num_removed).toBe(1);
      } else if (each.kind === "commit") await documents.commit(index);
      else await documents.rollback(index);
      return "done";
    } catch (failure) {
      if (failure instanceof FindlingError) return failure.code;
      throw failure;
    }
  };
  const hitsOf = async (index: string, ctx: string): Promise<Map<string, object>> => {
    const { hits } = await search.search(index, { query: { exact: { ctx } }, limit: 50 });
    const found = new Map(hits.map(({ docJson }) => documentIn(docJson)).map((doc) => [doc.sku, doc]));
    expect(found.size).toBe(hits.length);
    return found;
  };
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const index = `updates-${++count}`;
        const body = { index: { name: index, fields: FIELDS, primary_key: "sku" } };
        await indexes.create(body, Authority.unrestricted());
        const model = new Model();
        for (const each of [...steps, { kind: "commit" } as const]) {
          expect([each, await carriedOut(index, each)]).toEqual([each, model.take(each)]);
          if (each.kind !== "commit" && each.kind !== "rollback") continue;
          const { committed } = model;
          expect(await hitsOf(index, "*")).toEqual(
            new Map([...committed].map(([key, kept]) => [key, shown(key, kept)])),
          );
          for (const word of ["red", "blue"]) {
            const having = [...committed].filter(([, { note }]) => note === word).map(([key]) => key);
            expect([...(await hitsOf(index, `note:${word}`)).keys()].sort()).toEqual(having.sort());
          }
        }
        await indexes.delete(index);
      }),
      { numRuns: 40 },
    );
  } finally {
    await harness.close();
  }
});
