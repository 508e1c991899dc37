/** `npm run bench -- replacing`: what replacing documents by their keys costs beside adding, and a change of one member beside both. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { debianCorpus, lines } from "../corpus.js";
import { bytesUnder } from "../process-figures.js";
import { median } from "../statistics.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "./figure-rows.js";
import { WatchedIndex } from "./watched-index.js";

export interface ReplacingOptions {
  /** Documents that are added, and all replaced. */
  readonly docs: number;
  /** Times that each is done, in turns. */
  readonly rounds: number;
  /** Documents of which all are replaced again and again. */
  readonly growthDocs: number;
  readonly growthRounds: number;
  readonly dist: string;
}

const REPLACING_GOAL = 1.5;
const UPDATING_GOAL = 3;
const BATCH = 1_000;
const CONNECTIONS = 4;
/** Documents of one partial update, and how many of them are timed. */
const UPDATED = 1_000;
const UPDATES = 12;
const KEYED = "keyed";
const PLAIN = "plain";

interface Cost {
  /** By the clock, and of processor time of the server's. */
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export async function benchmarkReplacing(options: ReplacingOptions): Promise<void> {
  const run = new ReplacingRun(options, await corpusOf());
  const figures = [
    `\n${options.docs} documents\n`,
    ...TABLE_HEAD,
    ...(await run.costs()),
    ...(await run.growth()),
  ];
  console.log(figures.join("\n"));
}

async function corpusOf(): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const line of lines(debianCorpus().file)) texts.push(line.slice(1));
  return texts;
}

class ReplacingRun {
  readonly #options: ReplacingOptions;
  /** JSON of documents without their opening brace. */
  readonly #corpus: readonly string[];

  constructor(options: ReplacingOptions, corpus: readonly string[]) {
    this.#options = options;
    this.#corpus = corpus;
  }

