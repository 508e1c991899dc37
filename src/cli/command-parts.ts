import { type Command, InvalidArgumentError } from "commander";
import { Output } from "./terminal/output.js";

/** A subcommand that reports mistakes the way the program does. */
export function command(parent: Command, name: string): Command {
  return parent.command(name).showHelpAfterError(false);
}

/** Called after a command's own options, which its help then shows first. */
export function connectionOptions(target: Command): Command {
  return target
    .option("--json", "print JSON for scripts")
    .optionsGroup("Which server:")
    .option("--url <url>", "the server (default: FINDLING_URL, else http://127.0.0.1:8000)")
    .option(
      "--key <key>",
      "access key (default: FINDLING_ADMIN_KEY, FINDLING_KEY, else a local server's own)",
    )
    .option("--data-dir <folder>", "data folder of a local server, to take its admin key from");
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

export function output(options: { readonly json?: boolean }): Output {
  return new Output(options.json === true);
}

/** Loads a module of commands only when one of them runs, which gets the operands, the options, and where to write. */
export function lazily<Commands>(
  load: () => Promise<Commands>,
): (choose: (commands: Commands) => (...given: never[]) => Promise<void>) => Action {
  return (choose) =>
    async (...given) => {
      // Behind the options comes the command itself.
      const [options] = given.slice(-2) as [{ readonly json?: boolean }];
      const run = choose(await load()) as Action;
      await run(...given.slice(0, -2), options, output(options));
    };
}

type Action = (...given: unknown[]) => Promise<void>;

export function positiveInteger(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError("it must be at least 1.");
  return number;
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError("it must be a whole number.");
  return number;
}
