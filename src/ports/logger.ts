/** Plain values that belong to a log line; never a secret. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where the operator reads what happened. Never throws. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields, error?: unknown): void;
  error(message: string, fields?: LogFields, error?: unknown): void;
}
