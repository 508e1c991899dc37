// Property: what is known of a filter is kept from search to search, but for one of so many values that even its key
// would take long to make.
import { expect, test, vi } from "vitest";
import type { EngineSchema } from "../../schema/engine-schema.js";
import { Searcher } from "../searcher.js";
import { QueryBinding } from "./query-binding.js";

const SCHEMA: EngineSchema = { fields: [], analyzer: { version: 1 } };

test.each([
  ["few values", 3, true],
  ["many values", 20_000, false],
])("%s", (_case, count, isKept) => {
  const binding = new QueryBinding(SCHEMA, new Searcher([], SCHEMA));
  const filter = () =>
    binding.filterOfList({
      kind: "value_set",
      field: "size",
      values: Array.from({ length: count }, (_, i) => i),
    });
  const stringify = vi.spyOn(JSON, "stringify");
  const [first, second] = [filter(), filter()];
  const calls = stringify.mock.calls.length;
  stringify.mockRestore();
  expect({ isSame: first === second, calls }).toEqual({ isSame: isKept, calls: isKept ? 2 : 0 });
});
