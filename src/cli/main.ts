#!/usr/bin/env node
import { CommanderError } from "commander";
import { describeFailure } from "./describe-failure.js";
import { EXIT } from "./exit-codes.js";
import { createProgram } from "./program.js";
import { heedReaders } from "./terminal/standard-streams.js";
import { usageProblem, wrongUsage } from "./wrong-usage.js";

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
    const line = wrongUsage(thrown, program, process.argv.slice(2));
    report({ code: "usage", message: usageProblem(thrown) }, `findling: ${line}`);
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

function report(error: object, line: string): void {
  process.stderr.write(isJson ? `${JSON.stringify({ error })}\n` : `${line}\n`);
}
