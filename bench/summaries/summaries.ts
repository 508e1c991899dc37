/** `npm run bench -- summaries`: first events, and 200 streams beside searches. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { MODEL_MOODS, type ModelMood, type ModelPace } from "./model-process.js";
import { Part } from "./part.js";
import type { Target } from "./post.js";
import type { PairFigures, ReadersCommand, ReadFigures } from "./readers-process.js";
import type { SearchesCommand } from "./searches-process.js";
import { KEY, ServerUnderTest } from "./server-under-test.js";
import {
  BURST_HEADING,
  type Burst,
  burstLine,
  type Phase,
  pairLine,
  type Round,
  roundLines,
} from "./summary-tables.js";

export interface SummariesOptions {
  readonly streams: number;
  /** How long each stream takes. */
  readonly seconds: number;
  readonly everyMs: number;
  readonly pieceCharacters: number;
  readonly rounds: number;
  readonly pairs: number;
  readonly bursts: number;
  readonly pauseMs: number;
  readonly dist: string;
  /** Folder of the server's profile; none by default. */
  readonly profile?: string;
}

const INDEX = "packages";
const SAMPLE = fileURLToPath(new URL("../../demo/packages.jsonl.gz", import.meta.url));
/** Over which the readers of a round come. */
const SPREAD_MS = 2_000;
/** Spreads at which only first events are looked at. */
const BURST_SPREADS_MS = [2_000, 100] as const;
/** Until the model has heard that its readers are gone. */
const LEAVING_MS = 500;
/** The part of a stream's seconds in which all streams are open and searches are measured. */
const MEASURED_SHARE = 0.6;
/** After all streams have ended, so that what they held can be freed. */
const CALM_MS = 3_000;

