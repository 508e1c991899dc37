// Contract 5.5, rules 1 to 8, 11 and 12: the query language of exact clauses.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop, foundInShop, shopRules } from "./shop-index.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await createShop(server);
});
afterAll(() => server.stopAndRemove());

const { rule, refused } = shopRules(() => server);
const found = (ctx: string): Promise<string> => foundInShop(server, ctx);

const ALL = "abcdef";

rule("1 precedence: exclusion, then AND, then OR and juxtaposition", [
  ["-title:red AND price:[10 TO 30]", "b"],
  ["NOT title:red AND price:>=10", "bde"],
  ["title:hat OR title:red AND title:shoes", "ac"],
  ["title:red AND title:shoes OR title:hat", "ac"],
  ["(title:hat OR title:red) AND title:shoes", "a"],
  ["title:hat title:red AND title:shoes", "ac"],
  ["title:hat AND body:winter title:lord", "ce"],
]);

rule("keywords are upper case only; IN and TO only where the grammar has them", [
  ["red AND hat", "c"],
  ["red and hat", "ac"],
  ["red or hat", "ac"],
  ["not red", "ac"],
  ["IN hat", "c"],
  ["TO hat", "c"],
  ["title:IN hat", "c"],
  ["price:IN [10]", "a"],
  ['"AND"', ""],
  ["title:IN [AND red]", "ac"],
]);

rule("2 a run of words is one value, any of them, and binds tighter than AND", [
  ["red shoes", "abc"],
  ["title:red shoes AND active:true", "a"],
  ["active:true AND title:red shoes", "a"],
  ["title:router hat red AND price:>=30", "cd"],
  ["title:red body:winter", "acd"],
  // Any white space separates.
  ["red\tshoes", "abc"],
  ["red\r\nAND\u3000shoes", "a"],
  ["title:\nred\u00a0hat", "ac"],
  // A fielded run searches that field only.
  ["title:hat winter", "c"],
  // On other fields only the next word belongs to the field.
  ["price:10 hat", "ac"],
  ["id:a-1 hat", "ac"],
  ["active:false hat", "bc"],
  ["kind:/sale hat", "bc"],
  ["at:2024-01-01 hat", "ac"],
]);

rule("3 a word of several tokens is their phrase; a hyphen inside is literal", [
  ["wi-fi", "d"],
  ["title:wi-fi", "d"],
  ["wi fi", "df"],
  ["fi-wi", ""],
  ["id:a-1", "a"],
  ["id:a", ""],
]);

rule("4 exclusion", [
  ["shoes -red", "b"],
  ["shoes NOT red", "b"],
  ["-red shoes", "b"],
  ["-title:red shoes", "b"],
  // One word only.
  ["engine -desert winter", "c"],
  ["engine -(desert winter)", ""],
  ['red -"red hat"', "a"],
  // Only exclusions start from all.
  ["-red", "bdef"],
  ["NOT red", "bdef"],
  ["NOT NOT red", "ac"],
  ["-red -blue", "def"],
  ["-(red blue)", "def"],
  ["-*", ""],
  // Required parts.
  ["+red shoes", "ac"],
  ["+red +shoes", "a"],
  ["+shoes -red", "b"],
  // Operands of AND and OR are complements.
  ["red AND -shoes", "c"],
  ["red AND NOT shoes", "c"],
  ["-red AND -blue", "def"],
  ["red OR -shoes", "acdef"],
  ["-shoes OR red", "acdef"],
  ["red -shoes OR blue", "c"],
  ["red OR blue -shoes", "c"],
  // A lone sign is ignored.
  ["- red", "ac"],
  ["red - shoes", "abc"],
  ["red + shoes", "abc"],
  ["red -", "ac"],
  ["-", ""],
  ["+", ""],
]);

