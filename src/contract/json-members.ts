/**
 * The members of a JSON object as the text that stands for them, so that members can be chosen without
 * changing a value: numbers beyond 2^53 survive, which parsing would round.
 *
 * @param json a valid JSON object
 */
export function jsonMembers(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = json.indexOf("{") + 1;
  for (;;) {
    const nameStart = json.indexOf('"', at);
    if (nameStart < 0) return members;
    const nameEnd = endOfString(json, nameStart);
    const valueStart = json.indexOf(":", nameEnd) + 1;
    const valueEnd = endOfValue(json, valueStart);
    members.set(
      JSON.parse(json.slice(nameStart, nameEnd)) as string,
      json.slice(valueStart, valueEnd).trim(),
    );
    if (json[valueEnd] !== ",") return members;
    at = valueEnd + 1;
  }
}

/** The object that holds the named members only, in the order of the text. */
export function pickJsonMembers(json: string, names: ReadonlySet<string>): string {
  const kept: string[] = [];
  for (const [name, value] of jsonMembers(json)) {
    if (names.has(name)) kept.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${kept.join(",")}}`;
}

/** Offset of the comma or brace that ends the value. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at) - 1;
        break;
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        if (depth-- === 0) return at;
        break;
      case ",":
        if (depth === 0) return at;
        break;
      case undefined:
        return at;
    }
  }
}

/** Offset after the closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