export async function benchmarkSummaries(options: SummariesOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-summaries-"));
  const model = new Part<ModelPace>("model-process.ts");
  const readers = new Part<ReadersCommand>("readers-process.ts");
  const searches = new Part<SearchesCommand>("searches-process.ts");
  let server: ServerUnderTest | undefined;
  try {
    const { everyMs, pieceCharacters } = options;
    const pieces = Math.round((options.seconds * 1000) / everyMs);
    const modelOrigin = await model.ask<string>({ pieces, pieceCharacters, everyMs });
    server = await ServerUnderTest.start({
      dist: resolve(options.dist),
      dataFolder: join(folder, "data"),
      profile: options.profile,
      environment: {
        FINDLING_LLM_ALLOWED_BASE_URLS: modelOrigin,
        FINDLING_SUMMARY_CONCURRENT_CALLS: String(2 * options.streams + MODEL_MOODS.length * options.pairs),
      },
    });
    server.import(SAMPLE, INDEX, folder);
    const bench = new SummariesBench({ options, server, modelOrigin, pieces, readers, searches });
    await bench.warmUp();
    const firstEvents = [...(await bench.firstEvents()), ...(await bench.bursts())];
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++) rounds.push(await bench.round());
    process.stdout.write(
      `${[...bench.heading(), ...firstEvents, ...roundLines(rounds, bench.expectedPieces)].join("\n")}\n`,
    );
  } finally {
    await Promise.all([server?.stop(), model.stop(), readers.stop(), searches.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface BenchParts {
  readonly options: SummariesOptions;
  readonly server: ServerUnderTest;
  readonly modelOrigin: string;
  readonly pieces: number;
  readonly readers: Part<ReadersCommand>;
  readonly searches: Part<SearchesCommand>;
}

class SummariesBench {
  readonly #parts: BenchParts;
  readonly #search: Target;
  readonly #summary: Target;
  readonly #words: readonly string[] = wordsOf(SAMPLE);
  #asked = 0;

  constructor(parts: BenchParts) {
    this.#parts = parts;
    this.#search = { url: `${parts.server.url}/index/${INDEX}/search`, key: KEY };
    this.#summary = { url: `${parts.server.url}/index/${INDEX}/search/summary`, key: KEY };
  }

  get expectedPieces(): number {
    return this.#parts.pieces * this.#parts.options.streams;
  }

  heading(): readonly string[] {
    const { streams, seconds, everyMs, pieceCharacters } = this.#parts.options;
    return [
      `\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, load ${loadavg()[0]!.toFixed(1)}; server, model, readers and searches share the cores`,
      `${streams} streams of ${seconds} s, ${pieceCharacters} characters every ${everyMs} ms each\n`,
    ];
  }

  /** Asks for something of every part, so that no figure holds what only the first request costs. */
  async warmUp(): Promise<void> {
    await this.#setMood("steady");
    await this.#searchFor(2);
    await this.#pairs(20);
  }

  async firstEvents(): Promise<readonly string[]> {
    const lines = [
      "| model | search alone, median | first event, median | first event later than the search: median, p95, most |",
      "|---|---|---|---|",
    ];
    for (const mood of MODEL_MOODS) {
      await this.#setMood(mood);
      lines.push(pairLine(mood, await this.#pairs(this.#parts.options.pairs)));
    }
    await this.#setMood("steady");
    return [...lines, ""];
  }

  /** As many searches, and then as many summaries, at nearly the same moment: the same words at the same times. */
  async bursts(): Promise<readonly string[]> {
    const { readers, server, options } = this.#parts;
    const lines: string[] = [...BURST_HEADING];
    for (const spreadMs of BURST_SPREADS_MS) {
      const bursts: Burst[] = [];
      for (let i = 0; i < options.bursts; i++) {
        const bodies = this.#bodies(options.streams);
        const atStart = server.mainThreadSeconds();
        const searchMs = await this.#open(this.#search, bodies, spreadMs);
        await readers.ask<ReadFigures>({ kind: "finish" });
        const afterSearches = server.mainThreadSeconds();
        const firstEventMs = await this.#open(this.#summary, bodies, spreadMs);
        const afterSummaries = server.mainThreadSeconds();
        await readers.ask({ kind: "leave" });
        await pause(LEAVING_MS);
        bursts.push({
          searchMs,
          firstEventMs,
          mainSecondsOfSearches: afterSearches - atStart,
          mainSecondsOfSummaries: afterSummaries - afterSearches,
        });
      }
      lines.push(burstLine(options.streams, spreadMs, bursts));
    }
    return [...lines, ""];
  }

  /** Searches alone; beside as many streams that don't pass through the server; beside those that do. */
  async round(): Promise<Round> {
    const { readers, server, options, modelOrigin } = this.#parts;
    const window = options.seconds * MEASURED_SHARE;
    const alone = await this.#searchFor(window);

    const direct = { url: `${modelOrigin}/steady/v1/chat/completions`, key: "" };
    const chat = JSON.stringify({ messages: [] });
    const directOpenMs = await this.#open(
      direct,
      Array.from({ length: options.streams }, () => chat),
    );
    const beside = await this.#searchFor(window);
    await readers.ask<ReadFigures>({ kind: "finish" });

    const searchOpenMs = await this.#open(this.#search, this.#bodies(options.streams));
    await readers.ask<ReadFigures>({ kind: "finish" });

    const resident = [server.residentMegabytes()];
    const firstEventMs = await this.#open(this.#summary, this.#bodies(options.streams));
    resident.push(server.residentMegabytes());
    const piecesBefore = await readers.ask<number>({ kind: "pieceCount" });
    const through = await this.#searchFor(window);
    const pieces = (await readers.ask<number>({ kind: "pieceCount" })) - piecesBefore;
    const openAtEnd = await readers.ask<number>({ kind: "openCount" });
    resident.push(server.residentMegabytes());
    const read = await readers.ask<ReadFigures>({ kind: "finish" });
    await pause(CALM_MS);
    resident.push(server.residentMegabytes());
    return {
      alone,
      beside,
      through,
      pieces,
      read,
      openAtEnd,
      directOpenMs,
      searchOpenMs,
      firstEventMs,
      resident,
    };
  }

  #open(target: Target, bodies: readonly string[], spreadMs: number = SPREAD_MS): Promise<readonly number[]> {
    return this.#parts.readers.ask({ kind: "open", target, bodies, spreadMs });
  }

  async #searchFor(seconds: number): Promise<Phase> {
    const { server, searches, options } = this.#parts;
    const cpuBefore = server.cpuSeconds();
    const mainBefore = server.mainThreadSeconds();
    const start = performance.now();
    const { pauseMs } = options;
    const command = { target: this.#search, words: this.#words, seconds, pauseMs };
    const searchMs = await searches.ask<readonly number[]>(command);
    const mainSeconds = server.mainThreadSeconds() - mainBefore;
    const cores = (server.cpuSeconds() - cpuBefore) / ((performance.now() - start) / 1000);
    return { searchMs, cores, mainSeconds };
  }

  #pairs(count: number): Promise<readonly PairFigures[]> {
    const bodies = this.#bodies(count);
    return this.#parts.readers.ask({ kind: "pairs", search: this.#search, summary: this.#summary, bodies });
  }

  /** No two of a run are alike, so that no summary is shared or comes from the cache. */
  #bodies(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      const word = this.#words[this.#asked++ % this.#words.length]!;
      return JSON.stringify({ query: { exact: { ctx: word } } });
    });
  }

  #setMood(mood: ModelMood): Promise<void> {
    const { server, modelOrigin, pieces, options } = this.#parts;
    const summary = { model: "fake-model", character_limit: 2 * pieces * options.pieceCharacters };
    return server.patch(`/index/${INDEX}`, {
      ai_enabled: true,
      ai: { llm_provider: "llamacpp", llm_base_url: `${modelOrigin}/${mood}/v1`, search_summary: summary },
    });
  }
}

function wordsOf(file: string): readonly string[] {
  const titles = gunzipSync(readFileSync(file))
    .toString("utf8")
    .matchAll(/"title":"([^"]*)"/g);
  const words = [...titles].flatMap(([, title]) => title!.toLowerCase().match(/\b[a-z]{6,}\b/g) ?? []);
  return [...new Set(words)];
}
