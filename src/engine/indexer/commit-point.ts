import { CorruptionError } from "../../errors/index.js";
import { crc32 } from "../bytes/crc32.js";
import type { FileOwner } from "../bytes/file-owner.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import type { SegmentIdentity } from "../segment/open-segment.js";
import { segmentFileNames } from "../segment/segment-files.js";

/** One segment as a commit names it. */
export interface CommittedSegment extends SegmentIdentity {
  readonly name: string;
  readonly maxDoc: number;
  readonly deletedCount: number;
  /** Name of the file with the live documents; null when none is deleted. */
  readonly liveDocsFile: string | null;
  /** Bytes of the segment's files on disk. */
  readonly bytes: number;
}

/**
 * The root of an index: everything that a commit made visible, and the journal of what came after it.
 * Written to a file of its own, `commit-<generation>`, published by atomic rename; the highest
 * generation counts.
 *
 * ```
 * FINDLING-COMMIT <version> <crc32 of version (one byte) and body, 8 hex digits> <bytes of the body, decimal>\n
 * <body: JSON>\n
 * ```
 */
export interface CommitPoint {
  /** The index that it belongs to; null: written before commit points said so. */
  readonly owner: FileOwner | null;
  /** From 1, one more at each publication. */
  readonly generation: number;
  /** The journal that holds acknowledged writes after this commit. */
  readonly journal: string;
  /** The journal's salt, which no other journal has; null: written before commit points named it. */
  readonly journalSalt: string | null;
  /** Entries at the journal's beginning that are part of this commit: only those behind them are replayed. */
  readonly committedEntries: number;
  /** Number of the next segment; names are never used twice. */
  readonly nextSegment: number;
  /** In insertion order. */
  readonly segments: readonly CommittedSegment[];
  readonly schema: EngineSchema;
}

const MAGIC = "FINDLING-COMMIT";
const VERSION = 3;
/** Versions whose commit points don't say which index, segments and journal they mean. */
const UNBOUND_VERSIONS: readonly number[] = [1, 2];
const PREFIX = "commit-";

export function commitPointName(generation: number): string {
  return PREFIX + hexadecimal(generation);
}

/** Generation of a commit point's file name; null for any other name. */
export function commitPointGeneration(name: string): number | null {
  return /^commit-[0-9a-f]{8}$/.test(name) ? Number.parseInt(name.slice(PREFIX.length), 16) : null;
}

export function segmentName(ordinal: number): string {
  return `s${hexadecimal(ordinal)}`;
}

export function journalName(generation: number): string {
  return `journal-${hexadecimal(generation)}`;
}

/** Eight lower-case hex digits, so that names sort as their numbers do. */
export function hexadecimal(value: number): string {
  return value.toString(16).padStart(8, "0");
}

/** Names of all files that a commit point needs, itself included. */
export function filesOfCommit(commitPoint: CommitPoint): Set<string> {
  const files = new Set([commitPointName(commitPoint.generation), commitPoint.journal]);
  for (const segment of commitPoint.segments) {
    for (const file of segmentFileNames(segment.name)) files.add(file);
    if (segment.liveDocsFile !== null) files.add(segment.liveDocsFile);
  }
  return files;
}

export function encodeCommitPoint(commit: CommitPoint): Uint8Array {
  const encoder = new TextEncoder();
  const body = encoder.encode(JSON.stringify(commit));
  const head = encoder.encode(`${MAGIC} ${VERSION} ${hexadecimal(checksumOf(body))} ${body.length}\n`);
  const bytes = new Uint8Array(head.length + body.length + 1);
  bytes.set(head);
  bytes.set(body, head.length);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}

/** @throws CorruptionError naming the file if any byte is not as it was written */
export function decodeCommitPoint(file: string, bytes: Uint8Array): CommitPoint {
  const headEnd = bytes.subarray(0, 64).indexOf(0x0a);
  const head = headEnd < 0 ? null : latin1(bytes.subarray(0, headEnd));
  const match = head === null ? null : /^FINDLING-COMMIT (\d+) ([0-9a-f]{8}) (\d+)$/.exec(head);
  if (match === null) throw new CorruptionError(file, "it does not start like a commit point");
  const version = Number(match[1]);
  if (version !== VERSION && !UNBOUND_VERSIONS.includes(version)) {
    throw new CorruptionError(
      file,
      `its format version is ${version}, this program reads ${UNBOUND_VERSIONS.join(", ")} and ${VERSION}`,
    );
  }
  const body = bytes.subarray(headEnd + 1, -1);
  if (String(body.length) !== match[3] || bytes[bytes.length - 1] !== 0x0a) {
    throw new CorruptionError(file, `its length is not the ${match[3]} bytes that it announces`);
  }
  const checksum = version === VERSION ? checksumOf(body) : crc32(body);
  if (hexadecimal(checksum) !== match[2]) throw new CorruptionError(file, "its checksum does not match");
  const commit = JSON.parse(new TextDecoder().decode(body)) as CommitPoint;
  return version === VERSION ? commit : unbound(commit);
}

/** The checksum covers the version as well: a flipped bit of it makes another one of those that can be read. */
function checksumOf(body: Uint8Array): number {
  return crc32(body, crc32(Uint8Array.of(VERSION)));
}

/** A commit point of an older version, which has no committed entries where there are none. */
function unbound(commit: Omit<CommitPoint, "committedEntries"> & { committedEntries?: number }): CommitPoint {
  return {
    ...commit,
    owner: null,
    journalSalt: null,
    committedEntries: commit.committedEntries ?? 0,
    segments: commit.segments.map((segment) => ({ ...segment, owner: null, isBound: false })),
  };
}

/** A plain copy: the bytes may lie in memory shared between threads, which TextDecoder refuses. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
