import { readFileSync } from "node:fs";
import { Argument, Command, Option } from "commander";
import { CliError } from "./cli-error.js";
import {
  command,
  connectionOptions,
  examples,
  lazily,
  output,
  positiveInteger,
  wholeNumber,
} from "./command-parts.js";
import { EXIT_CODES_HELP } from "./exit-codes.js";
import { addResources } from "./resource-commands.js";
import { Output } from "./terminal/output.js";
import { commandAsked } from "./wrong-usage.js";

/**
 * The commands and their options. What a command does is loaded only when it runs, so that help and
 * mistakes are answered at once.
 */
export function createProgram(): Command {
  const program = new Command("findling")
    .description("A search server with its own full-text engine, and the tools around it.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError()
    .helpCommand(false)
    .addHelpText(
      "after",
      `\n${EXIT_CODES_HELP}\n\nA first minute, in two terminals:\n  findling serve\n  findling demo`,
    );
  addServe(program);
  addImport(program);
  addSync(program);
  addReindex(program);
  addExport(program);
  addSearch(program);
  addResources(program);
  addKeys(program);
  addDemo(program);
  addCheck(program);
  addDoctor(program);
  addAdopt(program);
  addBackup(program);
  addMove(program);
  addInspect(program);
  addConfig(program);
  addCompletions(program);
  addHelp(program);
  return program;
}

/** Commander's own shows all commands for one that there isn't, and knows no commands of commands. */
function addHelp(program: Command): void {
  program
    .command("help")
    .description("display help for a command")
    .argument("[command...]")
    .action((names: readonly string[]) => {
      let shown = program;
      for (const name of names) {
        const found = shown.commands.find((each) => each.name() === name);
        if (found === undefined)
          throw new CliError(
            "usage",
            `unknown command '${name}'; see '${commandAsked(program, names)} --help'`,
          );
        shown = found;
      }
      shown.outputHelp();
    });
}

function addServe(program: Command): void {
  serverOptions(command(program, "serve"))
    .description("start the server and run until it is asked to stop")
    .addHelpText(
      "after",
      examples(
        "findling serve",
        "findling serve --port 9000 --data-dir /var/lib/findling",
        "FINDLING_HOST=0.0.0.0 findling serve --config findling.yaml",
      ),
    )
    .action(async (options) =>
      (await import("./commands/serve-command.js")).runServe(options, new Output(options.json === true)),
    );
}

function addImport(program: Command): void {
  const target = command(program, "import")
    .description("load documents from NDJSON, JSON, CSV, Excel or Parquet, plain or gzip")
    .argument("<file...>", "files in this order; - is standard input")
    .requiredOption("--index <name>", "the index; made from the documents if it doesn't exist")
    .option("--schema <file>", "make the index by this JSON file instead of guessing")
    .option("--primary-key <field>", "documents with the same value replace those of before")
    .option("--replace", "put the documents in the place of all that the index has, in one commit")
    .option("--dry-run", "read everything, show the guessed schema, send nothing")
    .option("--yes", "make the index without asking")
    .option("--skip-bad", "leave out documents that can't be read or are refused, instead of stopping")
    .option("--commit-every <documents>", "documents between commits", positiveInteger, 50_000)
    .option("--resume", "go on after the last committed document of an import that stopped")
    .option("--resume-after <documents>", "go on after this many documents of the input", wholeNumber)
    .option("--restart", "forget an import that stopped and import everything")
    .option("--state <file>", "progress file (default: .findling-import-NAME.json beside the first file)")
    .option(...RETRY_SECONDS);
  connectionOptions(inputOptions(target))
    .addHelpText(
      "after",
      examples(
        "findling import films.ndjson.gz --index films",
        "findling import prices.csv --index prices --encoding windows-1252 --skip-bad",
        "zcat dump.gz | findling import - --index dump --schema dump-schema.json",
      ),
    )
    .addHelpText(
      "after",
      "\nWhile it runs, an import owns the index's transaction: its commits apply, and its rollbacks drop,\nwhat others have pending.",
    )
    .action(lazily(() => import("./commands/import-command.js"))((commands) => commands.runImport));
}

function addReindex(program: Command): void {
  const target = command(program, "reindex")
    .description("fill a new index with the documents of another one, and give it that one's alias")
    .argument("<index>", "the index whose documents are copied, which stays as it is")
    .requiredOption("--into <name>", "the index that is made")
    .option("--schema <file>", "make it by this JSON file (default: as the other one is)")
    .option("--swap <alias...>", "aliases of the one that stand for the other at the end, all or none")
    .option("--restart", "delete the new index first, if it is there")
    .option("--skip-bad", "leave out documents that the new index refuses, instead of stopping")
    .option("--drop-unstored", "go on without values that aren't stored, which can't be copied")
    .option("--dry-run", "read everything as the new index would, send nothing")
    .option(...RETRY_SECONDS);
  connectionOptions(target)
    .addHelpText(
      "after",
      examples(
        "findling reindex products_v6 --into products_v7 --schema v7.json --swap products",
        "findling reindex products_v6 --into products_v7 --schema v7.json --dry-run",
      ),
    )
    .action(lazily(() => import("./commands/reindex-command.js"))((commands) => commands.runReindex));
}

function addSync(program: Command): void {
  const target = command(program, "sync")
    .description("make an index equal to a source by primary key: add, replace, delete what is gone")
    .argument("[source...]", "files, or folders of files")
    .requiredOption("--index <name>", "the index; made from the documents if it doesn't exist")
    .option("--primary-key <field>", "tells documents apart (default: the index's own)")
    .option("--command <command>", "instead of files: its output, if it ends with status 0")
    .option(
      "--max-deletes <number>",
      "refuse, with nothing changed, if more would go; 5% of all, or a number",
    )
    .option("--allow-empty", "delete everything where the source holds no document")
    .option("--skip-bad", "leave out documents that can't be read, and delete nothing")
    .option("--dry-run", "show what would be done, change nothing")
    .option("--schema <file>", "make the index by this JSON file instead of guessing")
    .option(...RETRY_SECONDS);
  connectionOptions(inputOptions(target))
    .addHelpText(
      "after",
      examples(
        "findling sync products.csv --index products --primary-key sku --max-deletes 5%",
        "findling sync exports/ --index products --dry-run",
        "findling sync --command 'psql -c \"COPY products TO STDOUT CSV HEADER\" shop' --index products",
      ),
    )
    .action(lazily(() => import("./commands/sync-command.js"))((commands) => commands.runSync));
}

const RETRY_SECONDS = [
  "--retry-seconds <seconds>",
  "how long to wait for a busy or missing server (default: 120)",
  wholeNumber,
] as const;

/** How files are read. */
function inputOptions(target: Command): Command {
  return target
    .addOption(
      new Option("--format <format>", "instead of telling it from name and content").choices([
        "ndjson",
        "json",
        "csv",
      ]),
    )
    .option("--delimiter <character>", "between the cells of CSV (default: as the first rows look)")
    .option("--records <member>", "the list of documents in a JSON object, such as products or hits.hits")
    .option("--sheet <name>", "of an Excel file, or its number (default: the first that is shown)")
    .option("--as-is", "take JSON records as they are, whatever export they look like")
    .option("--encoding <name>", "such as windows-1252 (default: by the first bytes, else UTF-8)");
}

function addExport(program: Command): void {
  const target = command(program, "export")
    .description("write an index's documents (their stored fields) as NDJSON")
    .argument("<index>")
    .option("--query <query>", "only what matches, in the query language", "*")
    .option("--out <file>", "instead of standard output; appears when complete")
    .option("--gzip", "compress (default for a file that ends in .gz)");
  connectionOptions(target)
    .addHelpText(
      "after",
      examples(
        "findling export films --out films.ndjson.gz",
        "findling export films --query 'year:>=1990 AND genre:/comedy' > nineties.ndjson",
      ),
    )
    .action(lazily(() => import("./commands/export-command.js"))((commands) => commands.runExport));
}

function addSearch(program: Command): void {
  const target = command(program, "search")
    .description("search an index, and show the hits")
    .argument("<index>")
    .argument("<query>")
    .addOption(
      new Option("--mode <mode>", "how the query is read")
        .choices(["fuzzy", "exact", "dynamic"])
        .default("fuzzy"),
    )
    .option("--limit <hits>", "hits that are shown", wholeNumber, 10)
    .option("--offset <hits>", "hits before them", wholeNumber, 0)
    .option("--fields <name...>", "stored fields that are shown (default: all)")
    .option("--order-by <field>", "in place of the score, such as price:asc")
    .option("--federation", "the name is a federation's");
  connectionOptions(target)
    .addHelpText(
      "after",
      examples(
        "findling search films 'thrid man' --fields title year",
        "findling search films 'year:>=1990 AND genre:/comedy' --mode exact --order-by year:asc",
      ),
    )
    .action(lazily(() => import("./commands/search-command.js"))((commands) => commands.runSearch));
}

function addCompletions(program: Command): void {
  command(program, "completions")
    .description("print what a shell completes commands and options by")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      examples(
        "source <(findling completions bash)",
        "findling completions zsh > ~/.zfunc/_findling",
        "findling completions fish > ~/.config/fish/completions/findling.fish",
      ),
    )
    .action(async (shell) => {
      const { completionScript } = await import("./commands/completions-command.js");
      process.stdout.write(completionScript(shell, program));
    });
}

