/**
 * Properties: blocks of the README and the manual that aren't requests are right as well. Scripts are bash's grammar, and
 * call commands of this command line with options that it has, and npm scripts that there are; so does what stands
 * between backquotes. JSON and YAML can be read, settings are settings, alerts name metrics that there are.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createProgram } from "../../src/cli/program.js";
import { loadConfiguration } from "../../src/config/index.js";
import { manualPages, PROJECT, proseOf, readPage } from "./manual-pages.js";
import { callsOf, scriptsOf } from "./shell-commands.js";

const tops = readdirSync(PROJECT).filter((name) => name.endsWith(".md"));
const others = ["bench/README.md", "examples/README.md", "packages/client/README.md"];
const pages = [...tops, ...others].map(readPage).concat(manualPages());

/** What may be missing in a command that prose only names. */
const LEFT_OUT = [
  "commander.missingArgument",
  "commander.missingMandatoryOptionValue",
  "commander.optionMissingArgument",
];

/** @returns what the command line says against these arguments; null if nothing */
async function problemOf(parameters: readonly string[], isNamedOnly: boolean): Promise<string | null> {
  const program = createProgram();
  doNothing(program);
  try {
    await program.parseAsync([...parameters], { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || (isNamedOnly && LEFT_OUT.includes(error.code))) return null;
    // A group of commands, named as such.
    if (isNamedOnly && error.code === "commander.help") return null;
    return `findling ${parameters.join(" ")}: ${error.message}`;
  }
}

function doNothing(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  for (const each of command.commands) doNothing(each);
}

const { scripts: npmScripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const NPM_ITSELF = ["ci", "cit", "install", "pack", "publish", "ls", "i"];

async function problemsOf(script: string, isNamedOnly: boolean): Promise<readonly string[]> {
  const problems = callsOf(script).map(async ([program, ...parameters]) => {
    const isByNpx = program === "npx" && parameters[0] === "findling";
    if (program === "findling" || isByNpx) return problemOf(parameters.slice(isByNpx ? 1 : 0), isNamedOnly);
    if (program !== "npm") return null;
    const [command = "", name = ""] = parameters;
    const isThere = command === "run" ? Object.hasOwn(npmScripts, name) : Object.hasOwn(npmScripts, command);
    return isThere || NPM_ITSELF.includes(command) ? null : `npm ${parameters.join(" ")}: no such script`;
  });
  return (await Promise.all(problems)).filter((problem) => problem !== null);
}

describe.each(pages)("$path", ({ path, text, blocks }) => {
  test("scripts call what there is", async () => {
    for (const block of blocks)
      for (const script of scriptsOf(block))
        expect([`${path}:${block.line}`, ...(await problemsOf(script, false))]).toEqual([
          `${path}:${block.line}`,
        ]);
  });

  test("commands within sentences are commands", async () => {
    const prose = proseOf({ path, text, blocks });
    const named = [...prose.matchAll(/`((?:npx )?findling [a-z][^`…|]*|npm (?:run )?[a-z][^`…|]*)`/g)];
    for (const [, command] of named) expect(await problemsOf(command!, true)).toEqual([]);
  });

  test("JSON and YAML can be read", () => {
    for (const block of blocks.filter(({ info }) => /^(json|yaml)\b/.test(info))) {
      const read = () => (block.info === "yaml" ? parse(block.text) : JSON.parse(block.text)) as unknown;
      expect(read, `${path}:${block.line}`).not.toThrow();
    }
  });
});

test("the configuration file has settings that there are", () => {
  const [block] = readPage("docs/configuration.md").blocks.filter(({ info }) => info === "yaml");
  const folder = mkdtempSync(join(tmpdir(), "findling-settings-"));
  try {
    const file = join(folder, "findling.yaml");
    writeFileSync(file, block!.text);
    expect(loadConfiguration({ env: {}, file })).toMatchObject({ port: 9000, logFormat: "text" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Metrics that Prometheus' expressions name and docs/monitoring.md, which has every one that there is, doesn't. */
function unknownMetrics(expressions: readonly string[]): readonly string[] {
  const { text } = readPage("docs/monitoring.md");
  const known = [...text.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, name]) => name!);
  const named = expressions.flatMap((expr) => expr.match(/\b(?:findling|nodejs|process)_[a-z_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  return named.filter(
    (name) => !known.includes(name) && !known.includes(name.replace(/_(count|bucket|sum)$/, "")),
  );
}

test("alerts are about metrics that there are", () => {
  const { blocks } = readPage("docs/monitoring.md");
  const rules = blocks.find((block) => block.text.startsWith("groups:"))!;
  const { groups } = parse(rules.text) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const expressions = groups.flatMap((group) => group.rules).map(({ expr }) => expr);
  expect(unknownMetrics(expressions)).toEqual([]);
});

test("every panel of the Grafana dashboard draws metrics that there are", () => {
  const { panels } = JSON.parse(readPage("deploy/grafana-dashboard.json").text) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const expressions = panels.map(({ targets }) => targets.map(({ expr }) => expr));
  for (const [i, { title }] of panels.entries())
    expect([title, expressions[i]!.every((expr) => /\b(?:findling|nodejs|process)_/.test(expr))]).toEqual([
      title,
      true,
    ]);
  expect(unknownMetrics(expressions.flat())).toEqual([]);
});
