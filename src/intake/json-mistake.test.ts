import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonMistakeAt } from "./json-mistake.js";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Closes whatever a beginning of JSON leaves open, in all ways that a few characters allow. */
const ENDINGS = ["", "0", '"', '0"', "}", "]", '""', ":0}", '":0}', '"":0}', "0}", "0]", '"}', '"]'];

function mayGoOn(text: string): boolean {
  const open = openOf(text);
  return ENDINGS.some((ending) => {
    if (isJson(text + ending + open)) return true;
    return isJson(text + ending + open.slice(1));
  });
}

/** The brackets that a text leaves open, closed. */
function openOf(text: string): string {
  const bare = text.replace(/"(?:[^"\\]|\\.)*("|$)/g, "");
  let open = "";
  for (const character of bare) {
    if (character === "{") open = `}${open}`;
    else if (character === "[") open = `]${open}`;
    else if (character === "}" || character === "]") open = open.slice(1);
  }
  return open;
}

test("what stands before a mistake can be gone on with, what stands up to its end can't", () => {
  const tokens = fc.constantFrom(
    ..."{}[],:",
    '"a"',
    '"\\n"',
    "1",
    "-2.5e3",
    "true",
    "null",
    " ",
    "x",
    "01",
    '"',
  );
  /** JSON with a token in it that is too many. */
  const nearly = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), tokens).map(([value, place, token]) => {
    const parts = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"|[^"[\]{},:]+|./gs)!;
    return [...parts.slice(0, place % (parts.length + 1)), token, ...parts.slice(place % (parts.length + 1))];
  });
  fc.assert(
    fc.property(fc.oneof(fc.array(tokens, { maxLength: 10 }), nearly), (parts) => {
      const text = parts.join("");
      fc.pre(!isJson(text));
      const at = jsonMistakeAt(text);
      expect(mayGoOn(text.slice(0, at))).toBe(true);
      // One character may be the beginning of a word that is missing its end, such as a string's.
      if (at < text.length && /[[\]{},:]/.test(text.charAt(at)))
        expect(mayGoOn(text.slice(0, at + 1))).toBe(false);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['{"query": }', 10],
  ['[{"title":"x"},]', 15],
  ["{a:1}", 1],
  ["{'a':1}", 1],
  ['{"a":tru}', 5],
  ['{"a":1,}', 7],
  ['{"a":01}', 6],
  ['{"a":"b\nc"}', 5],
  ['{"a":"\\x"}', 5],
  ['{"a" 1}', 5],
  ['{"a":1 "b":2}', 7],
  ['{"a":1,2}', 7],
  ['{"a":1,"b"}', 10],
  ['[1,"a":2]', 6],
  ["1 2", 2],
  ['{"a":', 5],
  ["", 0],
  ["  ]", 2],
])("%s", (text, at) => {
  expect(jsonMistakeAt(text)).toBe(at);
});
