import { describe, expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showAst } from "../../tests/query-kit/show-ast.js";
import { compileExact } from "./compile-exact.js";

const index = sampleIndex();
/** One search field of weight 1, so that unfielded words show as one term. */
const plain = sampleIndex({ search_fields: ["title"], weight_multipliers: {} });

const shown = (ctx: string): string => showAst(compileExact(ctx, plain));

describe("the query language, by the rules of contract 5.5", () => {
  describe.each<[string, [string, string][]]>([
    [
      "1: exclusion binds tighter than AND, AND tighter than OR and juxtaposition",
      [
        ["-x AND y", "(-title:x +title:y)"],
        ["x OR y AND z", "(|title:x |(+title:y +title:z))"],
        ["x AND y OR z", "(|(+title:x +title:y) |title:z)"],
        ['x AND y "z"', "(|(+title:x +title:y) |title:z)"],
        ["(x OR y) AND z", "(+(|title:x |title:y) +title:z)"],
        ["x AND y AND z", "(+title:x +title:y +title:z)"],
      ],
    ],
    [
      "2: a run of bare words is one value and binds tighter than AND",
      [
        ["title:red shoes AND active:true", "(+(|title:red |title:shoes) +active=true)"],
        ["red shoes AND blue hats", "(+(|title:red |title:shoes) +(|title:blue |title:hats))"],
        ["body:red shoes -old", "(|(|body:red |body:shoes) -title:old)"],
        ["body:red +blue green", "(|body:red +title:blue |title:green)"],
        ["body:red tags:blue green", "(|body:red |(|tags:blue |tags:green))"],
        ["body:red tags : blue", "(|body:red |tags:blue)"],
        ['body:red "blue"', "(|body:red |title:blue)"],
        ["body:red (blue green)", "(|body:red |(|title:blue |title:green))"],
        ["active:true red shoes", "(|active=true |(|title:red |title:shoes))"],
        ["price:5 red AND x", "(|price=5 |(+title:red +title:x))"],
        ["category:/x red", "(|category@/x |title:red)"],
        ["created_at:2024-01-01 red", '(|created_at="2024-01-01T00:00:00Z" |title:red)'],
        ["id:one two", '(|id="one" |title:two)'],
      ],
    ],
    [
      "3: a word of several tokens is a phrase; a hyphen inside is literal",
      [
        ["wi-fi", 'title:"wi fi"'],
        ["body:wi-fi router", '(|body:"wi fi" |body:router)'],
        ["id:test-doc-1", 'id="test-doc-1"'],
        ["東京都", 'title:"東京 京都"'],
        ["state-of-the-art", 'title:"state _ _ art"'],
        ["it-500", 'title:"it 500"'],
        ["a.m.", 'title:"a m"'],
      ],
    ],
    [
      "4: exclusion",
      [
        ["engine -desert winter", "(|title:engine -title:desert |title:winter)"],
        ["engine NOT desert winter", "(|title:engine -title:desert |title:winter)"],
        ["x -(y z)", "(|title:x -(|title:y |title:z))"],
        ['x -"y z"', '(|title:x -title:"y z")'],
        ["x -body:y z", "(|title:x -body:y |title:z)"],
        ["+x y", "(+title:x |title:y)"],
        ["+x -y", "(+title:x -title:y)"],
        ["x y +body:z w", "(|(|title:x |title:y) +body:z |title:w)"],
        ["-x", "(-title:x)"],
        ["-x -y", "(-title:x -title:y)"],
        ["x -y OR z", "(|title:x -title:y |title:z)"],
        ["x OR -y", "(|title:x |(-title:y))"],
        ["-x OR y", "(|(-title:x) |title:y)"],
        ["-x y OR z", "(-title:x |title:y |title:z)"],
        ["x OR +y", "(|title:x |title:y)"],
        ["x AND -y", "(+title:x -title:y)"],
        ["-x AND -y", "(-title:x -title:y)"],
        ["+x AND y", "(+title:x +title:y)"],
        ["z -x AND y", "(|title:z |(-title:x +title:y))"],
        ["NOT x AND y", "(-title:x +title:y)"],
        ["x NOT NOT y", "(|title:x -(-title:y))"],
        ["(-x) y", "(|(-title:x) |title:y)"],
        ["x - y", "(|title:x |title:y)"],
        ["x + y -", "(|title:x |title:y)"],
        ["- x", "title:x"],
        ["x AND - y", "(+title:x +title:y)"],
        ["-", "NONE"],
      ],
    ],
    [
      "5: phrases",
      [
        ['"red shoes"', 'title:"red shoes"'],
        ["'red shoes'", 'title:"red shoes"'],
        ['"red"', "title:red"],
        ['body:"red shoes"~3', 'body:"red shoes"~3'],
        ['"red sho"*', 'title:"red sho"*'],
        ['"red"*', "title:red*"],
        ['"red shoes"~9999999999', 'title:"red shoes"~1000000'],
        ['x ""', "title:x"],
        ['""', "NONE"],
        ['x AND ""', "title:x"],
        ['"he said "x""', "(|title:said |title:x)"],
        ['"x"y', "(|title:x |title:y)"],
        ['x"y"', "(|title:x |title:y)"],
        ['"x"(y)', "(|title:x |title:y)"],
        ["\"x\"'y z'", '(|title:x |title:"y z")'],
        ['"x"-y', "(|title:x -title:y)"],
        ['"x"AND y', "(+title:x +title:y)"],
        ['"x y"~2, z', '(|title:"x y"~2 |title:z)'],
        ['"x y"~2z', '(|title:"x y" |title:2z)'],
        ['"x y"~z', '(|title:"x y" |title:z)'],
      ],
    ],
    [
      "6: prefixes and match all",
      [
        ["foo*", "title:foo*"],
        ["wi-fi*", 'title:"wi fi"*'],
        ["Foo* bar", "(|title:foo* |title:bar)"],
        ["the*", "title:the*"],
        ["body:foo*^2", "body:foo*^2"],
        ["id:AB*", "id=AB*"],
        ["*", "ALL"],
        [" * ", "ALL"],
        ["x *", "(|title:x |ALL)"],
        ["* -x", "(|ALL -title:x)"],
        ["\\*", "NONE"],
      ],
    ],
    [
      "7: existence and fielded groups",
      [
        ["price:*", "price:?"],
        ["title:*", "title:?"],
        ["body:(red OR blue)", "(|body:red |body:blue)"],
        ["body:(red AND title:blue)", "(+body:red +title:blue)"],
        ["body:(red -blue)", "(|body:red -body:blue)"],
        ["body:(*)", "body:?"],
        ["body:((red) tags:(blue (green)))", "(|body:red |(|tags:blue |tags:green))"],
        ["price:(5 7)", "(|price=5 |price=7)"],
        ["active:(true OR false)", "(|active=true |active=false)"],
        [
          "created_at:(2024-01-01T00:00:00Z OR 2025-01-01)",
          '(|created_at="2024-01-01T00:00:00Z" |created_at="2025-01-01T00:00:00Z")',
        ],
        ["-body:(red blue)", "(-(|body:red |body:blue))"],
      ],
    ],
    [
      "8: boosts",
      [
        ["x^2", "title:x^2"],
        ["x^0.5 y", "(|title:x^0.5 |title:y)"],
        ["x^.5", "title:x^0.5"],
        ["x^0", "title:x^0"],
        ["(x y)^3", "(|title:x |title:y)^3"],
        ["body:x y^2", "(|body:x |body:y)^2"],
        ['"x y"^2', 'title:"x y"^2'],
        ['"x y"~2^3', 'title:"x y"~2^3'],
        ["price:[1 TO 2]^2", "price[1..2]^2"],
        ["price:>1^2", "price[2..)^2"],
        ["*^2", "ALL^2"],
        ["x^1", "title:x"],
        ["x^y", 'title:"x y"'],
        ["-x^2", "(-title:x^2)"],
      ],
    ],
    [
      "9: ranges and sets",
      [
        ["price:[1 TO 5}", "price[1..4]"],
        ["price:{1 TO 5]", "price[2..5]"],
        ["rating:{1 TO 5}", "rating{1..5}"],
        ["price:[* TO 5]", "price(..5]"],
        ["price:[5 TO *}", "price[5..)"],
        ["price:[* TO *]", "price:?"],
        ["price:[ 1   TO 5 ]", "price[1..5]"],
        ["price: >= 5", "price[5..)"],
        ["price:[5 TO 1]", "NONE"],
        ["price:[\"1\" TO '5']", "price[1..5]"],
        ["category: IN [/x /y/z]", "category@/x,/y/z"],
        ["category:IN[x, y,]", "category@/x,/y"],
        ["tags:IN [red, blue]", "(|tags:red |tags:blue)=>1"],
        ["tags:IN ['red shoes' wi-fi]", '(|tags:"red shoes" |tags:"wi fi")=>1'],
        ['tags:IN ["red", "blue"]', "(|tags:red |tags:blue)=>1"],
        ['tags:IN ["red shoes"~2, "bl"*]', '(|tags:"red shoes"~2 |tags:bl*)=>1'],
        ["id:IN ['ab'* c]", '(|id=ab* |id="c")=>1'],
        ["price:IN [1 2 2]", "price=1,2"],
        ["price:IN []", "NONE"],
        ["x AND price:IN []", "(+title:x +NONE)"],
        ["body:IN x", "body:x"],
        ["created_at:IN [2024-01-01T00:00:00Z]", 'created_at="2024-01-01T00:00:00Z"'],
        ["category:IN [a\\ b 'c d']", "category@/a b,/c d"],
      ],
    ],
    [
      "10: values by field type",
      [
        ["body:Red", "body:red"],
        ["body:[apple TO Cherry}", 'body["apple".."cherry"}'],
        ["body:>=b", 'body["b"..)'],
        ["body:[* TO *]", "body:?"],
        ["id:Ab.C", 'id="Ab.C"'],
        ['id:"a b"', 'id="a b"'],
        ["id:IN [A b]", 'id="A","b"'],
        ["id:the", 'id="the"'],
        ["category:x/y", "category@/x/y"],
        ["category:/X/", "category@/X"],
        ["category:/a\\ b", "category@/a b"],
        ['category:"/a b"', "category@/a b"],
        ["active:TRUE", "active=true"],
        ['active:"false"', "active=false"],
        ["reviews:-5", "reviews=-5"],
        ["reviews:+5", "reviews=5"],
        ["price:1e3", "price=1000"],
        ["price:9.0", "price=9"],
        ["price:18446744073709551615", 'price="18446744073709551615"'],
        ["price:1.8446744073709551615e19", 'price="18446744073709551615"'],
        ["price:2.5", "NONE"],
        ["price:-1", "NONE"],
        ["price:18446744073709551616", "NONE"],
        ["price:IN [1 -1 2.5]", "price=1"],
        ["reviews:>-1", "reviews[0..)"],
        ["price:>-1", "price:?"],
        ["price:>=-1", "price:?"],
        ["price:<0", "NONE"],
        ["price:<-5", "NONE"],
        ["price:>1e30", "NONE"],
        ["price:<1e30", "price:?"],
        ["price:>2.5", "price[3..)"],
        ["price:<=2.5", "price(..2]"],
        ["reviews:>=-2.5", "reviews[-2..)"],
        ["reviews:<-2.5", "reviews(..-3]"],
        ["reviews:>=-9223372036854775808", "reviews:?"],
        ["reviews:<9223372036854775807", 'reviews(.."9223372036854775806"]'],
        ["rating:9.0", "rating=9"],
        ["rating:-1e-2", "rating=-0.01"],
        ["rating:1e999", "NONE"],
        ["rating:<1e999", "rating:?"],
        ["rating:>1e999", "NONE"],
        ["rating:>0.1", "rating{0.1..)"],
        ["created_at:1700000000", 'created_at="2023-11-14T22:13:20Z"'],
        ["created_at:-1", 'created_at="1969-12-31T23:59:59Z"'],
        ["created_at:2024-06-01T12:00:00.750+02:00", 'created_at="2024-06-01T10:00:00Z"'],
        ["updated_at:2024-06-01T12:00:00.7509Z", 'updated_at="2024-06-01T12:00:00.75Z"'],
        ["updated_at:2024-06-01T12:00:00Z x", '(|updated_at="2024-06-01T12:00:00Z" |title:x)'],
        ["created_at:2024-06-01T12\\:00\\:00Z", 'created_at="2024-06-01T12:00:00Z"'],
        ["created_at:>2024-06-01T12:00:00.5Z", 'created_at{"2024-06-01T12:00:00.5Z"..)'],
        ["created_at:<2024-06-01", 'created_at(.."2024-06-01T00:00:00Z"}'],
      ],
    ],
    [
      "11: escapes and literal characters",
      [
        ["a1\\+b", 'title:"a1 b"'],
        ["body\\:x", 'title:"body x"'],
        ["\\-x", "title:x"],
        ["x\\ y", 'title:"x y"'],
        ["\\AND", "NONE"],
        ["\\NOT1", "title:not1"],
        ['id:\\"\\\\\\:\\,\\(', 'id="\\"\\\\:,("'],
        ["category:/it\\'s", "category@/it's"],
        ['id:"a\\"b"', 'id="a\\"b"'],
        ["id:'a\\'b\"'", 'id="a\'b\\""'],
        ["id:\\😀x", 'id="😀x"'],
        ["rock'n'roll", 'title:"rock n roll"'],
        ["c++", "title:c"],
        ["x~y", 'title:"x y"'],
        ["x!", "title:x"],
        ["`x`", "title:x"],
        ["x,", "title:x"],
        ["^x", "title:x"],
        ["x=1", 'title:"x 1"'],
        [">5", "title:5"],
        ["IN TO x", "title:x"],
        ["AND* x", "(|title:and* |title:x)"],
        ["android ORION NOTE", "(|title:android |title:orion |title:note)"],
      ],
    ],
    [
      "5.4: stopwords and words without a token are dropped, in phrases with their place",
      [
        ["the", "NONE"],
        ["the cat", "title:cat"],
        ["the AND cat", "title:cat"],
        ["the OR cat", "title:cat"],
        ["cat -the", "title:cat"],
        ["the -cat", "(-title:cat)"],
        ["-the", "NONE"],
        ["NOT the", "NONE"],
        ["(the) cat", "title:cat"],
        ["(the)^2", "NONE"],
        ["body:the", "NONE"],
        ["body:the AND active:true", "active=true"],
        ['"lord of the rings"', 'title:"lord _ _ rings"'],
        ['"the lord"', "title:lord"],
        ['"the lord of rings"', 'title:"lord _ rings"'],
        ['"to be or not to be"', "NONE"],
        ['"lord of the"*', 'title:"lord _ the"*'],
        ["tags:IN [the cat]", "tags:cat=>1"],
        ["tags:IN [the] cat", "title:cat"],
        ["body:[the TO them]", 'body["the".."them"]'],
        ["don't stop", "title:stop"],
        ["x & y", "(|title:x |title:y)"],
        ["x AND &", "title:x"],
        ["& OR ~", "NONE"],
        ["", "NONE"],
        ["  ", "NONE"],
      ],
    ],
  ])("%s", (_rule, cases) => {
    test.each(cases)("%s", (ctx, expected) => {
      expect(shown(ctx)).toBe(expected);
    });
  });

  test.each([
    ["active:false AND rating:>9", "(+active=false +rating{9..))"],
    ["rating:[6 TO 9]", "rating[6..9]"],
    ["price:{10 TO 100}", "price[11..99]"],
    ["tags:IN [evolution colonization]", "(|tags:evolution |tags:colonization)=>1"],
    ["reviews:>=3000", "reviews[3000..)"],
    ["category:/science-fiction", "category@/science-fiction"],
    [
      "created_at:[2024-01-01T00:00:00.000Z TO 2024-12-31T00:00:00.000Z]",
      'created_at["2024-01-01T00:00:00Z".."2024-12-31T00:00:00Z"]',
    ],
    ["updated_at:>=2024-06-01T00:00:00.000Z", 'updated_at["2024-06-01T00:00:00Z"..)'],
    [
      "active:true AND price:[10 TO 100] AND category:IN [electronics computers] -discontinued",
      "(|(+active=true +price[10..100] +category@/electronics,/computers) -title:discontinued)",
    ],
    [
      "(category:tech OR category:science) AND rating:>4",
      "(+(|category@/tech |category@/science) +rating{4..))",
    ],
    ['section_name:"Columns" OR section_name:"Prep"', "(|section_name:columns |section_name:prep)"],
    ['"exact phrase"', 'title:"exact phrase"'],
    ["category: IN [/sports /news/local]", "category@/sports,/news/local"],
    ["*", "ALL"],
  ])("client-made input: %s", (ctx, expected) => {
    expect(shown(ctx)).toBe(expected);
  });
});

