import { type ErrorItem, FindlingError } from "../errors/index.js";
import { hasMoreCodePoints } from "./code-points.js";
import {
  BATCH_EVENTS_MAX,
  EVENT_INDEX_NAMES_MAX,
  EVENT_NAME_LENGTH_MAX,
  EVENT_TEXT_LENGTH_MAX,
  type MeasureEvent,
  type MeasureProperties,
  type MeasureUser,
  PROPERTY_KINDS,
  USER_KINDS,
  USER_TYPES,
} from "./measure-event.js";
import { parseInstant } from "./values/parse-instant.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "./wire-object.js";

const ITEMS_MAX = 20;

/**
 * The event of a POST /measure/event body: every member has its type, nulls and unknown members are gone.
 *
 * @throws FindlingError `invalid_request` with every place that is wrong
 */
export function parseMeasureEventBody(body: unknown): MeasureEvent {
  const problems = new Problems();
  const event = parseEvent(body, "", problems);
  problems.throwIfAny();
  return event;
}

/**
 * The events of a POST /measure/batch body, a list or `{"items": […]}`. One that is wrong refuses them all.
 *
 * @throws FindlingError `invalid_request` with every place that is wrong
 */
export function parseMeasureBatchBody(body: unknown): readonly MeasureEvent[] {
  const { list, path } = locateEvents(body);
  const problems = new Problems();
  if (!Array.isArray(list)) {
    problems.add(
      path,
      path === ""
        ? "must be a list of events, or an object with one in 'items'"
        : `must be a list of events, not ${describeKind(list)}`,
    );
  } else if (list.length === 0 || list.length > BATCH_EVENTS_MAX) {
    problems.add(path, `must hold 1 to ${BATCH_EVENTS_MAX} events, not ${list.length}`);
  }
  problems.throwIfAny();
  const events = (list as readonly unknown[]).map((each, i) => parseEvent(each, `${path}[${i}]`, problems));
  problems.throwIfAny();
  return events;
}

/** What an event claims to be about: read before its shape is checked, because scope comes first (contract 1.6). */
export interface ClaimedScope {
  /** The event's place in the body, such as `[3]`. */
  readonly path: string;
  readonly indexNames: readonly string[];
  readonly federationName: string | undefined;
  /** Whether it says when it happened. */
  readonly isBackdated: boolean;
}

export function claimedScopes(body: unknown, kind: "event" | "batch"): readonly ClaimedScope[] {
  if (kind === "event") return [claimedScope(body, "")];
  const { list, path } = locateEvents(body);
  return Array.isArray(list) ? list.map((each: unknown, i) => claimedScope(each, `${path}[${i}]`)) : [];
}

function claimedScope(value: unknown, path: string): ClaimedScope {
  const event = asWireObject(value) ?? {};
  const properties = asWireObject(memberOf(event, "properties")) ?? {};
  const names = memberOf(properties, "searchcraft_index_names");
  const federation = memberOf(properties, "searchcraft_federation_name");
  return {
    path,
    indexNames: Array.isArray(names) ? names.filter((name) => typeof name === "string" && name !== "") : [],
    federationName: typeof federation === "string" ? federation : undefined,
    isBackdated: memberOf(event, "received_at") !== undefined,
  };
}

function locateEvents(body: unknown): { readonly list: unknown; readonly path: string } {
  if (Array.isArray(body)) return { list: body, path: "" };
  const items = memberOf(asWireObject(body) ?? {}, "items");
  return items === undefined ? { list: undefined, path: "" } : { list: items, path: "items" };
}

function parseEvent(value: unknown, path: string, problems: Problems): MeasureEvent {
  const event = objectAt(value, path, problems);
  if (event === undefined) return NO_EVENT;
  const name = requiredText(event, "event_name", { path, lengthMax: EVENT_NAME_LENGTH_MAX, problems });
  const propertiesPath = join(path, "properties");
  const properties = objectAt(memberOf(event, "properties"), propertiesPath, problems);
  const userPath = join(path, "user");
  const user = objectAt(memberOf(event, "user"), userPath, problems);
  const receivedAt = memberOf(event, "received_at");
  return {
    event_name: name,
    properties:
      properties === undefined ? NO_EVENT.properties : parseProperties(properties, propertiesPath, problems),
    user: user === undefined ? NO_EVENT.user : parseUser(user, userPath, problems),
    ...(receivedAt !== undefined && {
      received_at: parseReceivedAt(receivedAt, join(path, "received_at"), problems),
    }),
  };
}

/** In place of what is wrong; never gets out, as a problem has been noted. */
const NO_EVENT: MeasureEvent = {
  event_name: "",
  properties: { searchcraft_index_names: [] },
  user: { user_id: "" },
};

function parseProperties(properties: WireObject, path: string, problems: Problems): MeasureProperties {
  return {
    ...optionalMembers<typeof PROPERTY_KINDS>(properties, PROPERTIES, path, problems),
    searchcraft_index_names: parseIndexNames(
      memberOf(properties, "searchcraft_index_names"),
      join(path, "searchcraft_index_names"),
      problems,
    ),
  };
}

