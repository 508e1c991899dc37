import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import { LogOutput } from "./log-output.js";

export type { Logger } from "pino";

export interface LoggerOptions {
  readonly level: string;
  /** One JSON object, or one line of text, for each event. */
  readonly format: "json" | "text";
  /** Where lines go; the process's standard error by default, so that standard output stays the command's. */
  readonly destination?: DestinationStream;
  /** Gets each line as JSON besides, whatever the format. */
  readonly ring?: { add(line: string): void };
}

/** A logger, and what becomes of its lines. */
export interface OpenLog {
  readonly logger: Logger;
  /** Lines that couldn't be written since the start. */
  lostLines(): number;
  /** Writes what is left. */
  close(): void;
}

/**
 * Structured logging. Nothing logs headers or bodies, so keys have no way in (paths: see `maskedPath`). Warnings and
 * errors are written at once; a kill loses a tenth of a second of lines about requests.
 */
export function openLog(options: LoggerOptions): OpenLog {
  const { destination, ring } = options;
  const formatted = options.format === "json" ? (line: string): string => line : asText;
  const lineOf = (line: string): string => {
    ring?.add(line);
    return formatted(line);
  };
  if (destination !== undefined) {
    const logger = createLogger(options.level, { write: (line) => destination.write(lineOf(line)) });
    return { logger, lostLines: () => 0, close: () => undefined };
  }
  const output = new LogOutput((lostLines) => formatted(lossNotice(lostLines)));
  const logger = createLogger(options.level, { write: (line) => output.write(lineOf(line)) }, (level) => {
    if (level >= pino.levels.values["warn"]!) output.flush();
  });
  return { logger, lostLines: () => output.lostLines, close: () => output.close() };
}

function createLogger(
  level: string,
  destination: DestinationStream,
  onWritten: (level: number) => void = () => undefined,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(line, log, numberOfLevel) {
          log.apply(this, line);
          onWritten(numberOfLevel);
        },
      },
    },
    destination,
  );
}

/** A line of its own, as pino would write it. */
function lossNotice(lostLines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: "warn", time, lost_lines: lostLines, msg: "log lines were lost" })}\n`;
}

/** Rewrites pino's JSON lines as `time LEVEL message name=value …`. */
function asText(line: string): string {
  const { time, level, msg, ...members } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(members).map(([name, value]) => `${name}=${textValue(name, value)}`);
  return `${[String(time), String(level).toUpperCase().padEnd(5), String(msg ?? ""), ...rest].join(" ")}\n`;
}

function textValue(name: string, value: unknown): string {
  if (name === "err") return (value as { stack?: string }).stack ?? JSON.stringify(value);
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
