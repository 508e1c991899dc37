import { type Command, Option } from "commander";
import { command, connectionOptions, examples, lazily, positiveInteger } from "./command-parts.js";

/** Commands over what the API holds: each does what a route does, for a terminal and for scripts. */
export function addResources(program: Command): void {
  addIndexes(program);
  addDocuments(program);
  addSynonyms(program);
  addStopwords(program);
  addFederations(program);
  addAliases(program);
  addDashboards(program);
}

const YES = "don't ask";
const COMMIT = "commit at once, with everything that is pending";
const INPUT = "a JSON file; - is standard input";

function addIndexes(program: Command): void {
  const indexes = program
    .command("indexes")
    .description("list, show, create, change and delete indexes; commit and roll back")
    .addHelpText("after", examples("findling indexes list", "findling indexes show films > schema.json"));
  const run = lazily(() => import("./commands/indexes-command.js"));
  connectionOptions(command(indexes, "list"))
    .description("all indexes, with their committed documents")
    .addHelpText("after", examples("findling indexes list", "findling indexes list --json"))
    .action(run((commands) => commands.runIndexesList));
  connectionOptions(command(indexes, "show"))
    .description("an index's fields and settings, as JSON that 'create' takes")
    .argument("<index>")
    .addHelpText("after", examples("findling indexes show films > schema.json"))
    .action(run((commands) => commands.runIndexesShow));
  connectionOptions(
    command(indexes, "create")
      .requiredOption("--schema <file>", "JSON file with the fields and settings")
      .option("--override", "replace an index of that name with all its documents")
      .option("--yes", YES),
  )
    .description("make an index by a schema")
    .argument("<index>")
    .addHelpText("after", examples("findling indexes create films --schema schema.json"))
    .action(run((commands) => commands.runIndexesCreate));
  connectionOptions(command(indexes, "update"))
    .description("change the settings that a JSON file names; documents stay")
    .argument("<index>")
    .argument("<file>", INPUT)
    .addHelpText("after", examples("echo '{\"auto_commit_delay\": 5}' | findling indexes update films -"))
    .action(run((commands) => commands.runIndexesUpdate));
  connectionOptions(command(indexes, "delete").option("--yes", YES))
    .description("delete an index with all its documents")
    .argument("<index>")
    .addHelpText("after", examples("findling indexes delete films --yes"))
    .action(run((commands) => commands.runIndexesDelete));
  connectionOptions(command(indexes, "commit"))
    .description("make all pending writes visible")
    .argument("<index>")
    .addHelpText("after", examples("findling indexes commit films"))
    .action(run((commands) => commands.runIndexesCommit));
  connectionOptions(command(indexes, "rollback").option("--yes", YES))
    .description("drop all pending writes, also those of others")
    .argument("<index>")
    .addHelpText("after", examples("findling indexes rollback films --yes"))
    .action(run((commands) => commands.runIndexesRollback));
}

function addDocuments(program: Command): void {
  const documents = program
    .command("documents")
    .description("get, add, change and delete single documents ('import' and 'sync' are for many)")
    .addHelpText("after", examples("findling documents get films 42 --by-key"));
  const run = lazily(() => import("./commands/documents-command.js"));
  connectionOptions(command(documents, "get").option("--by-key", "the id is a value of the primary key"))
    .description("a document's stored fields")
    .argument("<index>")
    .argument("<id>", "the internal id, as hits have it")
    .addHelpText(
      "after",
      examples(
        "findling documents get films 9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f",
        "findling documents get films 42 --by-key",
      ),
    )
    .action(run((commands) => commands.runDocumentsGet));
  connectionOptions(command(documents, "add").option("--commit", COMMIT))
    .description("add one document or an array of them, all or none")
    .argument("<index>")
    .argument("<file>", INPUT)
    .addHelpText("after", examples('echo \'{"title": "Ran"}\' | findling documents add films - --commit'))
    .action(run((commands) => commands.runDocumentsAdd));
  connectionOptions(
    command(documents, "update")
      .option("--upsert", "add documents that aren't there")
      .option("--commit", COMMIT),
  )
    .description("change members of documents, told by primary key or _id, all or none")
    .argument("<index>")
    .argument("<file>", INPUT)
    .addHelpText("after", examples("findling documents update films changes.json --commit"))
    .action(run((commands) => commands.runDocumentsUpdate));
  connectionOptions(
    command(documents, "delete")
      .option("--by-key", "the id is a value of the primary key")
      .option("--where <field=value>", "those with this value")
      .option("--query <query>", "those that match, in the query language")
      .option("--all", "all of them")
      .option("--yes", YES)
      .option("--commit", COMMIT),
  )
    .description("delete a document, those with a value, those that a query finds, or all")
    .argument("<index>")
    .argument("[id]", "the internal id, as hits have it")
    .addHelpText(
      "after",
      examples(
        "findling documents delete films 42 --by-key --commit",
        "findling documents delete films --query 'year:<1930' --commit",
      ),
    )
    .action(run((commands) => commands.runDocumentsDelete));
}

