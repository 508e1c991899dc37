/** One after the other, what a JSON text consists of beside white space: the longest of them that stands at a place. */
const TOKEN =
  /[\t\n\r ]*(?:([[\]{},:])|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** In longer texts it takes too long, and a string of escapes takes more stack than there is. */
export const EXPLAINED_CHARACTERS: number = 1 << 17;

/** What may come next: a value, a member's name, the colon behind it, or what follows a value. */
type Expected = "value" | "first element" | "name" | "first name" | "colon" | "end of value";

/**
 * Where a text that isn't JSON goes wrong: the place of the first token that can't stand there, the text's length if
 * it ends too early. In place of the parser's own message, which tells the place of some mistakes only, and of these
 * others from one version to the next. Linear in the text, which is to be of at most `EXPLAINED_CHARACTERS`.
 */
export function jsonMistakeAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  TOKEN.lastIndex = 0;
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) return placeOfToken(text, at);
    const next = after(match[1] ?? (match[2] === undefined ? "literal" : "string"), expected, open);
    if (next === null) return placeOfToken(text, at);
    expected = next;
  }
}

function placeOfToken(text: string, at: number): number {
  let place = at;
  while (/[\t\n\r ]/.test(text.charAt(place))) place++;
  return place;
}

/** What may come after a token; null if it can't come itself. `open` is what it leaves open. */
function after(token: string, expected: Expected, open: ("{" | "[")[]): Expected | null {
  const isValueDue = expected === "value" || expected === "first element";
  switch (token) {
    case "{":
    case "[":
      if (!isValueDue) return null;
      open.push(token);
      return token === "{" ? "first name" : "first element";
    case "}":
      if (open.at(-1) !== "{" || (expected !== "first name" && expected !== "end of value")) return null;
      open.pop();
      return "end of value";
    case "]":
      if (open.at(-1) !== "[" || (expected !== "first element" && expected !== "end of value")) return null;
      open.pop();
      return "end of value";
    case ",":
      if (expected !== "end of value" || open.length === 0) return null;
      return open.at(-1) === "{" ? "name" : "value";
    case ":":
      return expected === "colon" ? "value" : null;
    case "string":
      if (expected === "name" || expected === "first name") return "colon";
      return isValueDue ? "end of value" : null;
    default:
      return isValueDue ? "end of value" : null;
  }
}
