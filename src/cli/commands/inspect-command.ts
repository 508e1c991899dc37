import type {
  Directory,
  DocumentInspection,
  IndexInspection,
  TermEntry,
  TermInspection,
} from "../../engine/server-door.js";
import { CliError } from "../cli-error.js";
import { localServer } from "../local-server.js";
import { formatBytes, formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface InspectOptions {
  readonly dataDir?: string;
  readonly field?: string;
  /** True where no prefix was given. */
  readonly terms?: string | true;
  readonly term?: string;
  readonly document?: string;
  readonly limit: number;
}

/** `findling inspect INDEX`: what its last commit consists of, as it lies on disk. */
export async function runInspect(index: string, options: InspectOptions, output: Output): Promise<void> {
  const asked = [options.terms, options.term, options.document].filter((each) => each !== undefined);
  if (asked.length > 1) {
    throw new CliError("usage", "--terms, --term and --document are each asked for alone");
  }
  if (options.field !== undefined && options.terms === undefined && options.term === undefined) {
    throw new CliError("usage", "--field is for --terms or --term: say one of them, too");
  }
  const engine = await import("../../engine/server-door.js");
  const directory = await openIndexFolder(index, options.dataDir);
  if (options.document !== undefined) {
    const document = await engine.inspectDocument(directory, options.document);
    if (document === null) {
      throw new CliError("document_not_found", `'${index}' has no committed document '${options.document}'`);
    }
    output.result(document, describeDocument(document));
  } else if (options.term !== undefined) {
    const term = await engine.inspectTerm(directory, fieldOf(options), options.term, options.limit);
    output.result(term, describeTerm(term));
  } else if (options.terms !== undefined) {
    const prefix = options.terms === true ? "" : options.terms;
    const terms = await engine.inspectTerms(directory, fieldOf(options), { prefix, limit: options.limit });
    output.result({ terms }, describeTerms(terms));
  } else {
    const inspection = await engine.inspectIndex(directory);
    output.result(inspection, describeIndex(index, inspection));
  }
}

async function openIndexFolder(index: string, dataDir: string | undefined): Promise<Directory> {
  const { readStoredIndexes } = await import("../../adapters/catalog/read-data-folder.js");
  const { FileDirectory } = await import("../../engine/server-door.js");
  const { dataDir: folder } = await localServer(dataDir);
  const { indexes, damage } = readStoredIndexes(folder);
  const found = indexes.find((each) => each.name === index);
  if (found !== undefined) return await FileDirectory.open(found.folder, { create: false });
  const [damaged] = damage;
  if (damaged !== undefined) throw damaged;
  const names = indexes.map((each) => `'${each.name}'`).join(", ");
  throw new CliError(
    "index_not_found",
    `'${folder}' has no index '${index}'; it has ${names === "" ? "none" : names}`,
  );
}

function fieldOf({ field }: InspectOptions): string {
  if (field === undefined) throw new CliError("usage", "name the text field with --field");
  return field;
}

function describeIndex(name: string, index: IndexInspection): string {
  const lines = [
    `index '${name}': ${formatCount(index.docCount)} documents, ${formatBytes(index.bytes)}, commit ${index.generation}, journal ${index.journal}`,
  ];
  for (const segment of index.segments) {
    const deleted = segment.maxDoc - segment.docCount;
    lines.push(
      "",
      `segment ${segment.name}: ${formatCount(segment.docCount)} documents${deleted === 0 ? "" : ` and ${formatCount(deleted)} deleted`}, ${formatBytes(segment.bytes)}`,
      formatTable(
        ["field", "kind", "terms", "tokens", "values", "documents"],
        segment.fields.map((field) => [
          field.name,
          field.kind,
          ...[field.terms, field.tokens, field.values, field.documents].map((count) =>
            count === undefined ? "" : formatCount(count),
          ),
        ]),
      ),
    );
  }
  return lines.join("\n");
}

function describeTerms(terms: readonly TermEntry[]): string {
  if (terms.length === 0) return "no terms";
  return formatTable(
    ["term", "documents"],
    terms.map(({ term, docFreq }) => [term, formatCount(docFreq)]),
  );
}

function describeTerm({ field, term, docFreq, postings }: TermInspection): string {
  const heading = `term '${term}' of '${field}': in ${formatCount(docFreq)} documents`;
  if (postings.length === 0) return heading;
  const rows = postings.map((posting) => [
    posting.documentId,
    posting.segment,
    posting.isLive ? "" : "deleted",
    String(posting.frequency),
    posting.positions.join(" "),
  ]);
  return `${heading}\n${formatTable(["document", "segment", "", "times", "positions"], rows)}`;
}

function describeDocument(document: DocumentInspection): string {
  const lines = [
    `document ${document.documentId}: number ${document.docId} of segment ${document.segment}${document.isLive ? "" : ", deleted"}`,
    "",
    "stored:",
    JSON.stringify(document.stored, null, 2),
  ];
  if (Object.keys(document.unstored).length > 0) {
    lines.push("", "kept, but not shown in results:", JSON.stringify(document.unstored, null, 2));
  }
  for (const [field, values] of Object.entries(document.tokens)) {
    for (const [position, tokens] of values.entries()) {
      lines.push("", `'${field}'${values.length > 1 ? ` value ${position + 1}` : ""} as analysis sees it:`);
      lines.push(tokens.map((token) => `${token.position}:${token.text}`).join("  "));
    }
  }
  return lines.join("\n");
}
