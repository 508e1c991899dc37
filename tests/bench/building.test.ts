/**
 * Only the second index of a process counts in a warmed build, the small one before it doesn't; engines take
 * turns in alternating order; nothing but what is kept stays on disk. The table of goals sets warmed beside
 * warmed and first beside first.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { timeBuilding } from "../../bench/peers/building-rounds.js";
import type { AvailableEngine } from "../../bench/peers/engine-program.js";
import { RowsOfFile } from "../../bench/peers/runners/rows-of-file.js";

const DOCUMENTS = 10_500;
const FIRST_CPU_SECONDS = 0.4;

/** Says as seconds how many lines it was given; a process's first build takes processor time, others none. */
const ENGINE = `
  const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
  let built = 0;
  const spent = () => { const { user, system } = process.cpuUsage(); return user + system; };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { cmd, input, dir } = JSON.parse(line);
    if (cmd === "quit") process.exit();
    while (built === 0 && spent() < ${FIRST_CPU_SECONDS * 1e6});
    built++;
    const lines = readFileSync(input, "utf8").split("\\n").length - 1;
    writeFileSync(dir + "/index", process.env.ENGINE);
    appendFileSync(process.env.LOG, process.env.ENGINE + lines + "\\n");
    process.stdout.write(JSON.stringify({ build_s: lines }) + "\\n");
  });`;

describe("building is timed", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "findling-building-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const engine = (name: string): AvailableEngine => ({
    name,
    command: [process.execPath, "-e", ENGINE],
    environment: { ENGINE: name, LOG: join(folder, "log") },
    buildKey: "1",
  });

  test("in turns, as the first and after a small one, and only what is kept stays", async () => {
    const input = join(folder, "input.jsonl");
    writeFileSync(input, '{"t":"a","n":1,"f":[]}\n'.repeat(DOCUMENTS));
    const figures = await timeBuilding([engine("a"), engine("b")], input, 2, {
      scratch: folder,
      keep: (program, index) => {
        if (program.name === "a") renameSync(index, join(folder, "kept"));
      },
    });
    const first = ["a10500", "b10500"];
    const warmed = [
      ["a10000", "a10500"],
      ["b10000", "b10500"],
    ];
    expect(readFileSync(join(folder, "log"), "utf8").trim().split("\n")).toEqual([
      ...first,
      ...warmed.flat(),
      ...first.toReversed(),
      ...warmed.toReversed().flat(),
    ]);
    expect(readFileSync(join(folder, "kept", "index"), "utf8")).toBe("a");
    expect(readdirSync(folder).toSorted()).toEqual(["input.jsonl", "kept", "log"]);
    for (const name of ["a", "b"]) {
      const { rounds, first: cold, warmed: warm } = figures.get(name)!;
      expect([rounds, warm.seconds]).toEqual([2, DOCUMENTS]);
      // From the process's start on, which the engine's own time leaves out.
      expect(cold.seconds).toBeLessThan(DOCUMENTS / 2);
      expect(cold.seconds).toBeGreaterThan(FIRST_CPU_SECONDS / 2);
      if (process.platform !== "linux") continue;
      expect(cold.cpuSeconds).toBeGreaterThan(FIRST_CPU_SECONDS / 2);
      expect(warm.cpuSeconds).toBeLessThan(FIRST_CPU_SECONDS / 2);
    }
  });
});

describe("rows of the input", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "findling-rows-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test.each(["", "\n"])("come whole and in order, whatever their length; last line ends with %j", (end) => {
    const rows = [10, 700_000, 3, 5_000_000, 1, 400_000].map((length, n) => ({
      t: "ß".repeat(length),
      n,
      f: [],
    }));
    const file = join(folder, "rows.jsonl");
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n") + end);
    const reader = new RowsOfFile(file);
    for (const { t, n } of rows) {
      const row = reader.next();
      expect([row?.t.length, row?.n]).toEqual([t.length, n]);
    }
    expect(reader.next()).toBeNull();
    reader.close();
  });
});
