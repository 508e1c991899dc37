import { FindlingClientError } from "../../client/index.js";

/** How long a server that is busy, restarting or gone is waited for before the import gives up. */
export const RETRY_SECONDS_MAX = 120;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Busy or not there: the server has carried out nothing of the request. */
export function isCertainlyUndone(error: unknown): boolean {
  if (!(error instanceof FindlingClientError)) return false;
  return error.status === 429 || error.status === 503 || error.code === "unreachable";
}

/** The answer was lost on the way: the server may have carried the request out. */
export function isPerhapsDone(error: unknown): boolean {
  return error instanceof FindlingClientError && error.code === "connection_lost";
}

/** The server is there and may still be at it. */
export function isTimeout(error: unknown): boolean {
  return error instanceof FindlingClientError && error.code === "timeout";
}

/**
 * Runs the operation until it succeeds, fails for a reason that waiting doesn't mend, or the time is
 * up; then the last failure is thrown. Pauses double from 200 ms to 5 s, with jitter, unless the
 * server asks for a time of its own.
 */
export async function retrying<Result>(
  operation: () => Promise<Result>,
  options: { readonly isRetryable: (error: unknown) => boolean; readonly secondsMax: number },
): Promise<Result> {
  const deadline = performance.now() + options.secondsMax * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await operation();
    } catch (error) {
      const asked = error instanceof FindlingClientError ? error.retryAfterSeconds : undefined;
      const waitMs = asked === undefined ? pauseMs * (0.5 + Math.random() / 2) : asked * 1000;
      if (!options.isRetryable(error) || performance.now() + waitMs > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
