const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
const AMOUNT = String.raw`[-+]?\d[\d.,'\u00a0\u202f]*`;
/** Letters right behind a number are a code, such as 12AB, unless they are few and small. */
const BEHIND = new RegExp(
  String.raw`^${AMOUNT}(?:\s*([%‰\p{Sc}]|°[CFK]?)|([a-zµ]{1,3}[²³]?)|\s+([\p{L}µ]{1,7}[²³]?))$`,
  "u",
);
const BEFORE = new RegExp(String.raw`^[-+]?(?:(\p{Sc})\s*|([A-Z]{3})\s+)${AMOUNT}$`, "u");

/** Values of more units than these are something else. */
const UNITS_MAX = 12;
/** A column may hold a few others. */
const SHARE_MIN = 0.9;

/** Texts that would be numbers but for what they are measured in: `12 kg`, `5%`, `USD 12`. */
export class MeasuredTexts {
  readonly #units = new Set<string>();
  #count = 0;
  #measured = 0;
  #example: string | undefined;

  add(text: string): void {
    this.#count++;
    if (this.#units.size > UNITS_MAX) return;
    const unit = unitOf(text.trim());
    if (unit === undefined) return;
    this.#measured++;
    this.#units.add(unit);
    this.#example ??= text.trim();
  }

  /** One of them; undefined where most texts are something else. */
  get example(): string | undefined {
    if (this.#units.size > UNITS_MAX || this.#measured < this.#count * SHARE_MIN) return undefined;
    return this.#example;
  }
}

function unitOf(text: string): string | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  const behind = BEHIND.exec(text);
  if (behind !== null) return behind[1] ?? behind[2] ?? behind[3];
  const before = BEFORE.exec(text);
  const code = before?.[2];
  return code === undefined || CURRENCIES.has(code) ? (before?.[1] ?? code) : undefined;
}

const TEXT_LENGTH_MAX = 40;
