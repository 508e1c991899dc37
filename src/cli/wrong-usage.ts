import type { Command, CommanderError } from "commander";

/** What is wrong with the words of a command line, in one line, with the command whose help tells the right ones. */
export function wrongUsage(error: CommanderError, program: Command, words: readonly string[]): string {
  return `${usageProblem(error)}; see '${commandAsked(program, words)} --help'`;
}

/** What was used wrongly, in words, without the advice. */
export function usageProblem({ code, message }: CommanderError): string {
  if (code === "commander.help") return "a command is missing";
  return message
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .replace(/ is invalid\. ([Ai])/, (_, first: string) => ` is invalid: ${first.toLowerCase()}`)
    .replace(/\. Expected (.*) but got (\d+)/, ": expected $1, got $2")
    .trim()
    .replace(/\.$/, "");
}

/** The command that the words name, as far as there is one, such as `findling keys create`. */
export function commandAsked(program: Command, words: readonly string[]): string {
  const names = [program.name()];
  let command: Command | undefined = program;
  for (const word of words) {
    command = command.commands.find((subcommand) => subcommand.name() === word);
    if (command === undefined) break;
    names.push(word);
  }
  return names.join(" ");
}
