/** Completions know every command and option of the program; bash completes by them as typed. */
import { execFileSync } from "node:child_process";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../program.js";
import { completionScript, SHELLS } from "./completions-command.js";

/** What bash would offer at the end of a line. */
function offered(line: string): string[] {
  const words = line.split(" ");
  const script = `${completionScript("bash", createProgram())}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_findling; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n");
}

function names(command: Command): string[] {
  return [...command.commands.map((each) => each.name()), ...command.options.map(({ long }) => long!)];
}

test("bash offers every command and option where it belongs", () => {
  const program = createProgram();
  const commands = program.commands.map((each) => each.name());
  expect(offered("findling ")).toEqual(expect.arrayContaining(commands));
  for (const command of program.commands)
    expect(offered(`findling ${command.name()} `), command.name()).toEqual(
      expect.arrayContaining(names(command)),
    );
});

test("only what begins as the word does is offered, also behind options and their values", () => {
  expect(offered("findling imp")).toEqual(["import"]);
  expect(offered("findling keys cre")).toEqual(["create"]);
  expect(offered("findling import films.csv --index films --skip")).toEqual(["--skip-bad"]);
});

test.each(SHELLS)("%s gets all of them", (shell) => {
  const script = completionScript(shell, createProgram());
  for (const command of createProgram().commands) {
    expect(script).toContain(command.name());
    for (const { long } of command.options) expect(script).toContain(long!.slice(2));
  }
});
