/** Where an address begins: a scheme and `://`, or `www.`, also where characters of it are written as entities. */
const COLON = "(?::|&colon;|&#0{0,4}58;|&#x0{0,4}3a;)";
const SLASH = "(?:/|&sol;|&#0{0,4}47;|&#x0{0,4}2f;)";
const DOT = "(?:\\.|&period;|&#0{0,4}46;|&#x0{0,4}2e;)";
export const ADDRESS_START: string = `(?:[a-z][a-z0-9+.-]{0,31}${COLON}${SLASH}${SLASH}|(?<![a-z0-9])www${DOT})`;

/** Ends an address in a text. */
export const ADDRESS_END: RegExp = /[\s<>"`[\](){}|\\^]/;
/** Belongs to the sentence around it. */
export const TRAILING_PUNCTUATION: RegExp = /[.,;:!?'*_~…]+$/;

const ADDRESS = new RegExp(`${ADDRESS_START}[^\\s<>"\`[\\](){}|\\\\^]*`, "gi");
const ADDRESS_WITH_PARENTHESES = new RegExp(`${ADDRESS_START}[^\\s<>"\`[\\]{}|\\\\^]*`, "gi");
const PATH = /(?<![^\s<>"'`()[\]{}|\\^,;=:])\/(?![/\\])[A-Za-z0-9._~!$&*+=:@%/?#-]{1,500}/g;

/**
 * Every address that stands in the documents, to the letter. A model that was talked into it could put what it
 * knows into the path of an address; those that were there before carry nothing away.
 */
export class KnownAddresses {
  readonly #texts: readonly string[];
  #addresses: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  has(address: string): boolean {
    // Only now: most summaries have no address in them, and looking for all of them takes a while.
    this.#addresses ??= addressesIn(this.#texts);
    return this.#addresses.has(canonical(address));
  }

  /** Whether a link may lead there: to the web, or within the site that shows it. */
  isLinkable(address: string): boolean {
    return /^(?:https?:\/\/|\/(?![/\\]))/i.test(address) && this.has(address);
  }
}

function addressesIn(texts: readonly string[]): ReadonlySet<string> {
  const addresses = new Set<string>();
  const add = (match: string): void => {
    const address = match.replace(TRAILING_PUNCTUATION, "");
    addresses.add(canonical(address));
    if (/^https?:\/\/www\./i.test(address)) addresses.add(canonical(address.replace(/^https?:\/\//i, "")));
  };
  for (const text of texts) {
    for (const [match] of text.matchAll(ADDRESS)) add(match);
    for (const [match] of text.matchAll(ADDRESS_WITH_PARENTHESES)) add(withoutOpenEnd(match));
    for (const [match] of text.matchAll(PATH)) add(match);
  }
  return addresses;
}

/** Scheme and host in lower case, no slash at the end, `&` for its entity. */
function canonical(address: string): string {
  return address
    .replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i, (origin) => origin.toLowerCase())
    .replaceAll("&amp;", "&")
    .replace(/\/$/, "");
}

/** Without the parenthesis that the text around closes. */
function withoutOpenEnd(address: string): string {
  let kept = address.replace(TRAILING_PUNCTUATION, "");
  while (kept.endsWith(")") && kept.split(")").length > kept.split("(").length) {
    kept = kept.slice(0, -1).replace(TRAILING_PUNCTUATION, "");
  }
  return kept;
}