rule("5 phrases", [
  ['"red shoes"', "a"],
  ["'red shoes'", "a"],
  ['"shoes red"', ""],
  ['title:"red shoes"', "a"],
  ['"RED Shoes"', "a"],
  ['"lord rings"~2', "e"],
  ['"lord rings"~1', ""],
  ['"lord rings"', ""],
  ['"red sho"*', "a"],
  ['"red sho"', ""],
  ['"deep space"', "a"],
  // Values are apart from each other.
  ['"evolution deep"', ""],
  ['"evolution deep"~99', ""],
  // An empty phrase is dropped.
  ['""', ""],
  ["''", ""],
  ['"" red', "ac"],
  ['"..." red', "ac"],
  ['red AND ""', "ac"],
  // Text next to a quote is a clause of its own.
  ['title:"red shoes"hat', "ac"],
  ['hat"blue shoes"', "bc"],
  ['"red hat""blue shoes"', "bc"],
  ['"he said "x""', ""],
  ['"red "shoes""', "abc"],
]);

rule("6 prefixes, and * for everything", [
  ["*", ALL],
  ["sho*", "ab"],
  ["SHO*", "ab"],
  ["title:sho*", "ab"],
  ["s*", "ab"],
  ["id:a*", "a"],
  ["id:a-*", "a"],
  ["id:A*", ""],
  ["* AND red", "ac"],
]);
refused(
  "6 refuses a star inside of a word",
  ["sh*s", "*red", "**", "title:*red", "title:sh*s"],
  "query_syntax",
);
refused(
  "6 refuses a prefix on other types",
  ["kind:/clo*", "price:1*", "active:t*", "at:2024*", "rating:4*", 'price:"1"*'],
  "invalid_field_value",
);

rule("7 fields that have a value, and fields before a group", [
  ["body:*", "acdf"],
  ["kind:*", "abcd"],
  ["active:*", "abd"],
  ["price:*", "abcde"],
  ["at:*", "abc"],
  ["id:*", ALL],
  ["-price:*", "f"],
  ["title:(red shoes)", "abc"],
  ["title:(red AND shoes)", "a"],
  ["title:(red -shoes)", "c"],
  ["title:(winter)", ""],
  ["title:(router body:winter)", "cd"],
  ["title:((red) AND (hat))", "c"],
  ["price:(10 20)", "ab"],
  ["price:(10 OR 30)", "ac"],
  ["at:(2024-01-01T00:00:00Z)", "a"],
  ["title:(*)", ALL],
]);

describe("8 boost", () => {
  const scoreOf = async (ctx: string): Promise<number> => {
    const answer = await server.post("/index/shop/search", { query: { exact: { ctx } }, limit: 1 });
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data.hits[0].score;
  };

  test("^n multiplies the score of its part", async () => {
    const plain = await scoreOf("title:hat");
    for (const [ctx, factor] of [
      ["title:hat^3", 3],
      ["title:hat^0.5", 0.5],
      ["title:hat^.5", 0.5],
      ['title:"hat"^2', 2],
      ["(title:hat)^2", 2],
      ["(title:hat^2)^3", 6],
      ["title:(hat)^4", 4],
      ["title:hat^0", 0],
    ] as const) {
      expect(await scoreOf(ctx), ctx).toBeCloseTo(plain * factor, 5);
    }
    expect(await scoreOf("price:30^7")).toBeCloseTo(7, 5);
    expect(await scoreOf("*^4")).toBeCloseTo(4, 5);
  });

  test("changes the order", async () => {
    expect((await server.idsOf("shop", "title:lord^9 title:hat"))[0]).toBe("e-5");
    expect((await server.idsOf("shop", "title:lord title:hat^9"))[0]).toBe("c-3");
  });

  test("keeps scores finite, whatever the number", async () => {
    for (const boost of ["1e308", "9".repeat(300), "0"]) {
      const answer = await server.post("/index/shop/search", {
        query: { exact: { ctx: `(title:hat^${boost})^${boost}` } },
      });
      expect([200, 400], answer.text).toContain(answer.status);
      for (const { score } of answer.json.data.hits ?? []) expect(Number.isFinite(score)).toBe(true);
    }
  });
});

