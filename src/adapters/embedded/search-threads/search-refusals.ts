import { FindlingError } from "../../../errors/index.js";

/** Nobody is told to come again later than this. */
const RETRY_AFTER_SECONDS_MAX = 30;

/**
 * More searches wait than may, or one would wait in vain.
 *
 * @param waitMs how long it would wait, as far as can be told
 */
export function tooMany(waitMs: number): FindlingError {
  const seconds = Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(waitMs / 1000)));
  return new FindlingError(
    "rate_limited",
    "too many searches that take long are waiting; try again later, or make this one simpler",
    { retryAfterSeconds: seconds },
  );
}

/** Nobody reads it. */
export function abandoned(): FindlingError {
  return new FindlingError("search_timeout", "the search was stopped, as whoever asked for it has gone");
}

/** Several threads ended over it. */
export function died(): FindlingError {
  return new FindlingError(
    "storage_unavailable",
    "threads ended unexpectedly over this search; the server's log says why; make the search simpler, or try again later",
  );
}

/** The server is stopping. */
export function stopped(): FindlingError {
  return new FindlingError("storage_unavailable", "searching has stopped");
}
