/** What runners are asked and answer: one JSON command a line, one JSON answer a line. */
import type { IndexLayout } from "./index-layout.js";
import type { Mode, PeerAnswer, PeerQuery } from "./peer-query.js";

export type RunnerCommand =
  | { readonly cmd: "info" }
  /** Builds an index of the input in an empty folder: one thread, as many segments as the layout says. */
  | ({ readonly cmd: "build"; readonly input: string; readonly dir: string } & IndexLayout)
  | { readonly cmd: "open"; readonly dir: string }
  /** The queries that later commands name by their place in this list. */
  | { readonly cmd: "queries"; readonly queries: readonly PeerQuery[] }
  | { readonly cmd: "answers"; readonly mode: Mode; readonly places: readonly number[] }
  /** Each query repeated, in batches. */
  | { readonly cmd: "hot"; readonly mode: Mode; readonly places: readonly number[] }
  /** Each query once, in the order given. */
  | { readonly cmd: "mixed"; readonly mode: Mode; readonly places: readonly number[] }
  | { readonly cmd: "quit" };

export interface InfoAnswer {
  readonly engine: string;
  readonly version: string;
  readonly modes: readonly Mode[];
  /** Whether scores are BM25 as Tantivy computes it, so that they can be compared. */
  readonly comparableScores: boolean;
}

export interface BuildAnswer {
  readonly build_s: number;
}

export interface OpenAnswer {
  readonly open_s: number;
  readonly docs: number;
  readonly segments: number;
  readonly index_bytes: number;
  readonly store_bytes: number;
}

export interface QueriesAnswer {
  /** By place, whether the engine has a query of that kind. */
  readonly supported: readonly boolean[];
}

export interface AnswersAnswer {
  readonly answers: readonly PeerAnswer[];
}

export interface TimesAnswer {
  /** Microseconds, in the order of the command's places. */
  readonly times: readonly number[];
}
