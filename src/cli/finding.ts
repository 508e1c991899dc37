/** `warning`: all is well now, and won't be for long. `damage`: stored data needs somebody. */
export type Standing = "ok" | "warning" | "problem" | "damage";

/** What `findling doctor` found out about one thing. */
export interface Finding {
  readonly check: string;
  readonly standing: Standing;
  readonly finding: string;
  /** What to do; absent where nothing is to be done. */
  readonly advice?: string;
}