describe("11 escapes", () => {
  const special = [
    "+",
    "^",
    "`",
    ":",
    "{",
    "}",
    '"',
    "[",
    "]",
    "(",
    ")",
    "~",
    "!",
    "\\",
    "*",
    " ",
    ",",
    "'",
    "-",
  ];

  test.each(special)("a backslash makes %j a character like any other", async (character) => {
    // Separators to the analysis: the two words stand next to each other.
    expect(await found(`title:red\\${character}hat`)).toBe("c");
    expect(await found(`red\\${character}hat`)).toBe("c");
    expect(await found(`\\${character}hat`)).toBe("c");
    expect(await found(`"red\\${character}hat"`)).toBe("c");
    expect(await found(`title:IN [red\\${character}hat]`)).toBe("c");
  });

  test("a field's name may be escaped as well", async () => {
    expect(await found("ti\\tle:hat")).toBe("c");
    expect(await found("title\\:hat")).toBe("");
  });

  test("an escaped keyword, sign or star is a word", async () => {
    expect(await found("hat \\AND lord")).toBe("ce");
    expect(await found("hat \\-red")).toBe("ac");
    expect(await found("sho\\*")).toBe("");
  });

  test.each(["`", "~", "!", ",", "^", "'s", "^x", "~1"])(
    "%j unescaped inside or after a word is literal, dropped by analysis",
    async (text) => {
      // The possessive belongs to its word. What is left besides the word is part of its phrase, so nothing or the word alone is found.
      const expected = /[a-z0-9]/.test(text) && text !== "'s" ? "" : "c";
      expect(await found(`hat${text}`)).toBe(expected);
    },
  );

  test("quotes inside of quotes", async () => {
    expect(await found('"red \'hat"')).toBe("c");
    expect(await found("'red \"hat'")).toBe("c");
    expect(await found("'red \\'hat'")).toBe("c");
    expect(await found('"red (hat]:*"')).toBe("c");
    expect(await found("don't")).toBe("");
  });
});
refused(
  "11 refuses unescaped characters that are not grammatical",
  [
    "a:",
    ":a",
    "title:a:b",
    "a{",
    "a}",
    "{a",
    "}",
    "[a]",
    "a]",
    "]",
    "a)",
    ")",
    "(a",
    "a(b)",
    "a\\",
    "\\",
    '"open',
    "'open",
    'title:"open',
  ],
  "query_syntax",
);

refused(
  "12 refuses missing operands and empty groups",
  [
    "a AND",
    "AND b",
    "AND",
    "a AND AND b",
    "OR b",
    "a OR",
    "OR",
    "a OR OR b",
    "a AND OR b",
    "NOT",
    "a NOT",
    "NOT AND a",
    "()",
    "( )",
    "title:()",
    "title:",
    "title: AND hat",
    "title:-red",
    "price:>",
    "price:[1 TO]",
    "price:[TO 2]",
    "price:[1 2]",
    "price:[1 TO 2",
    "price:[1TO2]",
    "price:IN [1",
  ],
  "query_syntax",
);
refused(
  "12 refuses unknown fields",
  ["nope:x", "_id:x", "Title:x", "constructor:x", "nope:*", "nope:IN [x]", "nope:[1 TO 2]", "nope:(x)"],
  "unknown_field",
);
refused(
  "12 refuses unindexed fields",
  ["hidden:x", "hidden:*", "raw:x", "blob:x", "hidden:IN [x]", "hidden:(x)"],
  "field_not_indexed",
);

test("12 a syntax error names the character, counted in code points from 1", async () => {
  const messageOf = async (ctx: string): Promise<string> =>
    (await server.post("/index/shop/search", { query: { exact: { ctx } } })).json.message;
  expect(await messageOf("abc AND )")).toContain("at character 9:");
  expect(await messageOf("😀😀 )")).toContain("at character 4:");
  expect(await messageOf('ab "open')).toContain("at character 4:");
});