function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("list, show, create, change and delete access keys (needs an admin key)")
    .addHelpText(
      "after",
      examples(
        "findling keys list",
        "findling keys create --name shop --permissions read --index products",
        "findling keys update KEY --status inactive",
      ),
    );
  const run = lazily(() => import("./commands/keys-command.js"));
  connectionOptions(command(keys, "list"))
    .description("all stored keys")
    .addHelpText("after", examples("findling keys list", "findling keys list --json"))
    .action(run((commands) => commands.runKeysList));
  connectionOptions(command(keys, "show"))
    .description("the key of this name and nothing else, for a shell variable")
    .argument("<name>")
    .addHelpText("after", examples("FINDLING_READ_KEY=$(findling keys show read)"))
    .action(run((commands) => commands.runKeysShow));
  keyOptions(command(keys, "create"))
    .description("make a key and show it")
    .addHelpText(
      "after",
      examples(
        "findling keys create --name shop --index products offers",
        "findling keys create --name loader --permissions ingest --index '*'",
      ),
    )
    .action(run((commands) => commands.runKeysCreate));
  keyOptions(command(keys, "update"))
    .description("change what is named of a key")
    .argument("<key>", "the key or its id")
    .addHelpText("after", examples("findling keys update KEY --status inactive"))
    .action(run((commands) => commands.runKeysUpdate));
  connectionOptions(command(keys, "delete"))
    .description("delete a key")
    .argument("<key>", "the key or its id")
    .addHelpText("after", examples("findling keys delete KEY"))
    .action(run((commands) => commands.runKeysDelete));
}