function parseIndexNames(value: unknown, path: string, problems: Problems): readonly string[] {
  if (!Array.isArray(value)) {
    problems.add(
      path,
      value === undefined
        ? "is missing; it may be empty"
        : `must be a list of index names, not ${describeKind(value)}`,
    );
    return [];
  }
  if (value.length > EVENT_INDEX_NAMES_MAX) {
    problems.add(path, `names ${value.length} indexes, at most ${EVENT_INDEX_NAMES_MAX} are allowed`);
    return [];
  }
  const names = value.map((name: unknown, i) => {
    const problem = textProblem(name, EVENT_TEXT_LENGTH_MAX) ?? controlProblem(name as string);
    if (problem !== undefined) problems.add(`${path}[${i}]`, problem);
    return name as string;
  });
  // An empty name is what is left of a setting that nobody made: it names nothing.
  return [...new Set(names)].filter((name) => name !== "");
}

/** No index has such a name, and stores part names by one of these characters. */
function controlProblem(name: string): string | undefined {
  return CONTROL_CHARACTER.test(name) ? "holds a control character; no index is named so" : undefined;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

function parseUser(user: WireObject, path: string, problems: Problems): MeasureUser {
  const type = memberOf(user, "user_type");
  const knownType = USER_TYPES.find((each) => each === type);
  if (type !== undefined && knownType === undefined) {
    problems.add(join(path, "user_type"), `must be one of ${USER_TYPES.join(", ")}`);
  }
  return {
    user_id: requiredText(user, "user_id", { path, lengthMax: EVENT_TEXT_LENGTH_MAX, problems }),
    ...(knownType !== undefined && { user_type: knownType }),
    ...optionalMembers<typeof USER_KINDS>(user, USER_MEMBERS, path, problems),
  };
}

type Kind = "text" | "number";
type MembersOf<Kinds> = {
  readonly [Name in keyof Kinds]?: Kinds[Name] extends "text" ? string : number;
};

const PROPERTIES: readonly (readonly [string, Kind])[] = Object.entries(PROPERTY_KINDS);
const USER_MEMBERS: readonly (readonly [string, Kind])[] = Object.entries(USER_KINDS);

/** Thousands of events a second come through here: places are only spelled out where something is wrong. */
function optionalMembers<Kinds>(
  object: WireObject,
  kinds: readonly (readonly [string, Kind])[],
  path: string,
  problems: Problems,
): MembersOf<Kinds> {
  const members: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const value = memberOf(object, name);
    if (value === undefined) continue;
    const problem = kind === "text" ? textProblem(value, EVENT_TEXT_LENGTH_MAX) : numberProblem(value);
    if (problem === undefined) members[name] = value;
    else problems.add(join(path, name), problem);
  }
  return members as MembersOf<Kinds>;
}

function requiredText(
  object: WireObject,
  name: string,
  {
    path,
    lengthMax,
    problems,
  }: { readonly path: string; readonly lengthMax: number; readonly problems: Problems },
): string {
  const value = memberOf(object, name);
  const place = join(path, name);
  if (value === undefined) problems.add(place, "is missing");
  else if (value === "") problems.add(place, "must not be empty");
  else return textAt(value, place, lengthMax, problems);
  return "";
}

/** The text, or "" where it is none and a problem has been noted. */
function textAt(value: unknown, path: string, lengthMax: number, problems: Problems): string {
  const problem = textProblem(value, lengthMax);
  if (problem === undefined) return value as string;
  problems.add(path, problem);
  return "";
}

function textProblem(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== "string") return `must be a string, not ${describeKind(value)}`;
  if (hasMoreCodePoints(value, lengthMax)) return `is longer than ${lengthMax} characters`;
  // What the analytics databases take as the end of a text.
  return value.includes("\0") ? "holds the character U+0000; leave it out" : undefined;
}

function numberProblem(value: unknown): string | undefined {
  if (typeof value !== "number") return `must be a number, not ${describeKind(value)}`;
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : "must be a number from -(2^53-1) to 2^53-1";
}

function parseReceivedAt(value: unknown, path: string, problems: Problems): number {
  const instant = typeof value === "string" || typeof value === "number" ? parseInstant(value) : null;
  if (instant === null || instant < 0) {
    problems.add(path, "must be a time since 1970, such as 2024-05-01T12:00:00Z or Unix seconds");
    return 0;
  }
  return instant;
}

function objectAt(value: unknown, path: string, problems: Problems): WireObject | undefined {
  const object = asWireObject(value);
  if (object === undefined) {
    problems.add(path, value === undefined ? "is missing" : `must be an object, not ${describeKind(value)}`);
  }
  return object;
}

function join(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}

/** What is wrong with a body, place by place. */
class Problems {
  readonly #items: ErrorItem[] = [];

  add(path: string, problem: string): void {
    if (this.#items.length >= ITEMS_MAX) return;
    this.#items.push({ path, message: `${path === "" ? "the body" : `'${path}'`} ${problem}` });
  }

  /** @throws FindlingError `invalid_request` */
  throwIfAny(): void {
    const [first] = this.#items;
    if (first !== undefined)
      throw new FindlingError("invalid_request", first.message, { items: this.#items });
  }
}
