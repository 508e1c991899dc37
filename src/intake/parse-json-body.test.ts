import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { BodyBudget } from "../http/body/body-budget.js";
import { parseJsonBody, parseSmallJsonBody, QUERY_BOUNDS } from "./parse-json-body.js";

const BOUNDS = { depthMax: 20, valuesMax: 1000, namesMax: 100 };

describe("parseJsonBody", () => {
  // Goal: for JSON as programs write it, the extra checks change nothing.
  test("agrees with JSON.parse on everything JSON.stringify writes", async () => {
    const bounds = { depthMax: 20, valuesMax: 100_000, namesMax: 10_000 };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue({ maxDepth: 8 }), fc.array(fc.jsonValue({ maxDepth: 3 }))),
        fc.constantFrom(undefined, 1, "\t"),
        fc.constantFrom(1, 10, 100),
        async (value, indent, pieceBytes) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(!text.includes("__proto__") && !/\\ud[89a-f]/.test(text));
          const bytes = Buffer.from(text);
          expect(await parseJsonBody(bytes, { bounds, pieceBytes })).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  // Goal: the same holds for long arrays, which are parsed in pieces: no cut makes JSON of what is none.
  test("agrees with JSON.parse on whether any text is JSON at all", async () => {
    const pieces = fc.constantFrom(
      ..."{}[],:",
      '"',
      "\\",
      '"a"',
      '"b"',
      "1",
      "true",
      " ",
      "\\u",
      "0041",
      "\\n",
    );
    const arrays = fc
      .array(fc.constantFrom(..."[]{},,,", '"a":', "1", "[]", '"]"', '{"a":1}', " "), { maxLength: 12 })
      .map((parts) => ["[", ...parts, "]"]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.array(pieces, { maxLength: 12 }), arrays), async (parts) => {
        const text = parts.join("");
        fc.pre(text !== "");
        const parsing = parseJsonBody(Buffer.from(text), { pieceBytes: 1 });
        if (isJson(text) && !hasRepeatedName(text)) expect(await parsing).toEqual(JSON.parse(text));
        else await expect(parsing).rejects.toThrow(/is not acceptable JSON/);
      }),
      { numRuns: 3000 },
    );
  });

  test("says where a mistake is, in whatever piece", async () => {
    const good = `[${'{"ä":"ü"},'.repeat(50)}`;
    expect(await problemOf(`${good}{"a":1,}]`, 100)).toContain(`from character ${good.length + 8} on`);
    expect(await problemOf(`${good}{"a":1,"a":2}]`, 100)).toContain("the member 'a' twice");
    expect(await problemOf(`${good}{"a":`, 100)).toContain("ends before it is complete");
    expect(await problemOf(`${good}1] 2`, 100)).toContain(`from character ${good.length + 4} on`);
  });

  test("tells the place of a mistake as if there were no pieces", async () => {
    const parts = fc.array(fc.constantFrom(..."[]{},,, ", "1", "[]", '{"ä":1}', "   "), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(parts, fc.constantFrom("", "]", "] "), async (middle, end) => {
        const text = `[${middle.join("")}${end}`;
        fc.pre(!isJson(text));
        expect(await problemOf(text, 1)).toBe(await problemOf(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("asks for the memory of all values before it builds them", async () => {
    const budget = new BodyBudget(100_000);
    const other = budget.lease();
    other.raiseTo(1);
    const bytes = Buffer.from(`[${"{},".repeat(5000)}{}]`);
    await expect(parseJsonBody(bytes, { memory: budget.lease() })).rejects.toMatchObject({
      code: "rate_limited",
    });
    other.release();
    expect(await parseJsonBody(bytes, { memory: budget.lease() })).toHaveLength(5001);
  });

  test.each([
    ["a repeated name", '{"a":1,"b":{"c":1,"d":[{"c":2,"c":3}]}}', "an object names the member 'c' twice"],
    ["a name repeated under an escape", '{"a":1,"\\u0061":2}', "an object names the member 'a' twice"],
    ["an empty name repeated", '{"":1,"" :2}', "an object names the member '' twice"],
    [
      "a name that could reach a prototype",
      '[{"x":{"__proto__":{"admin":true}}}]',
      "must not be named '__proto__'",
    ],
    ["the same, escaped", '{"x":{"\\u005f_proto__":1}}', "must not be named '__proto__'"],
    ["the first half of a surrogate pair", '"\\ud83d"', "half of a surrogate pair is escaped at byte 1"],
    ["the second half", '{"a":"x\\udE00"}', "half of a surrogate pair is escaped at byte 7"],
    ["two first halves", '"\\ud83d\\ud83d"', "half of a surrogate pair is escaped at byte 1"],
    ["a first half before a plain character", '"\\ud83d\\u0041"', "half of a surrogate pair"],
    ["a byte order mark", '\ufeff{"a":1}', "byte order mark"],
    ["too much depth", `${"[".repeat(21)}${"]".repeat(21)}`, "more than 20 deep"],
    ["a text that ends early", '{"a":', "ends before it is complete"],
    ["a text with a mistake", '{"a":1,}', "can't be parsed from character 8 on"],
    ["one that V8 tells no place of", '{"query": }', "can't be parsed from character 11 on"],
  ])("refuses %s", async (_case, text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  test("accepts what only looks like those", async () => {
    for (const text of [
      '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
      '{"constructor":1,"prototype":2,"toString":3}',
      '"\\ud83d\\ude00"',
      '"\\\\ud83d"',
      '{"a":"{\\"b\\":1,\\"b\\":2}"}',
      '{"a":"__proto__"}',
      '{"__proto__":{"a":1}}',
      '[{"__proto__":1},{"\\u005f_proto__":1}]',
      '["a:b",":","\\":"]',
      "[".repeat(20) + "]".repeat(20),
    ]) {
      expect(await parseJsonBody(Buffer.from(text), { bounds: BOUNDS })).toEqual(JSON.parse(text));
    }
  });

  test("refuses bytes that are not UTF-8", async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf0, 0x9f],
    ]) {
      await expect(parseJsonBody(Buffer.from(bytes))).rejects.toThrow(/not UTF-8/);
    }
    await expect(parseJsonBody(Buffer.from('{"a":1}', "utf16le"))).rejects.toThrow(FindlingError);
  });

  test("never quotes the body, which may hold secrets, for a mistake in it", async () => {
    expect(await problemOf('{"llm_api_key":"sk-very-secret"oops}')).not.toContain("sk-very-secret");
  });

  test("refuses more values than its bound before it builds them", async () => {
    const exactly = JSON.stringify(Array.from({ length: 998 }, () => 1));
    expect(await parseJsonBody(Buffer.from(exactly), { bounds: BOUNDS })).toHaveLength(998);
    for (const text of [
      `[${"1,".repeat(5000)}1]`,
      `[${"[],".repeat(5000)}1]`,
      `{${'"a":1,'.repeat(5000)}"b":1}`,
    ]) {
      expect(await codeOf(text)).toBe("payload_too_large");
    }
  });

  test("refuses more different names than its bound, however often names are repeated", async () => {
    const objects = (distinct: number): string =>
      JSON.stringify(Array.from({ length: 400 }, (_, index) => ({ [`name-${index % distinct}`]: 1 })));
    expect(await parseJsonBody(Buffer.from(objects(100)), { bounds: BOUNDS })).toHaveLength(400);
    expect(await codeOf(objects(101))).toBe("payload_too_large");
  });

  test("refuses a hundred thousand brackets and their like without overflowing", async () => {
    for (const text of [
      "[".repeat(100_000),
      '{"a":'.repeat(100_000),
      `${"[".repeat(1e5)}${"]".repeat(1e5)}`,
    ]) {
      expect(await codeOf(text)).toBe("invalid_json");
    }
  });

  test("finds a repeated name behind long strings full of escapes", async () => {
    const long = "\\\\\\n".repeat(300_000);
    expect(await problemOf(`{"a":"${long}","b":1,"b":"${long}"}`)).toContain("the member 'b' twice");
  });
});

async function problemOf(text: string, pieceBytes?: number): Promise<string> {
  return (await errorOf(text, pieceBytes)).message;
}

async function codeOf(text: string): Promise<string> {
  return (await errorOf(text)).code;
}

async function errorOf(text: string, pieceBytes?: number): Promise<FindlingError> {
  try {
    await parseJsonBody(Buffer.from(text), {
      bounds: BOUNDS,
      ...(pieceBytes !== undefined && { pieceBytes }),
    });
  } catch (error) {
    if (error instanceof FindlingError) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

/** Whether valid JSON names a member of an object twice: parsing keeps fewer members than are written. */
function hasRepeatedName(text: string): boolean {
  const written = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
  let kept = 0;
  JSON.parse(text, function (this: object, name, value: unknown) {
    if (name !== "" && !Array.isArray(this)) kept++;
    return value;
  });
  return kept < written;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("a query is read as far as it can be: halves of surrogate pairs, members that mean nothing", async () => {
  for (const [text, value] of [
    ['{"a":"x\\ud83d"}', { a: "x\ufffd" }],
    ['["\\udc00\\uD83D\\ud83d\\ude00\\ud83d"]', ["\ufffd\ufffd😀\ufffd"]],
    ['{"\\ud83d":1}', { "\ufffd": 1 }],
    ['{"a":{"__proto__":{"b":1}}}', JSON.parse('{"a":{"__proto__":{"b":1}}}')],
  ] as const) {
    expect(await parseJsonBody(Buffer.from(text), { bounds: QUERY_BOUNDS })).toEqual(value);
    expect(parseSmallJsonBody(text, { raiseTo: () => undefined })).toEqual(value);
  }
});

test("a small query is parsed and refused like every other", async () => {
  const broken = fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat({ max: 60 }),
      fc.constantFrom("", '"', ":", "{", "]", "\\", "é", ","),
    )
    .map(([text, at, piece]) => text.slice(0, at) + piece + text.slice(at + 1));
  const tricky = fc.constantFrom(
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":2}}',
    '{"__proto__":1}',
    '{"a:b":"{[,","c":[":"]}',
    '"\\ud800"',
    '{"a":"id:\\"b\\"","c":"{\\\\"}',
    '{"/":1,"\\/":2}',
    '{"a\\"":1,"b\\\\":[{}]}',
    '{\\"a":1}',
    '"\\é"',
    `${"[".repeat(600)}${"]".repeat(600)}`,
    `${"[".repeat(500)}${"]".repeat(500)}`,
    "\ufeff{}",
  );
  const outcome = async (parse: () => unknown): Promise<unknown> => {
    try {
      return { value: await parse() };
    } catch (error) {
      return { code: (error as FindlingError).code, message: (error as FindlingError).message };
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json({ maxDepth: 4 }), broken, tricky), async (text) => {
      const bytes = Buffer.from(text);
      const lent: number[] = [];
      const memory = { raiseTo: (size: number) => void lent.push(size) };
      const small = await outcome(() => parseSmallJsonBody(bytes.toString("latin1"), memory));
      expect(small).toEqual(
        await outcome(async () => parseJsonBody(bytes, { memory, bounds: QUERY_BOUNDS })),
      );
      if (lent.length === 2) expect(lent[0]).toBe(lent[1]);
    }),
    { numRuns: 500 },
  );
});