function addDemo(program: Command): void {
  const target = command(program, "demo")
    .description("load a sample of Debian packages and show searches over it")
    .option("--index <name>", "the index to make", "packages")
    .option("--reset", "replace an index of that name with all its documents")
    .option("--events", "load a made-up month of usage events, too, for the dashboards");
  connectionOptions(target)
    .addHelpText("after", examples("findling demo", "findling demo --reset", "findling demo --events"))
    .action(lazily(() => import("./commands/demo-command.js"))((commands) => commands.runDemo));
}

function addCheck(program: Command): void {
  command(program, "check")
    .description("verify every checksum and cross-reference of a data folder; reads only")
    .argument("[data-dir]", "default: as for serve")
    .option("--json", "print JSON for scripts")
    .addHelpText("after", examples("findling check", "findling check /var/lib/findling --json"))
    .action(async (dataDir, options) =>
      (await import("./commands/check-command.js")).runCheck(dataDir, output(options)),
    );
}

function addDoctor(program: Command): void {
  command(program, "doctor")
    .description(
      "say what is wrong with a server's folder, machine and settings, and what to do; changes nothing",
    )
    .argument("[data-dir]", "default: as for serve")
    .option("--config <file>", "configuration file (YAML or JSON)")
    .option("--json", "print JSON for scripts")
    .addHelpText("after", examples("findling doctor", "findling doctor /var/lib/findling --json"))
    .action(lazily(() => import("./commands/doctor-command.js"))((commands) => commands.runDoctor));
}

function addAdopt(program: Command): void {
  command(program, "adopt")
    .description(
      "take back an index that the catalog has lost, as 'check' and 'doctor' name it; needs the server stopped",
    )
    .argument("<storage>", "name of its folder in 'indexes'")
    .option("--name <name>", "the index's name (default: the one it had)")
    .option("--data-dir <folder>", "default: as for serve")
    .option("--json", "print JSON for scripts")
    .addHelpText(
      "after",
      examples(
        "findling adopt 0f8fad5bd9cb469fa16570867728950e",
        "findling adopt 0f8fad5bd9cb469fa16570867728950e --name books-of-before",
      ),
    )
    .action(lazily(() => import("./commands/adopt-command.js"))((commands) => commands.runAdopt));
}