function addSynonyms(program: Command): void {
  const synonyms = program
    .command("synonyms")
    .description("list, add and delete an index's synonyms; in force at once")
    .addHelpText("after", examples("findling synonyms add films 'movie:film'"));
  const run = lazily(() => import("./commands/dictionaries-command.js"));
  connectionOptions(command(synonyms, "list"))
    .description("keys, and what each finds besides itself")
    .argument("<index>")
    .addHelpText("after", examples("findling synonyms list films"))
    .action(run((commands) => commands.runSynonymsList));
  connectionOptions(command(synonyms, "add"))
    .description("add entries keys:terms, each side a comma-separated list")
    .argument("<index>")
    .argument("<entry...>")
    .addHelpText("after", examples("findling synonyms add films 'movie:film' 'ny:new york,nyc'"))
    .action(run((commands) => commands.runSynonymsAdd));
  connectionOptions(command(synonyms, "delete").option("--all", "all of them").option("--yes", YES))
    .description("delete keys, or single pairs key:term")
    .argument("<index>")
    .argument("[entry...]")
    .addHelpText(
      "after",
      examples("findling synonyms delete films movie", "findling synonyms delete films --all --yes"),
    )
    .action(run((commands) => commands.runSynonymsDelete));
}

function addStopwords(program: Command): void {
  const stopwords = program
    .command("stopwords")
    .description("list, add and delete an index's stopwords; in force at once")
    .addHelpText("after", examples("findling stopwords add films the"));
  const run = lazily(() => import("./commands/dictionaries-command.js"));
  connectionOptions(command(stopwords, "list"))
    .description("those in force: the language's and the custom ones")
    .argument("<index>")
    .addHelpText("after", examples("findling stopwords list films"))
    .action(run((commands) => commands.runStopwordsList));
  connectionOptions(command(stopwords, "add"))
    .description("add words that queries leave out")
    .argument("<index>")
    .argument("<word...>")
    .addHelpText("after", examples("findling stopwords add films film movie"))
    .action(run((commands) => commands.runStopwordsAdd));
  connectionOptions(command(stopwords, "delete").option("--all", "all custom ones").option("--yes", YES))
    .description("delete words, or all custom ones")
    .argument("<index>")
    .argument("[word...]")
    .addHelpText("after", examples("findling stopwords delete films movie"))
    .action(run((commands) => commands.runStopwordsDelete));
}

