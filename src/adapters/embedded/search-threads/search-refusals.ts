import { FindlingError } from "../../../errors/index.js";

/** More searches wait than may, or one has waited in vain. */
export function tooMany(): FindlingError {
  return new FindlingError(
    "rate_limited",
    "too many searches that take long are waiting; try again later, or make this one simpler",
    { retryAfterSeconds: 1 },
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
