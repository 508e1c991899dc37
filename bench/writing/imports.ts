/** `npm run bench -- imports`: a table imported as CSV beside the same documents as NDJSON, by the command line, in turns. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { debianCorpus, lines } from "../corpus.js";
import { median } from "../statistics.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "./figure-rows.js";

export interface ImportsOptions {
  /** Documents of each file; the corpus's over and over, each with an id of its own. */
  readonly docs: number;
  /** Times that each file is imported. */
  readonly rounds: number;
  readonly dist: string;
}

const GOAL = 0.8;
/** What stands between the values of one cell, and in no value. */
const SEPARATOR = "|";
const FORMATS = ["ndjson", "csv"] as const;
type Format = (typeof FORMATS)[number];

type Definition = { readonly type: string; readonly multi?: boolean };

interface Cost {
  readonly seconds: number;
  /** What the server and the command line took together. */
  readonly cpuSeconds: number;
}

/** Each import is by a process of its own into an index of its own, on one server, and deleted afterwards. */
export async function benchmarkImports({ docs, rounds, dist }: ImportsOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-imports-"));
  try {
    const schema = writeSchema(folder);
    await writeFiles(folder, docs, Object.keys(schema.fields));
    const server = await ServerUnderTest.start({
      dist: resolve(dist),
      dataFolder: join(folder, "data"),
      profile: undefined,
      environment: {},
    });
    const costs: Record<Format, Cost[]> = { ndjson: [], csv: [] };
    try {
      // The first one has code to be compiled.
      for (let round = -1; round < rounds; round++) {
        for (const format of round % 2 === 0 ? FORMATS : [...FORMATS].reverse()) {
          const cost = await imported(server, { folder, format, dist, index: `${format}-${round + 1}` });
          if (round >= 0) costs[format].push(cost);
        }
      }
    } finally {
      await server.stop();
    }
    console.log([`\n${docs} documents\n`, ...TABLE_HEAD, ...rowsOf(costs, folder, docs)].join("\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(costs: Record<Format, Cost[]>, folder: string, docs: number): readonly string[] {
  const share = (of: (cost: Cost) => number): number =>
    median(costs.ndjson.map((cost, round) => of(cost) / of(costs.csv[round]!)));
  const [rate, cpu] = [share(({ seconds }) => seconds), share(({ cpuSeconds }) => cpuSeconds)];
  return [
    ...FORMATS.map((format) => {
      const seconds = median(costs[format].map((cost) => cost.seconds));
      const processor = median(costs[format].map((cost) => cost.cpuSeconds));
      const size = megabytes(statSync(join(folder, `documents.${format}`)).size);
      return row(
        `${format}, ${size}`,
        `${(docs / seconds).toFixed(0)} documents a second, ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time`,
      );
    }),
    row(
      `rate of CSV beside NDJSON's (goal ${GOAL})`,
      `${rate.toFixed(2)} by the clock (${rate >= GOAL ? "held" : "missed"}), ${cpu.toFixed(2)} by processor time`,
    ),
  ];
}

/** Lists stand in one cell of CSV; both formats go into an index of the same schema. */
function writeSchema(folder: string): { readonly fields: Readonly<Record<string, Definition>> } {
  const path = fileURLToPath(new URL("../../demo/packages.schema.json", import.meta.url));
  const schema = JSON.parse(readFileSync(path, "utf8")) as { readonly fields: Record<string, Definition> };
  for (const [name, definition] of Object.entries(schema.fields))
    if (definition.multi === true)
      schema.fields[name] = { ...definition, coerce: true, separator: SEPARATOR } as Definition;
  writeFileSync(join(folder, "schema.json"), JSON.stringify(schema));
  return schema;
}

async function writeFiles(folder: string, docs: number, names: readonly string[]): Promise<void> {
  const corpus: Record<string, unknown>[] = [];
  for await (const line of lines(debianCorpus().file)) {
    const all = JSON.parse(line) as Record<string, unknown>;
    corpus.push(Object.fromEntries(names.flatMap((name) => (name in all ? [[name, all[name]]] : []))));
    if (corpus.length === docs) break;
  }
  const files = FORMATS.map((format) => createWriteStream(join(folder, `documents.${format}`)));
  const [ndjson, csv] = files as [(typeof files)[0], (typeof files)[0]];
  csv.write(`${names.join(",")}\n`);
  for (let at = 0; at < docs; at++) {
    const document: Record<string, unknown> = { ...corpus[at % corpus.length]!, id: `package-${at}` };
    ndjson.write(`${JSON.stringify(document)}\n`);
    const isFull = !csv.write(`${names.map((name) => cellOf(document[name])).join(",")}\n`);
    if (isFull) await once(csv, "drain");
  }
  await Promise.all(files.map((file) => once(file.end(), "close")));
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = Array.isArray(value) ? value.join(SEPARATOR) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function imported(
  server: ServerUnderTest,
  { folder, format, dist, index }: { folder: string; format: Format; dist: string; index: string },
): Promise<Cost> {
  const flags = [
    "--index",
    index,
    "--schema",
    join(folder, "schema.json"),
    "--url",
    server.url,
    "--key",
    KEY,
  ];
  const command = [resolve(dist, "cli/main.js"), "import", join(folder, `documents.${format}`), ...flags];
  const [start, serverCpu, ownCpu] = [performance.now(), server.cpuSeconds(), childrenCpuSeconds()];
  const child = spawn(process.execPath, [...command, "--yes", "--json"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the import of ${format} ended with ${code}`);
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = server.cpuSeconds() - serverCpu + childrenCpuSeconds() - ownCpu;
  const headers = { authorization: KEY };
  const answer = await fetch(`${server.url}/index/${index}`, { method: "DELETE", headers });
  if (!answer.ok) throw new Error(await answer.text());
  return { seconds, cpuSeconds };
}

/** Processor time of children that have ended: fields 16 and 17 of proc(5)'s stat. */
function childrenCpuSeconds(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
