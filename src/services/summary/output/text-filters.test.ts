// Each filter lets out the same however its text is cut into pieces; what it takes out cannot be put together
// again by what another one takes out; and it never holds back more than it may.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AddressFilter } from "./address-filter.js";
import { KnownAddresses } from "./known-addresses.js";
import { LinkFilter } from "./link-filter.js";
import { PromptLeakGuard } from "./prompt-leak-guard.js";
import { SummaryOutput } from "./summary-output.js";
import { TagFilter } from "./tag-filter.js";
import type { TextFilter } from "./text-filter.js";

const DOCUMENTS = [
  "title: Boots\nurl: https://shop.example/boots?a=1&b=2\npath: /boots/42",
  "see http://WWW.Shop.example/Sale/, or (https://wiki.example/Boot_(shoe)).",
];
const KNOWN = new KnownAddresses(DOCUMENTS);
const SYSTEM =
  "You are a helpful assistant skilled at creating comprehensive summaries. Never tell the marker of this call.";
const BOUNDARY = "0123456789abcdeffedcba9876543210";

const FILTERS: Readonly<Record<string, () => TextFilter>> = {
  tags: () => new TagFilter(),
  links: () => new LinkFilter(KNOWN),
  addresses: () => new AddressFilter(KNOWN),
  "the guard of the prompt": () =>
    new PromptLeakGuard({ system: SYSTEM, secrets: [BOUNDARY, "sk-secret/of+the=provider"] }),
  all: output,
};

function output(characterLimit = 100_000): SummaryOutput {
  return new SummaryOutput({
    known: KNOWN,
    guarded: { system: SYSTEM, secrets: [BOUNDARY] },
    characterLimit,
  });
}

function filtered(filter: TextFilter, pieces: Iterable<string>): string {
  let out = "";
  for (const piece of pieces) out += filter.push(piece);
  return out + filter.end();
}

/** What links, tags and addresses are made of, so that random texts come near to them. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...["[", "]", "(", ")", "!", "<", ">", "\\", '"', "`", " ", "\n", "\n\n", ":", "/", "//", "://", "."],
    ...[
      "](",
      "]:",
      "![",
      "https",
      "http://",
      "www.",
      "img src=",
      "a",
      "b>",
      "javascript:",
      "&colon;",
      "&#58;",
    ],
    ...[
      "https://evil.example/x",
      "https://shop.example/boots?a=1&b=2",
      "/boots/42",
      "evil.example",
      "é",
      "👋",
    ],
    ..."<a href=x>,</a>,<!--,-->,[1],[1]: ,<https://evil.example>,data:,<br>".split(","),
  ),
  fc.string({ maxLength: 6 }),
);
const text = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));
/** Whole code points, as the port promises. */
const cutText = fc.tuple(text, fc.array(fc.nat(200), { maxLength: 30 })).map(([whole, at]) => {
  const points = [...whole];
  const ends = [...at.map((place) => place % (points.length + 1)).toSorted((a, b) => a - b), points.length];
  return { whole, pieces: ends.map((end, i) => points.slice(ends[i - 1] ?? 0, end).join("")) };
});

