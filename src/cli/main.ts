#!/usr/bin/env node
import { type Command, CommanderError } from "commander";
import { describeFailure } from "./describe-failure.js";
import { EXIT } from "./exit-codes.js";
import { createProgram } from "./program.js";
import { heedReaders } from "./terminal/standard-streams.js";

const program = createProgram();
const isJson = process.argv.includes("--json");

const isUnread = heedReaders();
try {
  await program.parseAsync(process.argv);
} catch (thrown) {
  const status = isUnread(thrown) ? EXIT.ok : reportFailure(thrown);
  if (status !== EXIT.ok) process.exitCode = status;
}

/** One line on standard error, as JSON for scripts; the status to exit with. */
function reportFailure(thrown: unknown): number {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return EXIT.ok;
    // A command that only has subcommands has shown its help; there is nothing to add.
    if (thrown.code === "commander.help" && !isJson) return EXIT.usage;
    const message =
      thrown.code === "commander.help"
        ? "a command is missing"
        : thrown.message
            .replace(/^error: /, "")
            .replaceAll(/\s+/g, " ")
            .trim()
            .replace(/\.$/, "");
    report({ code: "usage", message }, `findling: ${message}; see '${commandAsked()} --help'`);
    return EXIT.usage;
  }
  const failure = describeFailure(thrown);
  report(
    {
      code: failure.code,
      message: failure.message,
      ...(failure.errors.length > 0 && { errors: failure.errors }),
    },
    `findling: ${failure.message}`,
  );
  return failure.exitCode;
}

/** The command that the words name, as far as there is one, such as `findling keys create`. */
function commandAsked(): string {
  const names = [program.name()];
  let command: Command | undefined = program;
  for (const word of process.argv.slice(2)) {
    command = command.commands.find((subcommand) => subcommand.name() === word);
    if (command === undefined) break;
    names.push(word);
  }
  return names.join(" ");
}

function report(error: object, line: string): void {
  process.stderr.write(isJson ? `${JSON.stringify({ error })}\n` : `${line}\n`);
}
