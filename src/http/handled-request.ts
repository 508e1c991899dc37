import type { Services } from "../services/create-services.js";

/** What is told of a request once it is over. */
export interface HandledRequest {
  readonly id: string;
  readonly method: string;
  /** As sent. */
  readonly url: string;
  /** Path of the route that took it, as the table has it; null where none did. */
  readonly route: string | null;
  readonly operation: Parameters<Services["metrics"]["requestEnded"]>[0]["operation"];
}

/** How it ended. */
export interface RequestEnd {
  readonly status: number;
  /** False: the caller has gone before. */
  readonly isWhole: boolean;
  readonly durationMs: number;
}
