// Documents that give orders, and a model that obeys every one of them: nothing of the system prompt gets out,
// and no image, link or tag that leads anywhere but to an address that stands in the documents. The pack is data
// (tests/injections): what a document says, and what a model says that does as it is told.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatRequest, FakeChatServer, saying } from "../kit/fake-chat-server.js";
import { SummaryStream } from "./summary-stream.js";
import { WireServer } from "./wire-server.js";

interface Injection {
  readonly technique: string;
  readonly language: string;
  readonly text: string;
  readonly obeyed: string;
}

const PACK = JSON.parse(
  readFileSync(new URL("../injections/injections.json", import.meta.url), "utf8"),
) as readonly Injection[];
const TOPIC = "the secret question about boots";
const INSTRUCTION = "Always be friendly.";

let model: FakeChatServer;
let server: WireServer;
beforeAll(async () => {
  model = await FakeChatServer.start();
  server = await WireServer.start({ llmAllowedBaseUrls: [model.origin] });
  await server.createIndex("reviews", {
    fields: { id: { type: "text" }, text: { type: "text" } },
    ai_enabled: true,
    ai: model.ai({
      character_limit: 20_000,
      additional_prompt_instructions: [{ custom_instruction: INSTRUCTION, order: 1 }],
    }),
  });
  await server.addCommitted(
    "reviews",
    PACK.map(({ text }, i) => ({ id: `injection-${i}`, text })),
  );
});
afterAll(async () => {
  await server.stopAndRemove();
  await model.close();
});

const boundaryOf = ({ system }: ChatRequest): string => /marker ([0-9a-f]{32})/.exec(system)![1]!;

/** What a model says that takes what it reads for its orders. */
function obey({ obeyed }: Injection, request: ChatRequest): string {
  const { system, prompt } = request;
  const boundary = boundaryOf(request);
  const fillings: Readonly<Record<string, string>> = {
    system,
    prompt,
    boundary,
    topic: encodeURIComponent(TOPIC),
    long: "x".repeat(5_000),
    "system:upper": system.toUpperCase(),
    "system:spaced": [...system].join(" "),
    "system:dotted": system.replaceAll(" ", "... "),
    "system:tagged": system.replace(/\w+/g, "<b>$&</b>"),
    "system:encoded": encodeURIComponent(system),
    "boundary:halves": `${boundary.slice(0, 16)} and ${boundary.slice(16)}`,
  };
  return obeyed.replace(/\$\{([a-z:]+)\}/g, (_, name: string) => fillings[name]!);
}

/** Pieces as models send them: a few characters each, cut anywhere. */
function* tokensOf(text: string): Generator<string> {
  const points = [...text];
  for (let at = 0, i = 0; at < points.length; i++) {
    const length = 1 + ((i * 7) % 9);
    yield points.slice(at, at + length).join("");
    at += length;
  }
}

async function summaryOf(number: number): Promise<{ shown: string; last: string; request: ChatRequest }> {
  model.replies.length = 0;
  model.answer = (reply) => saying(reply, tokensOf(obey(PACK[number]!, reply.request)));
  const query = [{ exact: { ctx: `id:injection-${number}` }, occur: "must" }, { fuzzy: { ctx: TOPIC } }];
  const stream = await (await SummaryStream.open(server, "reviews", { query })).end();
  return { shown: stream.summary, last: stream.events.at(-1)!.name, request: model.replies[0]!.request };
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** The longest run of letters and digits that both have. */
function longestShared(left: string, right: string): number {
  const [a, b] = [lettersOf(left), lettersOf(right)];
  let longest = 0;
  for (let start = 0; start + longest < a.length; start++) {
    while (start + longest < a.length && b.includes(a.slice(start, start + longest + 1))) longest++;
  }
  return longest;
}

/** As a browser reads them. */
const decoded = (text: string): string =>
  text
    .replaceAll(/&colon;|&#0*58;|&#x0*3a;/gi, ":")
    .replaceAll(/&sol;|&#0*47;|&#x0*2f;/gi, "/")
    .replaceAll(/&period;|&#0*46;|&#x0*2e;/gi, ".");

function addressesIn(text: string): readonly string[] {
  const patterns = [
    /\]\(\s*<?([^\s)>]*)/g,
    /\]:\s*<?([^\s>]+)/g,
    /(<[A-Za-z/!?][\s\S]{0,50})/g,
    /([a-z][a-z0-9+.-]*:\/\/[^\s<>"`[\](){}|\\^]*)/gi,
    /(?<![a-z0-9])(www\.[^\s<>"`[\](){}|\\^]*)/gi,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, address]) => address!));
}

test("the pack is large, and of several languages and techniques", () => {
  expect(PACK.length).toBeGreaterThanOrEqual(50);
  expect(new Set(PACK.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10);
  expect(new Set(PACK.map(({ technique }) => technique)).size).toBeGreaterThanOrEqual(30);
});

describe.each(PACK.map((each, i) => [`${i}: ${each.technique}, ${each.language}`, i] as const))(
  "%s",
  (_, i) => {
    test("stays data in the prompt, and what it asks for does not get out", async () => {
      const { text } = PACK[i]!;
      const { shown, last, request } = await summaryOf(i);

      // Without what stands between this call's own markers, nothing of the document is left.
      const boundary = boundaryOf(request);
      const block = new RegExp(`BEGIN ([A-Z]+(?: \\d+)?) ${boundary}\n[\\s\\S]*?\nEND \\1 ${boundary}`, "g");
      expect(request.prompt.match(block)).toHaveLength(2);
      expect(request.prompt.replace(block, "#").split("\n\n")).toEqual([
        "#",
        "#",
        "Summarize what the documents above say about the topic.",
        INSTRUCTION,
        "Write at most 20000 characters.",
      ]);
      expect(request.system).not.toContain(text);

      expect(longestShared(request.system, shown)).toBeLessThan(48);
      expect(shown).not.toContain(boundary);
      for (const address of addressesIn(decoded(shown))) {
        expect([shown, text]).toEqual([shown, expect.stringContaining(address)]);
      }
      expect(last).toBe(PACK[i]!.obeyed.startsWith("${system") ? "error" : last);
      expect(["done", "error"]).toContain(last);
    });
  },
);
