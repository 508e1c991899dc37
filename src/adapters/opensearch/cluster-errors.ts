import { errors } from "@opensearch-project/opensearch";
import { FindlingError } from "../../errors/index.js";

/** The time for all tries of a request is over. */
export class LateAnswer extends Error {}

const { ResponseError, TimeoutError, RequestAbortedError } = errors;

const RETRY_AFTER_SECONDS = 1;

/** What the cluster says of a request that it didn't carry out. */
interface ClusterProblem {
  readonly type: string;
  readonly reason: string;
}

/** Reasons that say that a query has more parts than the cluster takes. */
const TOO_LARGE =
  /too_many_(nested_)?clauses|maxClauseCount|too many (nested )?clauses|max_terms_count|x_content_depth/i;
/** Reasons why a point in time is lost: a node has forgotten it or is gone, or an index is. */
const POINT_LOST =
  /search_context_missing|index_not_found|no_shard_available|node_not_connected|node_disconnected/;
/** Kinds of what is wrong with shards of the index that was asked. */
const OF_SHARDS = /shard|search_phase_execution/;
/** What a node says that has lost its connection to the one that has the shard: soon another has it, or none. */
const NODE_LOST = /^node_(not_connected|disconnected)_exception$/;
const REJECTED = /rejected_execution|circuit_breaking/;

/**
 * What a caller hears of an error of the client's: `rate_limited` where the cluster is busy, `search_timeout` where the
 * time was up, `invalid_request` where a query is too large, else `storage_unavailable`. Reasons of the cluster may
 * quote documents, so that only their type is told.
 */
export function clusterError(error: unknown): FindlingError {
  if (error instanceof FindlingError) return error;
  if (error instanceof ResponseError) return ofAnswer(error.statusCode ?? 500, problemOf(error.body), error);
  if (error instanceof RequestAbortedError) {
    return new FindlingError("search_timeout", "the caller has gone", { cause: error });
  }
  const what =
    error instanceof TimeoutError || error instanceof LateAnswer
      ? "did not answer in time"
      : "can't be reached";
  return new FindlingError("storage_unavailable", `the OpenSearch cluster ${what}`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** What is wrong with one item of a bulk request. */
export function itemError(status: number, problem: unknown): FindlingError {
  return ofAnswer(status, problemOf({ error: problem }), undefined);
}

/**
 * Whether an error says that the cluster as a whole isn't there. One index without its shards is no reason to keep
 * requests from the others. Null: a request that was given up tells nothing.
 */
export function isClusterFailure(error: unknown): boolean | null {
  if (error instanceof RequestAbortedError) return null;
  if (!(error instanceof ResponseError)) return true;
  return (error.statusCode ?? 500) >= 500 && !OF_SHARDS.test(problemOf(error.body).type);
}

/** Whether an error says that a node has gone under the request, which soon may go through. */
export function isNodeLost(error: unknown): boolean {
  return error instanceof ResponseError && NODE_LOST.test(problemOf(error.body).type);
}

/** Whether an error says that the answer would be longer than a text may be here, and wasn't read. */
export function isTooLong(error: unknown): boolean {
  const cause = error instanceof FindlingError ? error.cause : error;
  return cause instanceof RequestAbortedError && cause.message.startsWith("The content length");
}

/** Whether an error says that the cluster has no such point in time any more. */
export function isPointLost(error: unknown): boolean {
  const cause = error instanceof FindlingError ? error.cause : error;
  if (!(cause instanceof ResponseError)) return false;
  const { type, reason } = problemOf(cause.body);
  return POINT_LOST.test(`${type} ${reason}`);
}

function ofAnswer(status: number, { type, reason }: ClusterProblem, cause: unknown): FindlingError {
  const details = type === "" ? `it answered ${status}` : `it answered ${status} ${type}`;
  const more = { details, cause, retryAfterSeconds: RETRY_AFTER_SECONDS };
  // It answers 429 for disks that are full, too: that doesn't pass by waiting.
  const isBlocked = type === "cluster_block_exception";
  if ((status === 429 && !isBlocked) || REJECTED.test(type)) {
    return new FindlingError("rate_limited", "the OpenSearch cluster is busy; try again later", more);
  }
  if (TOO_LARGE.test(type) || TOO_LARGE.test(reason)) {
    return new FindlingError(
      "invalid_request",
      "the query has more parts than the OpenSearch cluster takes; use fewer words, fields or values",
      { cause },
    );
  }
  if (status === 401 || (status === 403 && !isBlocked)) {
    const message = "the OpenSearch cluster refuses the server's credentials";
    return new FindlingError("storage_unavailable", message, more);
  }
  const message = isBlocked
    ? "the OpenSearch cluster takes no changes now, as where its disks are full"
    : "the OpenSearch cluster could not carry the request out";
  return new FindlingError("storage_unavailable", message, more);
}

/** The innermost cause, which says what was the matter. */
function problemOf(body: unknown): ClusterProblem {
  const { error } = (body ?? {}) as { readonly error?: unknown };
  if (typeof error !== "object" || error === null) return { type: "", reason: String(error ?? "") };
  const {
    type,
    reason,
    root_cause: roots,
    failed_shards: shards,
  } = error as {
    readonly type?: string;
    readonly reason?: string;
    readonly root_cause?: readonly { readonly type?: string; readonly reason?: string }[];
    readonly failed_shards?: readonly {
      readonly reason?: { readonly type?: string; readonly reason?: string };
    }[];
  };
  const root = shards?.[0]?.reason ?? roots?.[0];
  const all = [reason, root?.reason, JSON.stringify((error as { caused_by?: unknown }).caused_by ?? "")];
  return { type: root?.type ?? type ?? "", reason: all.join(" ") };
}
