import type { QueryClause, SearchBody } from "../../src/client/index.js";
import {
  type ComposedClause,
  escaped,
  isComplete,
  queryClauseOf,
  quoted,
  readClause,
  writeClause,
} from "./clauses.js";
import type { Target } from "./queries.js";

export type Mode = "dynamic" | "fuzzy" | "exact";
/** The first is the one that forgives most: typos, and words that are only synonyms. */
export const MODES: readonly Mode[] = ["fuzzy", "dynamic", "exact"];

export interface FacetFilter {
  readonly field: string;
  readonly path: string;
}

/** What may differ between two searches that are looked at side by side. */
export interface Settings {
  readonly mode: Mode;
  readonly asYouType: boolean;
  readonly synonyms: boolean;
  readonly weights: Readonly<Record<string, number>>;
}

/** Everything that the playground shows, all of it in the URL. */
export interface SearchState extends Settings {
  readonly target: Target | undefined;
  readonly text: string;
  readonly filters: readonly FacetFilter[];
  /** Composed from choices; those that don't say enough yet are kept, and not asked. */
  readonly clauses: readonly ComposedClause[];
  /** A clause of the query language that must match; empty for none. */
  readonly where: string;
  /** `field:asc` or `field:desc`; empty for relevance. */
  readonly order: string;
  readonly view: "cards" | "table" | "json";
  readonly page: number;
  /** Undefined: nothing is compared. */
  readonly other: Settings | undefined;
}

export const PAGE_SIZE = 20;

/** Characters that no document is likely to hold stand for the tags, so that what is marked is drawn and never HTML. */
export const MARK_START = "\uE000";
export const MARK_END = "\uE001";

const isMode = (value: string | null): value is Mode => MODES.includes(value as Mode);

function settingsOf(query: URLSearchParams, prefix: string): Settings {
  const mode = query.get(`${prefix}mode`);
  return {
    mode: isMode(mode) ? mode : "fuzzy",
    asYouType: query.get(`${prefix}typed`) !== "0",
    synonyms: query.get(`${prefix}synonyms`) !== "0",
    weights: weightsOf(query.getAll(`${prefix}weight`)),
  };
}

function weightsOf(values: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    values.flatMap((value) => {
      const at = value.lastIndexOf(":");
      const weight = Number(value.slice(at + 1));
      return at > 0 && weight >= 0 && weight <= 100 ? [[value.slice(0, at), weight]] : [];
    }),
  );
}

export function readSearchState(query: URLSearchParams): SearchState {
  const index = query.get("index");
  const federation = query.get("federation");
  const view = query.get("view");
  const page = Number(query.get("page") ?? 1);
  return {
    ...settingsOf(query, ""),
    target:
      federation !== null
        ? { kind: "federation", name: federation }
        : index !== null
          ? { kind: "index", name: index }
          : undefined,
    text: query.get("q") ?? "",
    filters: query.getAll("filter").flatMap((value) => {
      const at = value.indexOf(":");
      return at > 0 ? [{ field: value.slice(0, at), path: value.slice(at + 1) }] : [];
    }),
    clauses: query.getAll("clause").flatMap((written) => readClause(written) ?? []),
    where: query.get("where") ?? "",
    order: query.get("order") ?? "",
    view: view === "table" || view === "json" ? view : "cards",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    other: query.get("compare") === "1" ? settingsOf(query, "b.") : undefined,
  };
}

function writeSettings(query: URLSearchParams, prefix: string, settings: Settings): void {
  if (settings.mode !== "fuzzy") query.set(`${prefix}mode`, settings.mode);
  if (!settings.asYouType) query.set(`${prefix}typed`, "0");
  if (!settings.synonyms) query.set(`${prefix}synonyms`, "0");
  for (const [field, weight] of Object.entries(settings.weights))
    query.append(`${prefix}weight`, `${field}:${weight}`);
}

