/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls back once after the delay unless cancelled; never keeps the process alive. */
  after(delayMs: number, callback: () => void): { cancel(): void };
}
