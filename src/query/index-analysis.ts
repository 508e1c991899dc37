import { ANALYSIS_VERSION, type AnalysisVersion, type AnalyzerSettings } from "../analysis/analyzer.js";
import { analyzerSettings, haveEqualTokens } from "../analysis/analyzer-settings.js";
import { type FieldDefinition, type IndexSchema, isIdentifierField } from "../contract/index-schema.js";

export { ANALYSIS_VERSION } from "../analysis/analyzer.js";

/** How an index's text becomes tokens, in its documents and in queries (contract 5.1). */
export function indexAnalysis(schema: IndexSchema): AnalyzerSettings {
  return analyzerSettings({
    language: schema.language,
    stemming: schema.enable_language_stemming,
    foldDiacritics: schema.fold_diacritics,
    symbols: schema.symbols,
    version: versionOf(schema),
  });
}

/** The number comes from disk; `createAnalyzer` refuses one that it doesn't know. */
function versionOf({ analysis_version = 1 }: IndexSchema): AnalysisVersion {
  return analysis_version as AnalysisVersion;
}

/**
 * Whether whole values, such as identifiers and facet paths, are found and ordered in NFC, whatever form they were sent
 * in.
 */
export function comparesInNfc(schema: IndexSchema): boolean {
  return versionOf(schema) >= FIRST_IN_NFC;
}

const FIRST_IN_NFC = 4;

/** Whether the index's documents were analysed by rules that new indexes don't have any more. */
export function isOfOldAnalysis(schema: IndexSchema): boolean {
  return versionOf(schema) < ANALYSIS_VERSION;
}

/** The schema with its documents analysed by the rules of new indexes. */
export function withNewAnalysis(schema: IndexSchema): IndexSchema {
  return { ...schema, analysis_version: ANALYSIS_VERSION };
}

/** Whether documents that were indexed under one schema's settings have to be analysed anew for the other's. */
export function differInAnalysis(one: IndexSchema, other: IndexSchema): boolean {
  return !haveEqualTokens(indexAnalysis(one), indexAnalysis(other)) || keptKey(one) !== keptKey(other);
}

/** What of a field's definition says how its values lie in an index. */
const KEPT_MEMBERS = [
  "type",
  "stored",
  "indexed",
  "multi",
  "precision",
  "hierarchical",
] as const satisfies readonly (keyof FieldDefinition)[];

/** Whether documents that were written under one schema have to be written anew for the other. */
export function differInDocuments(one: IndexSchema, other: IndexSchema): boolean {
  return differInAnalysis(one, other) || differInFields(one.fields, other.fields);
}

function differInFields(one: IndexSchema["fields"], other: IndexSchema["fields"]): boolean {
  if (one === other) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return true;
  return names.some((name) => {
    const [before, after] = [one[name]!, Object.hasOwn(other, name) ? other[name] : undefined];
    return after === undefined || KEPT_MEMBERS.some((member) => before[member] !== after[member]);
  });
}

/**
 * Whether a field's values are kept as whole ones besides their words, so that documents are found by them: a text
 * field's that is the primary key. Other kinds have whole values anyway.
 */
export function isKeptAsKey({ primary_key, fields }: IndexSchema, name: string): boolean {
  return name === primary_key && fields[name]?.type === "text" && !isIdentifierField(name, fields[name]);
}

function keptKey(schema: IndexSchema): string | null {
  const { primary_key } = schema;
  return primary_key !== undefined && isKeptAsKey(schema, primary_key) ? primary_key : null;
}
