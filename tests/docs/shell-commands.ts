/** The commands that pages show: which programs they call with which arguments, without calling any. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block } from "./manual-pages.js";

/** What a `sh` or `console` block has somebody type; empty if it only shows what is printed. */
export function scriptsOf({ info, text }: Block): readonly string[] {
  if (info === "sh") return [text];
  if (info !== "console") return [];
  const scripts: string[] = [];
  for (const line of text.split("\n")) {
    const last = scripts.at(-1);
    if (line.startsWith("$ ")) scripts.push(line.slice("$ ".length));
    else if (last !== undefined && isQuoteOpen(last)) scripts.push(`${scripts.pop()}\n${line}`);
  }
  return scripts;
}

function isQuoteOpen(script: string): boolean {
  return (script.match(/'/g)?.length ?? 0) % 2 === 1;
}

/** With no program to be found, bash hands every call to this instead. */
const RECORDED = `command_not_found_handle() { printf '%s\\0' "$@" END-OF-CALL >> "$CALLS"; }`;

/**
 * Each call of a program that a script makes.
 *
 * @throws Error with what bash says of its grammar
 */
export function callsOf(script: string): readonly (readonly string[])[] {
  const home = mkdtempSync(join(tmpdir(), "findling-calls-"));
  try {
    // Folders that scripts write to.
    for (const folder of [".zfunc", ".config/fish/completions"])
      mkdirSync(join(home, folder), { recursive: true });
    const calls = join(home, "calls");
    const { status, stderr, error } = spawnSync("/bin/bash", ["--norc", "-c", `${RECORDED}\n${script}`], {
      cwd: home,
      env: { PATH: "/nowhere", HOME: home, CALLS: calls },
      encoding: "utf8",
    });
    if (error !== undefined) throw error;
    if (status !== 0 || stderr !== "") throw new Error(`${script}\nfails with ${status}: ${stderr}`);
    return readFileSync(calls, "utf8")
      .split("\0END-OF-CALL\0")
      .slice(0, -1)
      .map((call) => call.split("\0"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
