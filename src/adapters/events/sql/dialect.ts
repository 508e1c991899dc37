import type { ColumnKind } from "../event-columns.js";

/** A value that a statement names instead of containing it. */
export type ParameterValue = string | number | readonly string[];
export type ParameterKind = "text" | "texts" | "whole";

/** The few points in which the stores' SQL differs; everything else is written once. */
export interface Dialect {
  /** How a statement names a parameter. */
  parameter(name: string, kind: ParameterKind): string;
  columnType(kind: ColumnKind): string;
  /** The list that a column of kind `words` holds, which must not be empty. */
  split(words: string): string;
  /** The list that a column of kind `words` holds, which may be empty. */
  list(words: string): string;
  /** Whether two lists of text have an element in common. */
  sharesAny(list: string, other: string): string;
  /** Whether a list holds everything that another holds. */
  holdsAll(list: string, elements: string): string;
  contains(list: string, element: string): string;
  startsWith(text: string, beginning: string): string;
  /** First millisecond of the UTC month or year that the time (milliseconds) lies in. */
  startOf(unit: "month" | "year", time: string): string;
  /** Any number of bits, or-ed over a group. */
  bitOr(value: string): string;
  /** The value in the next row of a window whose frame is the current row and that one. */
  next(value: string): string;
  /** How many distinct values there are in a group, exactly. */
  countDistinct(value: string): string;
  /** What follows WITH: a name for a selection's rows, which are found once if the store can keep them. */
  named(name: string, selection: string): string;
}

const DUCKDB_TYPES: Record<ColumnKind, string> = {
  text: "VARCHAR NOT NULL",
  word: "VARCHAR NOT NULL",
  words: "VARCHAR NOT NULL",
  number: "DOUBLE",
  time: "BIGINT NOT NULL",
  class: "UTINYINT NOT NULL",
  key: "UUID NOT NULL",
};

export const DUCKDB_DIALECT: Dialect = {
  parameter: (name) => `$${name}`,
  columnType: (kind) => DUCKDB_TYPES[kind],
  split: (words) => `string_split(${words}, chr(31))`,
  list: (words) => `CASE WHEN ${words} = '' THEN []::VARCHAR[] ELSE string_split(${words}, chr(31)) END`,
  sharesAny: (list, other) => `list_has_any(${list}, ${other})`,
  holdsAll: (list, elements) => `list_has_all(${list}, ${elements})`,
  contains: (list, element) => `list_contains(${list}, ${element})`,
  startsWith: (text, beginning) => `starts_with(${text}, ${beginning})`,
  startOf: (unit, time) => `epoch_ms(date_trunc('${unit}', make_timestamp_ms(${time}))::TIMESTAMP)`,
  bitOr: (value) => `bit_or(${value})`,
  next: (value) => `lead(${value})`,
  countDistinct: (value) => `count(DISTINCT ${value})`,
  named: (name, selection) => `${name} AS MATERIALIZED (${selection})`,
};

const CLICKHOUSE_TYPES: Record<ColumnKind, string> = {
  text: "String",
  word: "LowCardinality(String)",
  words: "LowCardinality(String)",
  number: "Nullable(Float64)",
  time: "Int64",
  class: "UInt8",
  key: "UUID",
};

const CLICKHOUSE_PARAMETER_TYPES: Record<ParameterKind, string> = {
  text: "String",
  texts: "Array(String)",
  whole: "Int64",
};

export const CLICKHOUSE_DIALECT: Dialect = {
  parameter: (name, kind) => `{${name}:${CLICKHOUSE_PARAMETER_TYPES[kind]}}`,
  columnType: (kind) => CLICKHOUSE_TYPES[kind],
  split: (words) => `splitByChar('\\x1f', ${words})`,
  list: (words) => `if(${words} = '', [], splitByChar('\\x1f', toString(${words})))`,
  sharesAny: (list, other) => `hasAny(${list}, ${other})`,
  holdsAll: (list, elements) => `hasAll(${list}, ${elements})`,
  contains: (list, element) => `has(${list}, ${element})`,
  startsWith: (text, beginning) => `startsWith(${text}, ${beginning})`,
  startOf: (unit, time) =>
    `toUnixTimestamp(toDateTime(toStartOf${unit === "month" ? "Month" : "Year"}(fromUnixTimestamp64Milli(${time}, 'UTC')), 'UTC')) * 1000`,
  bitOr: (value) => `groupBitOr(${value})`,
  next: (value) => `leadInFrame(${value})`,
  countDistinct: (value) => `uniqExact(${value})`,
  named: (name, selection) => `${name} AS (${selection})`,
};
