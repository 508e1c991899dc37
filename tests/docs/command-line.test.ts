// Property: docs/command-line.md has a row for every command there is, and for no other.
import type { Command } from "commander";
import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.js";
import { createProgram } from "../../src/cli/program.js";
import { readPage } from "./manual-pages.js";

/** Commands that do something by themselves. */
function commandsIn(command: Command, path: string): readonly string[] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((each) => commandsIn(each, `${path} ${each.name()}`));
}

test("every command and exit status is in docs/command-line.md", () => {
  const rows = readPage("docs/command-line.md").text.split("\n");
  const shown = rows.flatMap((row) => /^\| `(findling [a-z ]+)` \|/.exec(row)?.[1] ?? []);
  expect(shown.toSorted()).toEqual(commandsIn(createProgram(), "findling").toSorted());
  const statuses = rows.flatMap((row) => /^\| (\d+) \|/.exec(row)?.[1] ?? []);
  expect(statuses.map(Number)).toEqual(Object.values(EXIT));
});