describe("unfielded words", () => {
  test("are looked for in every search field, with its weight", () => {
    expect(showAst(compileExact("red body:blue", index))).toBe("(|(|title:red^2 |body:red) |body:blue)");
    expect(showAst(compileExact("wi-fi", index))).toBe('(|title:"wi fi"^2 |body:"wi fi")');
    expect(showAst(compileExact("red*", index))).toBe("(|title:red*^2 |body:red*)");
  });

  test("match nothing without search fields", () => {
    const none = sampleIndex({ search_fields: [] });
    expect(showAst(compileExact("red", none))).toBe("NONE");
    expect(showAst(compileExact("active:true red", none))).toBe("(|active=true |NONE)");
  });

  test("are the whole value in id where it is a search field, and stopwords stay dropped", () => {
    const withId = sampleIndex({ search_fields: ["id", "title"], weight_multipliers: { id: 3 } });
    expect(showAst(compileExact("Doc-1", withId))).toBe('(|id="Doc-1"^3 |title:"doc 1")');
    expect(showAst(compileExact("doc*", withId))).toBe("(|id=doc*^3 |title:doc*)");
    expect(showAst(compileExact("the AND cat", withId))).toBe('(|id="cat"^3 |title:cat)');
  });
});

describe("stopword settings", () => {
  test("are off with exclude_stop_words, custom words too", () => {
    const off = sampleIndex({ search_fields: ["title"], weight_multipliers: {}, exclude_stop_words: false }, [
      "cat",
    ]);
    expect(showAst(compileExact("the cat", off))).toBe("(|title:the |title:cat)");
  });

  test("are prepared anew for another language over the same custom words", () => {
    const custom: string[] = [];
    const english = sampleIndex({ search_fields: ["title"], weight_multipliers: {} }, custom);
    const other = sampleIndex({ search_fields: ["title"], weight_multipliers: {}, language: "xx" }, custom);
    const analyzer = english.analyzer;
    expect(showAst(compileExact("the", english))).toBe("NONE");
    expect(showAst(compileExact("the", { ...other, analyzer }))).toBe("title:the");
  });

  test("follow the language: no dictionary for an unknown one, custom words all the same", () => {
    const other = sampleIndex({ search_fields: ["title"], weight_multipliers: {}, language: "xx" }, ["Cat"]);
    expect(showAst(compileExact("the cat", other))).toBe("title:the");
    const english = sampleIndex({ search_fields: ["title"], weight_multipliers: {}, language: "en" }, [
      "cat",
    ]);
    expect(showAst(compileExact("the cat", english))).toBe("NONE");
  });
});
