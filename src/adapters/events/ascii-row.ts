import type { OwnMembers, SharedMembers } from "../../ports/event-store.js";
import { classOf, membersOf } from "./event-row.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TILDE = 0x7e;
const LETTER_A = 0x41;
const LETTER_Z = 0x5a;
const TO_SMALL = 0x20;
const ZERO = 0x30;

/** Numbers are written in two halves of so many digits, small integers both. */
const HALF = 1e8;
const HALF_DIGITS = 8;
/** Below it no half is longer. */
const NUMBER_MAX = 1e16;

const ASCII = /^[\0-\x7f]*$/;
const LONE_SURROGATE = /\\ud[89a-f]/i;

const CLASS = asciiOf('{"event_class":');
const ID = asciiOf(',"event_id":');
const TIME = asciiOf(',"received_at":');
const SEARCH_TERM = asciiOf(',"search_term":');
const TERM = asciiOf(',"term":');
const KIND = asciiOf(',"search_kind":');
const COUNT = asciiOf(',"number_of_documents":');
/** What these and the numbers take at most. */
const FRAME_BYTES_MAX = 256;

/** What the rows of events with the same shared members have in common. */
interface SharedRow {
  /** Up to the line feed. */
  readonly members: Uint8Array;
  readonly eventClass: number;
  /** The class where the number of documents is 0. */
  readonly classOfNone: number;
}

/** Null where it isn't all ASCII. */
const SHARED_ROWS = new WeakMap<SharedMembers, SharedRow | null>();

/** Bytes that an event's row takes at most if `writeAsciiRow` writes it. */
export function asciiRowRoom(
  { eventId, searchTerm = "", searchKind = "" }: OwnMembers,
  shared: SharedMembers,
): number {
  const ofShared = sharedRowOf(shared)?.members.length ?? 0;
  return FRAME_BYTES_MAX + ofShared + 2 * (eventId.length + 2 * searchTerm.length + searchKind.length);
}

/**
 * Writes the row of an event that is made of ASCII without control characters alone, as nearly all are, of what is
 * remembered of the shared members, without a text that would have to be joined, made flat and encoded.
 *
 * @param start where there is `asciiRowRoom`
 * @returns where it ends; -1 where the event isn't like that, and what was written is of no use
 */
export function writeAsciiRow(
  target: Uint8Array,
  start: number,
  own: OwnMembers,
  shared: SharedMembers,
): number {
  const { eventId, receivedAt, searchTerm = "", searchKind = "", numberOfDocuments = Number.NaN } = own;
  const sharedRow = sharedRowOf(shared);
  if (sharedRow === null || !isWritable(receivedAt) || !isWritable(numberOfDocuments)) return -1;
  let at = putBytes(target, start, CLASS);
  target[at++] = ZERO + (numberOfDocuments === 0 ? sharedRow.classOfNone : sharedRow.eventClass);
  if (eventId !== "") at = putText(target, at, ID, eventId);
  if (Number.isFinite(receivedAt)) at = putNumber(target, at, TIME, receivedAt);
  if (searchTerm !== "") at = putTerm(target, putText(target, at, SEARCH_TERM, searchTerm), searchTerm);
  if (searchKind !== "") at = putText(target, at, KIND, searchKind);
  if (Number.isFinite(numberOfDocuments)) at = putNumber(target, at, COUNT, numberOfDocuments);
  if (at < 0) return -1;
  target.set(sharedRow.members, at);
  return at + sharedRow.members.length;
}

function sharedRowOf(shared: SharedMembers): SharedRow | null {
  let row = SHARED_ROWS.get(shared);
  if (row === undefined) {
    // Neither an empty text nor a number that isn't finite is written.
    const event = { ...shared, eventId: "", receivedAt: Number.NaN };
    const members = `${membersOf(event)}}\n`;
    const classOfNone = classOf({ ...event, numberOfDocuments: 0 });
    row =
      ASCII.test(members) && !LONE_SURROGATE.test(members)
        ? { members: asciiOf(members), eventClass: classOf(event), classOfNone }
        : null;
    SHARED_ROWS.set(shared, row);
  }
  return row;
}

/** Whether it is written as its digits, or not at all. */
function isWritable(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && value >= 0 && value < NUMBER_MAX);
}

function putBytes(target: Uint8Array, start: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) target[start + i] = bytes[i]!;
  return start + bytes.length;
}

/** As the others that follow, -1 from the first character on that can't be written so. */
function putText(target: Uint8Array, start: number, name: Uint8Array, text: string): number {
  if (start < 0) return -1;
  let at = putBytes(target, start, name);
  target[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || code > TILDE) return -1;
    if (code === QUOTE || code === BACKSLASH) target[at++] = BACKSLASH;
    target[at++] = code;
  }
  target[at++] = QUOTE;
  return at;
}

/** What terms are compared by, if anything is left of it: trimmed, in small letters. */
function putTerm(target: Uint8Array, start: number, searchTerm: string): number {
  let from = 0;
  let end = searchTerm.length;
  while (from < end && searchTerm.charCodeAt(from) === SPACE) from++;
  while (end > from && searchTerm.charCodeAt(end - 1) === SPACE) end--;
  if (start < 0 || from === end) return start;
  let at = putBytes(target, start, TERM);
  target[at++] = QUOTE;
  for (let i = from; i < end; i++) {
    const code = searchTerm.charCodeAt(i);
    if (code === QUOTE || code === BACKSLASH) target[at++] = BACKSLASH;
    target[at++] = code >= LETTER_A && code <= LETTER_Z ? code + TO_SMALL : code;
  }
  target[at++] = QUOTE;
  return at;
}

function putNumber(target: Uint8Array, start: number, name: Uint8Array, value: number): number {
  if (start < 0) return -1;
  const at = putBytes(target, start, name);
  if (value < HALF) return putDigits(target, at, value, 1);
  const high = Math.floor(value / HALF);
  return putDigits(target, putDigits(target, at, high, 1), value - high * HALF, HALF_DIGITS);
}

function putDigits(target: Uint8Array, start: number, value: number, digitsMin: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++;
  const end = start + Math.max(digits, digitsMin);
  let rest = value;
  for (let at = end - 1; at >= start; at--) {
    const tens = (rest / 10) | 0;
    target[at] = ZERO + rest - 10 * tens;
    rest = tens;
  }
  return end;
}

function asciiOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
