import type { QueryClause } from "../../src/client/index.js";

/** How a clause counts. */
export const OCCURS = ["must", "should", "must_not"] as const;
export type Occur = (typeof OCCURS)[number];

/** What a clause asks of its field. */
export const OPERATORS = [
  "all",
  "any",
  "phrase",
  "begins",
  "is",
  "below",
  "in",
  "from",
  "above",
  "to",
  "less",
  "between",
  "exists",
] as const;
export type Operator = (typeof OPERATORS)[number];

/** One clause as it is composed from choices, before it is a part of a query. */
export interface ComposedClause {
  readonly occur: Occur;
  /** Empty while none is chosen. */
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
  /** The greater bound of `between`; empty leaves that end open. */
  readonly upper: string;
}

const ORDERED: readonly Operator[] = ["is", "in", "from", "above", "to", "less", "between", "exists"];

/** The operators that the query language has for fields of a type; none for those that can't be queried. */
const OPERATORS_OF: Readonly<Record<string, readonly Operator[]>> = {
  text: ["all", "any", "phrase", "begins", "exists"],
  facet: ["below", "in", "exists"],
  bool: ["is", "exists"],
  u64: ORDERED,
  i64: ORDERED,
  f64: ORDERED,
  datetime: ORDERED,
};

/** The id is one whole value, whatever type its field has. */
const OPERATORS_OF_ID: readonly Operator[] = ["is", "in", "begins"];

/** @param type of the field; undefined where it isn't known, which leaves every operator to choose from */
export function operatorsOf(field: string, type: string | undefined): readonly Operator[] {
  if (field === "id") return OPERATORS_OF_ID;
  return type === undefined ? OPERATORS : (OPERATORS_OF[type] ?? []);
}

/** Whether it says enough to be asked. */
export function isComplete({ field, operator, value, upper }: ComposedClause): boolean {
  if (field === "") return false;
  if (operator === "exists") return true;
  if (operator === "in") return itemsOf(value).length > 0;
  return value.trim() !== "" || (operator === "between" && upper.trim() !== "");
}

/** The clause in the query language: whatever stands in its value is text. */
export function contextOf(clause: ComposedClause): string {
  const asked = `${escaped(clause.field)}:${predicateOf(clause)}`;
  return clause.occur === "must_not" ? `-${asked}` : asked;
}

export function queryClauseOf(clause: ComposedClause): QueryClause {
  return {
    occur: clause.occur === "should" ? "should" : "must",
    exact: { ctx: contextOf(clause) },
  };
}

function predicateOf({ operator, value, upper }: ComposedClause): string {
  const words = value.trim().split(/\s+/u);
  switch (operator) {
    case "all":
      return `(${words.map((word) => `+${quoted(word)}`).join(" ")})`;
    case "any":
      return `(${words.map(quoted).join(" ")})`;
    case "begins":
      return `${escaped(value.trim())}*`;
    case "in":
      return `IN [${itemsOf(value).map(quoted).join(" ")}]`;
    case "from":
      return `>=${quoted(value.trim())}`;
    case "above":
      return `>${quoted(value.trim())}`;
    case "to":
      return `<=${quoted(value.trim())}`;
    case "less":
      return `<${quoted(value.trim())}`;
    case "between":
      return `[${boundOf(value)} TO ${boundOf(upper)}]`;
    case "exists":
      return "*";
    case "phrase":
    case "is":
    case "below":
      return quoted(value.trim());
  }
}

function boundOf(value: string): string {
  return value.trim() === "" ? "*" : quoted(value.trim());
}

/** Values of a set stand between commas. */
function itemsOf(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A phrase of the query language that means the text as it is. */
export function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

/** A word of the query language that means the text as it is, also behind a field's name, and where it is an operator's. */
export function escaped(value: string): string {
  return value.replace(/^[A-Z]|[+\-^`:{}"'‘’“”„[\]()~!\\*,<>\s]/gu, "\\$&");
}

/** For an address: `must:from:installed_size:1000`, each part but the last without a colon of its own. */
export function writeClause({ occur, field, operator, value, upper }: ComposedClause): string {
  const parts = [occur, operator, encodeURIComponent(field)];
  if (operator === "between") parts.push(encodeURIComponent(value), upper);
  else if (operator !== "exists") parts.push(value);
  return parts.join(":");
}

/** Undefined for what no such address says. */
export function readClause(written: string): ComposedClause | undefined {
  const [occur, operator, name, ...rest] = written.split(":");
  if (!OCCURS.includes(occur as Occur) || !OPERATORS.includes(operator as Operator)) return undefined;
  const field = decoded(name);
  const isBetween = operator === "between";
  const value = isBetween ? decoded(rest[0]) : rest.join(":");
  if (field === undefined || value === undefined) return undefined;
  return {
    occur: occur as Occur,
    operator: operator as Operator,
    field,
    value,
    upper: isBetween ? rest.slice(1).join(":") : "",
  };
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