  /** Adding, adding with keys and replacing in turns, each round on a server of its own; then changes of one member. */
  async costs(): Promise<readonly string[]> {
    const { docs, rounds } = this.#options;
    const [adding, keyed, replacing]: [Cost[], Cost[], Cost[]] = [[], [], []];
    let [changing, whole]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      await this.#onServer(async (server) => {
        await createIndex(server, PLAIN, null);
        await createIndex(server, KEYED, "sku");
        const inOrder = Array.from({ length: docs }, (_, i) => i);
        const add = async (): Promise<void> => {
          adding.push(await this.#send(server, PLAIN, inOrder, 0));
        };
        const addKeyed = async (): Promise<void> => {
          keyed.push(await this.#send(server, KEYED, inOrder, 0));
        };
        // Whichever comes first has code to be compiled.
        for (const turn of round % 2 === 0 ? [add, addKeyed] : [addKeyed, add]) await turn();
        replacing.push(await this.#send(server, KEYED, shuffled(inOrder, round), 1));
        if (round === rounds - 1) ({ changing, whole } = await this.#updates(server));
      });
    }
    const cost = (costs: readonly Cost[]): string =>
      `${median(costs.map(({ seconds }) => seconds)).toFixed(1)} s, ${median(costs.map(({ cpuSeconds }) => cpuSeconds)).toFixed(1)} s of processor time`;
    const ratio = (costs: readonly Cost[], beside: readonly Cost[], goal: number): string => {
      const shares = (of: (cost: Cost) => number): number =>
        median(costs.map((each, i) => of(each) / of(beside[i]!)));
      const [time, cpu] = [shares(({ seconds }) => seconds), shares(({ cpuSeconds }) => cpuSeconds)];
      const verdict = cpu <= goal ? "held" : "missed";
      return `${time.toFixed(2)} by the clock, ${cpu.toFixed(2)} of processor time (goal ${goal}: ${verdict})`;
    };
    return [
      row("adding, without keys", cost(adding)),
      row("adding, with keys", cost(keyed)),
      row("replacing all, keys in random order", cost(replacing)),
      row("replacing beside adding", ratio(replacing, adding, REPLACING_GOAL)),
      row("replacing beside adding with keys", ratio(replacing, keyed, REPLACING_GOAL)),
      row(`one member of ${UPDATED} documents changed, and committed`, milliseconds(changing)),
      row(`${UPDATED} documents replaced, and committed`, milliseconds(whole)),
      row("changing beside replacing", ratio(changing, whole, UPDATING_GOAL)),
    ];
  }

  async #updates(server: ServerUnderTest): Promise<{ readonly changing: Cost[]; readonly whole: Cost[] }> {
    const [changing, whole]: [Cost[], Cost[]] = [[], []];
    const all = shuffled(
      Array.from({ length: this.#options.docs }, (_, i) => i),
      99,
    );
    for (let i = -2; i < UPDATES; i++) {
      const some = (offset: number): readonly number[] =>
        all.slice((2 * (i + 2) + offset) * UPDATED, (2 * (i + 2) + offset + 1) * UPDATED);
      const change = await measured(server, async () => {
        const changes = some(0).map((number) => ({ sku: keyOf(number), version: `changed ${i}` }));
        await ask(server, "PATCH", `/index/${KEYED}/documents`, JSON.stringify(changes));
        await ask(server, "POST", `/index/${KEYED}/commit`);
      });
      const replacement = await measured(server, async () => {
        await ask(server, "POST", `/index/${KEYED}/documents`, this.#body(some(1), i));
        await ask(server, "POST", `/index/${KEYED}/commit`);
      });
      // The first ones have code to be compiled.
      if (i < 0) continue;
      changing.push(change);
      whole.push(replacement);
    }
    return { changing, whole };
  }

  /** Whether disk and memory grow where all is replaced again and again. */
  async growth(): Promise<readonly string[]> {
    const { growthDocs, growthRounds } = this.#options;
    const numbers = Array.from({ length: growthDocs }, (_, i) => i);
    const disk: number[] = [];
    const memory: number[] = [];
    await this.#onServer(async (server, folder) => {
      await createIndex(server, KEYED, "sku");
      for (let round = 0; round <= growthRounds; round++) {
        await this.#send(server, KEYED, shuffled(numbers, round), round);
        const watched = new WatchedIndex(server.pid, folder);
        await watched.untilMerged();
        watched.stop();
        disk.push(bytesUnder(join(folder, "indexes")));
        memory.push(watched.looks.at(-1)!.residentBytes);
      }
    });
    const shown = (figures: readonly number[]): string => figures.map(megabytes).join(", ");
    return [
      row(`disk, ${growthDocs} documents added and replaced ${growthRounds} times`, shown(disk)),
      row("resident memory after each", shown(memory)),
    ];
  }

  async #onServer(use: (server: ServerUnderTest, folder: string) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "findling-replacing-"));
    const { dist } = this.#options;
    const server = await ServerUnderTest.start({
      dist: resolve(dist),
      dataFolder: folder,
      profile: undefined,
      environment: {},
    });
    try {
      await use(server, folder);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Sends documents in batches and commits once. */
  #send(server: ServerUnderTest, index: string, numbers: readonly number[], shift: number): Promise<Cost> {
    return measured(server, async () => {
      let next = 0;
      const work = async (): Promise<void> => {
        while (next < numbers.length) {
          const batch = numbers.slice(next, (next += BATCH));
          await ask(server, "POST", `/index/${index}/documents`, this.#body(batch, shift));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      await ask(server, "POST", `/index/${index}/commit`);
    });
  }

  /** @param shift which of the corpus's texts a key has */
  #body(numbers: readonly number[], shift: number): string {
    const corpus = this.#corpus;
    const documents = numbers.map((number) => {
      const text = corpus[(number + Math.max(0, shift) * 7919) % corpus.length]!;
      return `{"sku":"${keyOf(number)}",${text}`;
    });
    return `[${documents.join(",")}]`;
  }
}

function keyOf(number: number): string {
  return `article-${number}`;
}

async function createIndex(server: ServerUnderTest, name: string, key: string | null): Promise<void> {
  const path = fileURLToPath(new URL("../../demo/packages.schema.json", import.meta.url));
  const schema = JSON.parse(readFileSync(path, "utf8")) as { readonly fields: object };
  const fields = { sku: { type: "text" }, ...schema.fields };
  const index = { ...schema, name, fields, ...(key === null ? {} : { primary_key: key }) };
  await ask(server, "POST", "/index", JSON.stringify({ index }));
}

async function measured(server: ServerUnderTest, work: () => Promise<void>): Promise<Cost> {
  const [start, cpu] = [performance.now(), server.cpuSeconds()];
  await work();
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: server.cpuSeconds() - cpu };
}

/** Waits where the server asks for it. */
async function ask(server: ServerUnderTest, method: string, path: string, body?: string): Promise<void> {
  for (;;) {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: KEY, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 429)
      throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    await new Promise((again) => setTimeout(again, 100));
  }
}

/** In an order of its own for each seed. */
function shuffled(numbers: readonly number[], seed: number): readonly number[] {
  const order = [...numbers];
  let state = seed * 2_654_435_761 + 1;
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  return order;
}

function milliseconds(costs: readonly Cost[]): string {
  const of = (figure: (cost: Cost) => number): string => (1000 * median(costs.map(figure))).toFixed(0);
  return `${of(({ seconds }) => seconds)} ms, ${of(({ cpuSeconds }) => cpuSeconds)} ms of processor time`;
}
