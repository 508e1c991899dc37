import type { Command } from "commander";

/** Shells that can be given completions. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command with what may follow it. */
interface Completed {
  /** Names from the program's on, without that. */
  readonly path: readonly string[];
  readonly description: string;
  /** Long names, with what they are for. */
  readonly options: readonly { readonly name: string; readonly description: string }[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

/** The script that a shell is to read for its completions: all commands and options of the program. */
export function completionScript(shell: Shell, program: Command): string {
  const completed = completedOf(program, []);
  const scripts = { bash, zsh, fish };
  return scripts[shell](completed);
}

function completedOf(command: Command, path: readonly string[]): Completed[] {
  const options = command.options.flatMap(({ long, description }) =>
    typeof long === "string" ? [{ name: long, description }] : [],
  );
  const commands = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  const help = { name: "--help", description: "what it does" };
  return [
    { path, description: command.description(), options: [...options, help], commands },
    ...command.commands.flatMap((each) => completedOf(each, [...path, each.name()])),
  ];
}

/** Words that aren't options, in order, are the command's path as far as they are commands. */
function bash(completed: readonly Completed[]): string {
  const cases = completed.map(({ path, options, commands }) => {
    const words = [...commands, ...options].map(({ name }) => name).join(" ");
    return `    "${path.join(" ")}") words="${words}" ;;`;
  });
  const paths = completed.map(({ path }) => `"${path.join(" ")}"`).join("|");
  return `_findling() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" next word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${paths}) path="$next" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _findling findling
`;
}

/** Zsh reads completions of bash. */
function zsh(completed: readonly Completed[]): string {
  return `#compdef findling
autoload -U +X bashcompinit && bashcompinit
${bash(completed)}`;
}

function fish(completed: readonly Completed[]): string {
  const lines = completed.flatMap(({ path, options, commands }) => {
    const condition = conditionOf(
      path,
      commands.map(({ name }) => name),
    );
    return [
      ...commands.map(({ name, description }) => fishLine(condition, `-f -a ${name}`, description)),
      ...options.map(({ name, description }) => fishLine(condition, `-l ${name.slice(2)}`, description)),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** All words of the path have been typed, and none of the commands that may follow. */
function conditionOf(path: readonly string[], following: readonly string[]): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const missing = following.length === 0 ? [] : [`not __fish_seen_subcommand_from ${following.join(" ")}`];
  const conditions = [...seen, ...missing];
  return conditions.length === 0 ? "true" : conditions.join("; and ");
}

function fishLine(condition: string, what: string, description: string): string {
  return `complete -c findling -n '${condition}' ${what} -d '${description.replaceAll("'", "\\'")}'`;
}