function addBackup(program: Command): void {
  const backup = program
    .command("backup")
    .description("make, list, check, delete and restore backups")
    .addHelpText(
      "after",
      examples(
        "findling backup create",
        "findling backup list --from s3://backups/findling",
        "findling backup restore latest --data-dir /var/lib/findling",
        "findling backup restore latest --index books --as books-of-yesterday",
      ),
    );
  const run = lazily(() => import("./commands/backup-command.js"));
  connectionOptions(command(backup, "create"))
    .description("have a running server make a backup")
    .addHelpText("after", examples("findling backup create", "findling backup create --json"))
    .action(run((commands) => commands.runBackupCreate));
  storeOptions(command(backup, "list"))
    .description("the backups, the newest first; needs no server")
    .addHelpText("after", examples("findling backup list"))
    .action(run((commands) => commands.runBackupList));
  storeOptions(command(backup, "verify"))
    .description("read every byte of a backup; needs no server")
    .argument("[id]", "the backup", "latest")
    .addHelpText(
      "after",
      examples("findling backup verify", "findling backup verify 20261126T030000000Z-0f8fad5b"),
    )
    .action(run((commands) => commands.runBackupVerify));
  storeOptions(command(backup, "prune").option("--keep <backups>", "how many stay", positiveInteger))
    .description("delete all backups but the newest ones; needs no server")
    .addHelpText("after", examples("findling backup prune --keep 7"))
    .action(run((commands) => commands.runBackupPrune));
  connectionOptions(
    command(backup, "restore")
      .option("--from <address>", "where the backups are (default: FINDLING_BACKUP_URL)")
      .option("--index <name>", "restore this index alone, into a running server")
      .option("--as <name>", "the name that it gets there"),
  )
    .description("restore a whole backup into an empty data folder, or one index into a running server")
    .argument("[id]", "the backup", "latest")
    .addHelpText(
      "after",
      examples(
        "findling backup restore --data-dir /var/lib/findling",
        "findling backup restore latest --index books --as books-of-yesterday",
      ),
    )
    .action(run((commands) => commands.runBackupRestore));
}

function storeOptions(target: Command): Command {
  return target
    .option("--from <address>", "where the backups are (default: FINDLING_BACKUP_URL)")
    .option("--json", "print JSON for scripts");
}

function addMove(program: Command): void {
  command(program, "move")
    .description(
      "copy everything from a data folder to an OpenSearch cluster, or back, and check what arrived",
    )
    .requiredOption("--from <place>", "a data folder, or opensearch://NODE:PORT[,NODE:PORT]/PREFIX")
    .requiredOption("--to <place>", "the same, where nothing is yet")
    .option("--json", "print JSON for scripts")
    .addHelpText(
      "after",
      examples(
        "findling move --from findling-data --to opensearch://a.example:9200,b.example:9200",
        "findling move --from opensearchs://a.example:9200/findling --to /var/lib/findling",
      ),
    )
    .addHelpText(
      "after",
      "\nSearches at the old place go on meanwhile; stop writing there. User, password, certificates, shards and\nsecret key are those of the environment, as for serve.",
    )
    .action(lazily(() => import("./commands/move-command.js"))((commands) => commands.runMove));
}

function addInspect(program: Command): void {
  command(program, "inspect")
    .description(
      "look into an index on disk: segments, terms, postings, a document's path through analysis; reads only",
    )
    .argument("<index>")
    .option("--data-dir <folder>", "default: as for serve")
    .option("--field <name>", "the text field for --terms and --term")
    .option("--terms [prefix]", "terms of the field, from this prefix on")
    .option("--term <term>", "the postings of one term of the field")
    .option("--document <id>", "a document by its internal id, and what analysis makes of it")
    .option("--limit <number>", "terms or postings to show", positiveInteger, 20)
    .option("--json", "print JSON for scripts")
    .addHelpText(
      "after",
      examples(
        "findling inspect packages",
        "findling inspect packages --field title --terms ed",
        "findling inspect packages --field title --term editor",
        "findling inspect packages --document 9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f",
      ),
    )
    .action(lazily(() => import("./commands/inspect-command.js"))((commands) => commands.runInspect));
}

function addConfig(program: Command): void {
  const config = program
    .command("config")
    .description("look at the server's configuration")
    .addHelpText("after", examples("findling config print"));
  serverOptions(
    command(config, "print")
      .option("--url <url>", "ask the server that runs there for the settings in force; needs an admin key")
      .option("--key <key>", "its access key (default: as for other commands)"),
  )
    .description(
      "every setting as 'findling serve' would see it, or as a running server has it; secrets masked",
    )
    .addHelpText(
      "after",
      examples(
        "findling config print",
        "FINDLING_PORT=9000 findling config print --config findling.yaml",
        "findling config print --url http://127.0.0.1:8000",
      ),
    )
    .action(lazily(() => import("./commands/serve-command.js"))((commands) => commands.runConfigPrint));
}

function serverOptions(target: Command): Command {
  return target
    .option("--port <number>", "port to listen on; 0 takes any free one")
    .option("--host <address>", "address to listen on")
    .option("--data-dir <folder>", "folder that holds everything stored")
    .option("--config <file>", "configuration file (YAML or JSON)")
    .option("--json", "print JSON for scripts");
}

function keyOptions(target: Command): Command {
  target
    .option("--name <name>", "what it is for")
    .option("--permissions <permissions>", "read (default), ingest, admin or a mask from 1 to 127")
    .option("--index <name...>", "indexes that it may use; * is all of them")
    .addOption(new Option("--status <status>").choices(["active", "inactive"]))
    .option("--federation <name>", "ties a read key to a federation")
    .option("--expires <instant>", "when it stops working, such as 2027-01-31; 'never' takes that away");
  return connectionOptions(target);
}

function packageVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
