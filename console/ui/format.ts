const NUMBER = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const SECOND = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

export function formatShort(value: number): string {
  return SHORT.format(value);
}

export function formatShare(value: number): string {
  return PERCENT.format(value);
}

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** Bytes in powers of 1,024. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms >= 10) return `${Math.round(ms)} ms`;
  return ms >= 0.1 ? `${ms.toFixed(1)} ms` : `${Math.round(ms * 1_000)} µs`;
}

export function formatScore(score: number): string {
  return score >= 1_000 ? formatNumber(Math.round(score)) : score.toPrecision(4).replace(/\.?0+$/, "");
}

/** In the viewer's zone. */
export function formatInstant(instant: string | number): string {
  return INSTANT.format(new Date(instant));
}

export function formatUtc(instant: string | number): string {
  return `${new Date(instant).toISOString().replace("T", " ").replace(/\..*/, "")} UTC`;
}

/** Moments along an axis in the viewer's zone, as exact as they are apart. @param step seconds between them */
export function formatTick(instant: number, step: number): string {
  const format = step >= 86_400 ? DAY : step >= 60 ? MINUTE : SECOND;
  return format.format(new Date(instant));
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

export function formatAgo(instant: string | number): string {
  const ms = new Date(instant).getTime() - Date.now();
  const [unit, length] = STEPS.find(([, step]) => Math.abs(ms) >= step) ?? ["second", 1_000];
  return RELATIVE.format(Math.round(ms / length), unit);
}

export function formatDuration(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const hours = Math.floor(ms / 3_600_000) % 24;
  const minutes = Math.floor(ms / 60_000) % 60;
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min`;
}