export function writeSearchState(state: SearchState): URLSearchParams {
  const query = new URLSearchParams();
  if (state.target !== undefined) query.set(state.target.kind, state.target.name);
  if (state.text !== "") query.set("q", state.text);
  writeSettings(query, "", state);
  for (const { field, path } of state.filters) query.append("filter", `${field}:${path}`);
  for (const clause of state.clauses) query.append("clause", writeClause(clause));
  if (state.where !== "") query.set("where", state.where);
  if (state.order !== "") query.set("order", state.order);
  if (state.view !== "cards") query.set("view", state.view);
  if (state.page > 1) query.set("page", String(state.page));
  if (state.other !== undefined) {
    query.set("compare", "1");
    writeSettings(query, "b.", state.other);
  }
  return query;
}

/** The request that somebody would write: without what only the console asks for. */
export function plainBody(state: SearchState, settings: Settings = state): SearchBody {
  const clauses = clausesOf(state, settings);
  const [only] = clauses;
  const [field, direction] = orderOf(state.order);
  return {
    query: clauses.length === 1 && only !== undefined ? withoutOccur(only) : clauses,
    limit: PAGE_SIZE,
    ...(state.page > 1 ? { offset: (state.page - 1) * PAGE_SIZE } : {}),
    ...(field === undefined ? {} : { order_by: field, sort: direction }),
    ...(settings.synonyms ? {} : { synonyms: false }),
    ...(Object.keys(settings.weights).length === 0 ? {} : { weight_multipliers: settings.weights }),
  };
}

/** The body gets marks, phases and facets that stay to be chosen from. */
export function bodyOf(
  state: SearchState,
  {
    settings = state,
    facets,
  }: { readonly settings?: Settings; readonly facets: readonly string[] | undefined },
): SearchBody {
  return {
    ...plainBody(state, settings),
    highlight: { pre_tag: MARK_START, post_tag: MARK_END, fragment_size: 220, fragments: 1 },
    profile: true,
    ...(facets === undefined
      ? {}
      : { facets: Object.fromEntries(facets.map((name) => [name, { own_filter: false, size: 100 }])) }),
  };
}

function clausesOf(state: SearchState, settings: Settings): QueryClause[] {
  const must: QueryClause[] = [...new Set(state.filters.map(({ field }) => field))].map((field) => ({
    occur: "must",
    exact: {
      ctx: state.filters
        .filter((filter) => filter.field === field)
        .map(({ path }) => `${escaped(field)}:${quoted(path)}`)
        .join(" OR "),
    },
  }));
  if (state.where.trim() !== "") must.push({ occur: "must", exact: { ctx: state.where } });
  // What may match ranks what is found by the rest, so that there has to be a rest.
  const composed = state.clauses.filter(isComplete).map(queryClauseOf);
  const others = [...must, ...composed];
  const text = state.text.trim();
  if (text !== "") return [...others, textClause(state.text, settings, others.length > 0 ? MUST : {})];
  if (others.some(({ occur }) => occur === "must")) return others;
  return others.length === 0 ? [{ exact: { ctx: "*" } }] : [...others, { ...MUST, exact: { ctx: "*" } }];
}

const MUST = { occur: "must" } as const;

function textClause(
  text: string,
  { mode, asYouType }: Settings,
  occur: { readonly occur?: "must" },
): QueryClause {
  // The beginning of a query in the language may be no query yet: it is asked as it stands.
  if (mode === "fuzzy") return { ...occur, fuzzy: { ctx: text } };
  if (mode === "exact") return { ...occur, exact: { ctx: text } };
  return { ...occur, dynamic: asYouType ? { ctx: text, as_you_type: true } : { ctx: text } };
}

function withoutOccur({ occur: _, ...clause }: QueryClause): QueryClause {
  return clause as QueryClause;
}

function orderOf(order: string): readonly [string | undefined, "asc" | "desc"] {
  const at = order.lastIndexOf(":");
  if (at <= 0) return [undefined, "desc"];
  return [order.slice(0, at), order.slice(at + 1) === "asc" ? "asc" : "desc"];
}
