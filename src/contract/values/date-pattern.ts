/**
 * Patterns such as `DD.MM.YYYY HH:mm` that a datetime field's `format` may name. Their letters are those of the
 * formats of moment.js and Day.js: `YYYY`, `YY` (69 to 99 are of the twentieth century), `MMMM` and `MMM` (English names
 * of months, whole or shortened), `MM`, `M`, `dddd` and `ddd` (names of days, which are passed over), `DD`, `D`, `HH`,
 * `H`, `hh`, `h`, `A` (AM or PM), `mm`, `ss`, `S` (digits of the fraction), `Z` (zone); text in square brackets and
 * everything that is no letter stands for itself.
 */
const TOKENS =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|ss|S+|A|Z|[A-Za-z]+|[^A-Za-z[]+|\[/g;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

type Part = "year" | "shortYear" | "month" | "monthName" | "day" | "hour" | "hour12" | "minute" | "second";
type LatePart = "fraction" | "half" | "zone";

/** What each letter reads, and how that is written. */
const READS: Readonly<Record<string, readonly [Part | LatePart, string]>> = {
  YYYY: ["year", "\\d{4}"],
  YY: ["shortYear", "\\d{2}"],
  MMMM: ["monthName", "[A-Za-z]{3,9}\\.?"],
  MMM: ["monthName", "[A-Za-z]{3,9}\\.?"],
  MM: ["month", "\\d{2}"],
  M: ["month", "\\d{1,2}"],
  DD: ["day", "\\d{2}"],
  D: ["day", "\\d{1,2}"],
  HH: ["hour", "\\d{2}"],
  H: ["hour", "\\d{1,2}"],
  hh: ["hour12", "\\d{2}"],
  h: ["hour12", "\\d{1,2}"],
  mm: ["minute", "\\d{2}"],
  ss: ["second", "\\d{2}"],
  A: ["half", "[AaPp]\\.?[Mm]\\.?"],
  Z: ["zone", "Z|z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?"],
};

/** Reads times that are written by one pattern. */
export class DatePattern {
  readonly #expression: RegExp;
  readonly #parts: readonly (Part | LatePart)[];

  private constructor(expression: RegExp, parts: readonly (Part | LatePart)[]) {
    this.#expression = expression;
    this.#parts = parts;
  }

  /** Null for a pattern with letters that mean nothing, one twice, or without day, month or year. */
  static of(pattern: string): DatePattern | null {
    const parts: (Part | LatePart)[] = [];
    let expression = "";
    for (const [token, literal] of pattern.matchAll(TOKENS)) {
      if (token === "[") return null;
      const read = READS[token] ?? (/^S+$/.test(token) ? (["fraction", "\\d+"] as const) : undefined);
      if (read !== undefined) {
        parts.push(read[0]);
        expression += `(${read[1]})`;
      } else if (token === "ddd" || token === "dddd") {
        expression += "[A-Za-z]{3,9}\\.?";
      } else if (literal === undefined && /^[A-Za-z]/.test(token)) {
        return null;
      } else {
        expression += (literal ?? token).replace(/[.*+?^${}()|\\/]/g, "\\$&").replace(/\s+/g, "\\s+");
      }
    }
    const has = (...any: Part[]): boolean => any.some((part) => parts.includes(part));
    const isWhole = has("year", "shortYear") && has("month", "monthName") && has("day");
    if (!isWhole || new Set(parts).size !== parts.length) return null;
    return new DatePattern(new RegExp(`^${expression}$`), parts);
  }

  /** The time in RFC 3339, in UTC where the text names no zone; null if it isn't written so. Days that don't exist are left as they are. */
  read(text: string): string | null {
    const match = this.#expression.exec(text);
    if (match === null) return null;
    const found: Partial<Record<Part | LatePart, string>> = {};
    this.#parts.forEach((part, i) => {
      found[part] = match[i + 1]!;
    });
    const month = found.month ?? monthOf(found.monthName!);
    const hour = hourOf(found);
    if (month === null || hour === null) return null;
    const year = found.year ?? fullYear(found.shortYear!);
    const time = `${two(hour)}:${found.minute ?? "00"}:${found.second ?? "00"}`;
    const fraction = found.fraction === undefined ? "" : `.${found.fraction}`;
    return `${year}-${two(month)}-${two(found.day!)}T${time}${fraction}${rfcZone(found.zone)}`;
  }
}

/** A zone as SQL and e-mail write it, in RFC 3339's way; UTC where there is none. */
export function rfcZone(zone: string | undefined): string {
  if (zone === undefined || /^[A-Za-z]/.test(zone)) return "Z";
  return `${zone.slice(0, 3)}:${zone.length > 3 ? zone.slice(-2) : "00"}`;
}

function monthOf(name: string): string | null {
  const at = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return at < 0 ? null : String(at + 1);
}

function fullYear(short: string): string {
  return `${Number(short) < 69 ? "20" : "19"}${short}`;
}

function hourOf({ hour, hour12, half }: Partial<Record<Part | LatePart, string>>): string | null {
  if (hour12 === undefined) return hour ?? "0";
  const number = Number(hour12);
  if (number < 1 || number > 12) return null;
  const isAfternoon = half?.toLowerCase().startsWith("p") === true;
  return String((number % 12) + (isAfternoon ? 12 : 0));
}

function two(digits: string): string {
  return digits.padStart(2, "0");
}