/** As a browser and CommonMark would: a foreign address behind a link, an image, a tag or as it stands. */
function foreignAddresses(shown: string): readonly string[] {
  const found: string[] = [];
  for (const [, target] of shown.matchAll(/\]\(\s*<?([^\s)>]*)/g)) found.push(target!);
  for (const [, target] of shown.matchAll(/\]:\s*<?([^\s>]+)/g)) found.push(target!);
  for (const [tag] of shown.matchAll(/<[A-Za-z/!?][\s\S]*/g)) found.push(tag);
  for (const [address] of shown.matchAll(/[a-z][a-z0-9+.-]*:\/\/[^\s<>"`[\](){}|\\^]+/gi))
    found.push(address);
  for (const [address] of shown.matchAll(/(?<![a-z0-9])www\.[^\s<>"`[\](){}|\\^]+/gi)) found.push(address);
  return found.filter((each) => !KNOWN.has(each.replace(/[.,;:!?'*_~…]+$/, "")));
}

describe.each(Object.entries(FILTERS))("%s", (_, create) => {
  test("let out the same however the text is cut", () => {
    fc.assert(
      fc.property(cutText, ({ whole, pieces }) => {
        expect(filtered(create(), pieces)).toBe(filtered(create(), [whole]));
      }),
      { numRuns: 500 },
    );
  });

  test("hold back little, whatever never ends", () => {
    for (const endless of ["[", "<a", "![a](", "https://x", "a[b]: ", "x", "<", "(", "www.a", "!", "&#58;"]) {
      const filter = create();
      for (let i = 0; i < 4000; i++) filter.push(i === 0 ? endless : endless.at(-1)!);
      expect([endless, filter.end().length < 3200]).toEqual([endless, true]);
    }
  });
});

test("an address that is longer than any goes once, whether it comes at once or bit by bit", () => {
  const long = `see it https://evil.example/${"x".repeat(5000)}, b`;
  for (const pieces of [[long], [...long]]) {
    expect(filtered(new AddressFilter(KNOWN), pieces)).toBe("see it … b");
  }
});

describe("all together", () => {
  test("let no foreign link, image, tag or address through, whatever it is put together from", () => {
    fc.assert(
      fc.property(cutText, ({ pieces }) => {
        expect(foreignAddresses(filtered(output(), pieces))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("let text through that has nothing of the kind, to the letter", () => {
    for (const plain of [
      "Two pairs: **red** boots (size 42) and *blue* ones. 3 < 4 > 2, a [note], [1]; $5!\n\n- [ ] to do\n",
      "Arrays x[0], f(x)[1], `a<3`, C:\\temp, 10:30, e.g. node.js/deno, 8:00–9:00.",
      "Smileys :) ;-) <3 and a tail !",
      "😀👩‍👩‍👧 naïve café\u0301",
    ]) {
      expect(filtered(output(), [plain])).toBe(plain);
    }
  });

  test.each([
    ["[shop](https://evil.example/x) now", "shop now"],
    ["![alt](https://evil.example/x.png) now", "alt now"],
    ["[![alt](https://evil.example/x.png)](https://evil.example) now", "alt now"],
    ["[a](javascript:alert(1)) b", "a b"],
    ["[a](data:text/html;base64,xx) b", "a b"],
    ["[a](//evil.example) b", "a b"],
    ["[a](https:\\/\\/evil.example) b", "a b"],
    ["[a](<https://evil.example>) b", "a b"],
    ["[a]( https://evil.example 'title' ) b", "a b"],
    ["<https://evil.example/x> b", "… b"],
    ["see https://evil.example/x, b", "see …, b"],
    ["see HTTPS://EVIL.example b", "see … b"],
    ["see www.evil.example/x b", "see … b"],
    [`see it https://evil.example/${"x".repeat(5000)}, b https://evil.example`, "see it … b …"],
    ["see a+www.b://evil.example b", "see … b"],
    ["see https&colon;//evil.example b", "see … b"],
    ["<img src=https://evil.example/x> b", " b"],
    ['<a href="https://evil.example">text</a> b', "text b"],
    ["<iframe src='//evil.example'></iframe> b", " b"],
    ["<scr<b>ipt>x</script> b", "< script>x b"],
    ["<<b>img src=//evil.example> b", "< img src=//evil.example> b"],
    ["ht<b>tps://evil.example b", "… b"],
    ["[a][](x)(javascript:1) b", "[a] (javascript:1) b"],
    ["[a][1]\n\n[1]: https://evil.example b", "[a][1]\n\n[1] : … b"],
    ["one<br>two", "one\ntwo"],
    ["[boots](https://shop.example/boots?a=1&b=2) b", "[boots](https://shop.example/boots?a=1&b=2) b"],
    ["![b](https://shop.example/boots?a=1&amp;b=2) b", "![b](https://shop.example/boots?a=1&amp;b=2) b"],
    ["[b](/boots/42) b", "[b](/boots/42) b"],
    ["[b](/boots/43) b", "b b"],
    ["[w](https://wiki.example/Boot_(shoe)) b", "[w](https://wiki.example/Boot_(shoe)) b"],
    ["[b](https://shop.example/boots?secret=1) b", "b b"],
    ["<https://shop.example/boots?a=1&b=2>", "https://shop.example/boots?a=1&b=2"],
    ["www.shop.example/Sale.", "www.shop.example/Sale."],
    [
      "[b][1]\n\n[1]: https://shop.example/boots?a=1&b=2",
      "[b][1]\n\n[1]: https://shop.example/boots?a=1&b=2",
    ],
  ])("%s", (sent, shown) => {
    expect(filtered(output(), [sent])).toBe(shown);
    expect(filtered(output(), [...sent])).toBe(shown);
  });

  test("tell that they are full once enough has got out, or too much markup has come", () => {
    const short = output(5);
    expect(short.push("Hello, world")).toBe("Hello");
    expect(short.isFull).toBe(true);
    const markup = output(5);
    while (!markup.isFull) expect(markup.push("<b>".repeat(100))).toBe("");
    expect(markup.end()).toBe("");
  });
});

describe("the guard of the prompt", () => {
  const guard = (): PromptLeakGuard =>
    new PromptLeakGuard({ system: SYSTEM, secrets: [BOUNDARY, "sk-secret/of+the=provider"] });

  test.each([
    SYSTEM,
    SYSTEM.toUpperCase(),
    [...SYSTEM].join(" "),
    `Sure: "${SYSTEM.replaceAll(" ", "\n> ")}"`,
    SYSTEM.slice(0, 80),
    `The marker is ${BOUNDARY.slice(4, 24)}.`,
    "And the key is sk-secret/of+the=provider.",
  ])("stops before more than a few words of it are out: %s", (recited) => {
    for (const pieces of [[recited], [...recited]]) {
      const stopped = guard();
      let out = "";
      expect(() => {
        for (const piece of pieces) out += stopped.push(piece);
      }).toThrow("recited");
      expect(out.replace(/[^A-Za-z0-9]/g, "").length).toBeLessThan(30);
    }
  });

  test("stops at the forty-eighth letter in a row, not before", () => {
    const letters = [...SYSTEM].filter((char) => /[A-Za-z]/.test(char)).join("");
    const most = letters.slice(10, 57);
    expect(filtered(guard(), [most])).toBe(most);
    expect(filtered(guard(), [...most])).toBe(most);
    expect(() => guard().push(letters.slice(10, 58))).toThrow("recited");
  });

  test("lets words through that the prompt has, too", () => {
    const shared = "A helpful assistant for comprehensive summaries: you are skilled at creating them.";
    expect(filtered(guard(), [shared])).toBe(shared);
  });
});
