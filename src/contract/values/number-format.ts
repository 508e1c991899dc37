/**
 * The ways of writing numbers that a field's `format` may name, each by an example: what stands between groups of three
 * digits, and before the fraction. Groups may be left out.
 */
export const NUMBER_FORMATS = [
  "1,234.56",
  "1.234,56",
  "1 234,56",
  "1 234.56",
  "1'234.56",
  "1'234,56",
] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];

export function isNumberFormat(format: string): format is NumberFormat {
  return (NUMBER_FORMATS as readonly string[]).includes(format);
}

const SPACES = "[ \\u00a0\\u2009\\u202f]";
const APOSTROPHES = "['\u2019]";

/** Signs of currencies before or behind a number, as PostgreSQL's type `money` and spreadsheets write them. */
const CURRENCY = /^\s*\p{Sc}\s*|\s*\p{Sc}\s*$/gu;
const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Longer texts are no numbers; the bound keeps hostile ones from costing time. */
const CHARACTERS_MAX = 400;

/**
 * A number written in a format, as plain decimal text such as `-1234.56`: white space around it and signs of currencies
 * are dropped. Null for anything else; `1.5` is none in the format `1.234,56`, whose groups have three digits.
 *
 * @param format undefined: digits with a point before the fraction
 */
export function plainNumber(text: string, format: NumberFormat | undefined): string | null {
  if (text.length > CHARACTERS_MAX) return null;
  const bare = text
    .trim()
    .replace(CURRENCY, "")
    .replace(/^([+-])\s*\p{Sc}\s*/u, "$1");
  if (format === undefined) return PLAIN.test(bare) ? bare : null;
  const match = written(format).exec(bare);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = "", exponent = ""] = match;
  if (whole === "" && fraction === "") return null;
  const digits = whole.replace(/\D/g, "");
  return `${sign}${digits === "" ? "0" : digits}${fraction === "" ? "" : `.${fraction}`}${exponent}`;
}

/** Groups: sign, digits with what is between them, fraction, exponent. */
function written(format: NumberFormat): RegExp {
  return WRITTEN[format];
}

const WRITTEN: Readonly<Record<NumberFormat, RegExp>> = Object.fromEntries(
  NUMBER_FORMATS.map((format) => {
    const between = format[1] === " " ? SPACES : format[1] === "'" ? APOSTROPHES : `\\${format[1]}`;
    const point = `\\${format[5]}`;
    return [
      format,
      new RegExp(`^([+-]?)(\\d{1,3}(?:${between}\\d{3})+|\\d*)(?:${point}(\\d*))?([eE][+-]?\\d+)?$`),
    ];
  }),
) as unknown as Readonly<Record<NumberFormat, RegExp>>;