function addFederations(program: Command): void {
  const federations = program
    .command("federations")
    .description("list, show, set and delete federations, groups of indexes that are searched as one")
    .addHelpText("after", examples("findling federations set shop products=2 articles"));
  const run = lazily(() => import("./commands/federations-command.js"));
  connectionOptions(command(federations, "list"))
    .description("all federations, with their indexes and weights")
    .addHelpText("after", examples("findling federations list"))
    .action(run((commands) => commands.runFederationsList));
  connectionOptions(command(federations, "show"))
    .description("a federation's indexes and weights")
    .argument("<federation>")
    .addHelpText("after", examples("findling federations show shop"))
    .action(run((commands) => commands.runFederationsShow));
  connectionOptions(command(federations, "stats"))
    .description("documents and bytes of each index of a federation")
    .argument("<federation>")
    .addHelpText("after", examples("findling federations stats shop"))
    .action(run((commands) => commands.runFederationsStats));
  connectionOptions(command(federations, "set").option("--title <title>", "what people call it"))
    .description("make a federation, or put it in the place of the one of that name")
    .argument("<federation>")
    .argument("<index[=weight]...>", "its indexes; scores of hits count that many times (default: 1)")
    .addHelpText("after", examples("findling federations set shop products=2 articles --title 'The shop'"))
    .action(run((commands) => commands.runFederationsSet));
  connectionOptions(command(federations, "delete").option("--yes", YES))
    .description("delete a federation; its indexes stay")
    .argument("<federation>")
    .addHelpText("after", examples("findling federations delete shop --yes"))
    .action(run((commands) => commands.runFederationsDelete));
}

function addAliases(program: Command): void {
  const aliases = program
    .command("aliases")
    .description("list, set and delete second names of indexes")
    .addHelpText("after", examples("findling aliases set products=products_v8"));
  const run = lazily(() => import("./commands/aliases-command.js"));
  connectionOptions(command(aliases, "list"))
    .description("all aliases, with the indexes that they mean")
    .addHelpText("after", examples("findling aliases list"))
    .action(run((commands) => commands.runAliasesList));
  connectionOptions(command(aliases, "set"))
    .description("give an alias to an index, or several that are there to other indexes, at once or none")
    .argument("<alias=index...>")
    .addHelpText("after", examples("findling aliases set products=products_v8 offers=offers_v3"))
    .action(run((commands) => commands.runAliasesSet));
  connectionOptions(command(aliases, "delete"))
    .description("delete an alias; the index stays")
    .argument("<alias>")
    .addHelpText("after", examples("findling aliases delete products"))
    .action(run((commands) => commands.runAliasesDelete));
}

function addDashboards(program: Command): void {
  const dashboards = program
    .command("dashboards")
    .description("what people search for and click, from usage events")
    .addHelpText("after", examples("findling dashboards summary --from 2026-11-01"));
  const run = lazily(() => import("./commands/dashboards-command.js"));
  dashboardOptions(command(dashboards, "summary"))
    .description("searches, clicks, people; the most searched terms, and those without results")
    .addHelpText("after", examples("findling dashboards summary --from 2026-11-01 --index films"))
    .action(run((commands) => commands.runSummaryDashboard));
  dashboardOptions(command(dashboards, "conversion"))
    .description("how often searches lead to clicks, by term")
    .addHelpText("after", examples("findling dashboards conversion --rows 50"))
    .action(run((commands) => commands.runConversionDashboard));
  dashboardOptions(command(dashboards, "usage"))
    .description("how many searches there were, also in the calendar month")
    .addHelpText("after", examples("findling dashboards usage --json"))
    .action(run((commands) => commands.runUsageDashboard));
  dashboardOptions(
    command(dashboards, "breakdown").addOption(
      new Option("--by <what>", "what searches are told apart by")
        .choices(["os", "platform", "country", "region", "city", "locale", "user_type", "search_kind"])
        .default("os"),
    ),
  )
    .description("searches by where they came from")
    .addHelpText("after", examples("findling dashboards breakdown --by country"))
    .action(run((commands) => commands.runBreakdownDashboard));
}

function dashboardOptions(target: Command): Command {
  return connectionOptions(
    target
      .option("--from <time>", "YYYY-MM-DD, RFC 3339 or Unix seconds (default: 30 days ago)")
      .option("--until <time>", "likewise, exclusive (default: now)")
      .option("--index <name...>", "events that name one of these")
      .addOption(
        new Option("--granularity <bucket>", "how wide the steps of charts are, in --json").choices([
          "minutes",
          "hours",
          "days",
          "weeks",
          "months",
          "years",
        ]),
      )
      .option("--rows <number>", "terms on a page", positiveInteger, 10)
      .option("--page <number>", "which page of them, from 1", positiveInteger, 1),
  );
}
