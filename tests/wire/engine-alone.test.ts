// Property: the engine as a library needs nothing but the package's own files: no npm package to run without stemming,
// none for its types, not even Node's.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROJECT } from "../cli/cli-harness.js";

const run = promisify(execFile);

const PROGRAM = `
import { FindlingError, Index } from "findling/engine";

const films = await Index.openOrCreate("films", { title: "text", year: "u64" });
await films.add([{ title: "The Third Man", year: 1949 }]);
await films.commit();
const { hits } = films.search("thrid man", { mode: "fuzzy", highlight: true });
console.log(hits[0]!.document["title"], hits[0]!.highlights!["title"]);
await films.close();
if (FindlingError.length > 9) throw new Error();
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-alone-"));
  const installed = join(folder, "node_modules/findling");
  mkdirSync(installed, { recursive: true });
  cpSync(join(PROJECT, "package.json"), join(installed, "package.json"));
  // What the package's engine is made of; the console, the manual and the server's own parts stay out.
  for (const name of [
    "engine",
    "library",
    "adapters/embedded",
    "analysis",
    "contract",
    "errors",
    "intake",
    "json",
    "query",
    "ports",
  ])
    cpSync(join(PROJECT, "dist", name), join(installed, "dist", name), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(
    join(folder, "program.js"),
    PROGRAM.replaceAll("]!", "]").replaceAll("highlights!", "highlights"),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(existsSync(join(PROJECT, "dist/library/index.js")))("in a folder without any package", () => {
  test("it runs", async () => {
    const { stdout, stderr } = await run(process.execPath, ["program.js"], { cwd: folder });
    expect(stderr).toBe("");
    expect(stdout).toBe("The Third Man [ 'The <em>Third</em> <em>Man</em>' ]\n");
    expect(readdirSync(join(folder, "node_modules"))).toEqual(["findling"]);
  });

  test("its types stand alone", async () => {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: "nodenext",
      target: "es2023",
      // As it is where nothing is said: WebAssembly is among what browsers have.
      lib: ["es2023", "dom"],
      types: [],
      skipLibCheck: false,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const compiler = join(PROJECT, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }, 180_000);
});
