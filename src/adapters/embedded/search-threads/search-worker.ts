/** A thread that searches: follows the snapshots that it is sent, and runs one search at a time. */
import { parentPort, workerData } from "node:worker_threads";
import {
  FileDirectory,
  type HeldSearcher,
  type SearchInterrupt,
  SnapshotFollower,
  searchTimeout,
} from "../../../engine/server-door.js";
import { toPlainError } from "../writing/plain-error.js";
import { PageSender } from "./page-message.js";
import { type OutcomeMessage, runTask, toOutcomeMessage } from "./search-task.js";
import { ThreadCaches } from "./thread-caches.js";
import { processNow, type ThreadReply, type ThreadRequest, type ThreadStart } from "./thread-messages.js";

/** Less is copied to the other thread, which takes longer there than being handed it only where it is more. */
const COPIED_BYTES_MAX = 256 * 1024;

interface OpenedSnapshot {
  readonly path: string;
  readonly held: HeldSearcher;
}

const port = parentPort;
if (port === null) throw new Error("search-worker runs as a worker thread only");

const { threadNumber, abandoned, caches: sharedCaches } = workerData as ThreadStart;
const caches = new ThreadCaches(sharedCaches);
const followers = new Map<string, SnapshotFollower>();
const snapshots = new Map<number, OpenedSnapshot>();
const pages = new PageSender();

// Opening waits for the disk, so the next request may come before one is done.
let turn: Promise<void> = Promise.resolve();
port.on("message", (request: ThreadRequest) => {
  turn = turn.then(() => serve(request));
});

reply({ kind: "ready", id: null }, []);

async function serve({ closes, opens, search }: ThreadRequest): Promise<void> {
  const isOpen = await openAll(opens);
  // Only now: what a new snapshot has in common with an old one stays open, and what was made for it is kept.
  for (const snapshot of closes) close(snapshot);
  if (search === null) return;
  const { id, slot, task, limitMs, endsAtMs } = search;
  // One that was sent without a search may have come too late for its files, too.
  if (!isOpen || search.snapshots.some((snapshot) => !snapshots.has(snapshot))) {
    for (const snapshot of search.snapshots) close(snapshot);
    reply({ kind: "stale", id }, []);
    return;
  }
  const interrupt: SearchInterrupt = {
    check() {
      if (processNow() >= endsAtMs || Atomics.load(abandoned, slot) === id) throw searchTimeout(limitMs);
    },
  };
  try {
    const searchers = search.snapshots.map((snapshot) => snapshots.get(snapshot)!.held.searcher);
    const outcome = toOutcomeMessage(runTask(task, searchers, { interrupt, admit() {} }), pages);
    reply({ kind: "found", id, outcome }, buffersOf(outcome));
  } catch (error) {
    reply({ kind: "failed", id, error: toPlainError(error) }, []);
  } finally {
    caches.tell();
  }
}

/** False if files of one are gone. */
async function openAll(opens: ThreadRequest["opens"]): Promise<boolean> {
  try {
    for (const each of opens) await open(each);
    return true;
  } catch {
    return false;
  }
}

async function open({ snapshot, path, shared }: ThreadRequest["opens"][number]): Promise<void> {
  let follower = followers.get(path);
  if (follower === undefined) {
    follower = new SnapshotFollower(await FileDirectory.open(path, { create: false }), threadNumber);
    followers.set(path, follower);
  }
  try {
    snapshots.set(snapshot, { path, held: await follower.open(shared) });
  } finally {
    if (follower.isEmpty) followers.delete(path);
  }
}

function close(snapshot: number): void {
  const opened = snapshots.get(snapshot);
  if (opened === undefined) return;
  snapshots.delete(snapshot);
  opened.held.release();
  if (followers.get(opened.path)?.isEmpty === true) followers.delete(opened.path);
}

function reply(message: ThreadReply, transferred: readonly ArrayBuffer[]): void {
  port!.postMessage(message, transferred);
}

function buffersOf(outcome: OutcomeMessage): ArrayBuffer[] {
  if (outcome.kind !== "order") return handedOver(outcome.page.texts);
  const { members, segments, docIds, scores } = outcome.order;
  return [members.buffer, segments.buffer, docIds.buffer, scores.buffer];
}

/** @param text one of those that lie in one buffer, which nothing else does */
function handedOver(text: Uint8Array | undefined): ArrayBuffer[] {
  const buffer = text?.buffer;
  return buffer instanceof ArrayBuffer && buffer.byteLength > COPIED_BYTES_MAX ? [buffer] : [];
}
