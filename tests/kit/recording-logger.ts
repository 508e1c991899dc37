import type { LogFields, Logger } from "../../src/ports/logger.js";

/** Keeps what was logged for a test to look at. */
export class RecordingLogger implements Logger {
  readonly lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields | undefined;
  }[] = [];

  info(message: string, fields?: LogFields): void {
    this.lines.push({ level: "info", message, fields });
  }

  warn(message: string, fields?: LogFields): void {
    this.lines.push({ level: "warn", message, fields });
  }

  error(message: string, fields?: LogFields): void {
    this.lines.push({ level: "error", message, fields });
  }
}
