// Properties: what a file is written in is found out by its first bytes, and each file reads the same whatever that is.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ImportSource } from "./import-source.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-guesses-"));
});
afterAll(() => rm(folder, { recursive: true }));

const ROWS = [
  { id: "1", name: "Käse, alt", price: "1.234,56" },
  { id: "2", name: "a;b", price: "2" },
];

function csv(delimiter: string, before = ""): string {
  const quoted = (cell: string) => (/[,;|\t]/.test(cell) ? `"${cell}"` : cell);
  const rows = [Object.keys(ROWS[0]!), ...ROWS.map((row) => Object.values(row))];
  return before + rows.map((row) => `${row.map(quoted).join(delimiter)}\r\n`).join("");
}

const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

async function read(content: string | Uint8Array, options: { encoding?: string; delimiter?: string } = {}) {
  const path = join(folder, "goods.csv");
  await writeFile(path, content);
  const told: string[] = [];
  const source = new ImportSource({
    files: [path],
    onRename: (column, field) => told.push(`${column}: ${field}`),
    onGuess: (guess) => told.push(guess.replace(path, "it")),
    ...options,
  });
  const documents: unknown[] = [];
  for await (const group of source.records())
    for (const { parsed } of group)
      documents.push(parsed.problem === undefined ? parsed.document : parsed.problem);
  return { documents, told };
}

it.each([
  ["commas", csv(","), []],
  ["semicolons", csv(";"), ["it has ';' between its cells; --delimiter names another"]],
  ["tabs", csv("\t"), ["it has tabs between its cells; --delimiter names another"]],
  ["bars", csv("|"), ["it has '|' between its cells; --delimiter names another"]],
  ["a line that says so", csv("^", "sep=^\r\n"), ["it has '^' between its cells; --delimiter names another"]],
  ["a mark of UTF-8", `\ufeff${csv(",")}`, []],
  [
    "UTF-16",
    Buffer.from(`\ufeff${csv(",")}`, "utf16le"),
    ["it is utf-16le by its first bytes; --encoding names another"],
  ],
  [
    "UTF-16 of the other order, packed",
    gzipSync(bigEndian(`\ufeff${csv(",")}`)),
    ["it is utf-16be by its first bytes; --encoding names another"],
  ],
] as const)("reads CSV with %s", async (_, content, told) => {
  expect(await read(content)).toEqual({ documents: ROWS, told });
});

it("reads what it is told, and says nothing of it", async () => {
  const content = Buffer.from(csv(";"), "latin1");
  const asked = { encoding: "windows-1252", delimiter: ";" };
  expect(await read(content, asked)).toEqual({ documents: ROWS, told: [] });
});

it("numbers columns of one name", async () => {
  expect(await read("a,b,a,a_2\n1,2,3,4\n")).toEqual({
    documents: [{ a: "1", b: "2", a_2: "3", a_2_2: "4" }],
    told: ["a: a_2", "a_2: a_2_2"],
  });
});

it("names a file whose bytes are not of its encoding", async () => {
  const cut = Buffer.concat([Buffer.from("\ufeffa,b\n", "utf16le"), Buffer.from([0])]);
  await expect(read(cut)).rejects.toThrow("its bytes are not utf-16le");
});
