/**
 * The places where an answer is not what a page shows of it. What a page leaves out may be anything: members of
 * an object, what follows a text's `…`, and what follows `"…"` at the end of a list. Numbers are compared at the
 * decimals that are shown.
 *
 * @returns sentences; none where all that is shown is so
 */
export function differences(shown: unknown, answer: unknown, path = "the answer"): readonly string[] {
  if (Array.isArray(shown)) return listDifferences(shown, answer, path);
  if (typeof shown === "object" && shown !== null) {
    if (typeof answer !== "object" || answer === null) return [differs(shown, answer, path)];
    return Object.entries(shown).flatMap(([name, value]) =>
      Object.hasOwn(answer, name)
        ? differences(value, (answer as Record<string, unknown>)[name], `${path}.${name}`)
        : [`${path} has no '${name}'`],
    );
  }
  return isShown(shown, answer) ? [] : [differs(shown, answer, path)];
}

function listDifferences(shown: readonly unknown[], answer: unknown, path: string): readonly string[] {
  if (!Array.isArray(answer)) return [differs(shown, answer, path)];
  const isCut = shown.at(-1) === "…";
  const items = isCut ? shown.slice(0, -1) : shown;
  if (isCut ? answer.length < items.length : answer.length !== items.length) {
    return [`${path} has ${answer.length} elements, shown are ${items.length}`];
  }
  return items.flatMap((item, i) => differences(item, answer[i], `${path}[${i}]`));
}

function isShown(shown: unknown, answer: unknown): boolean {
  if (typeof shown === "string" && shown.endsWith("…")) {
    return typeof answer === "string" && answer.startsWith(shown.slice(0, -1));
  }
  if (typeof shown === "number" && typeof answer === "number") {
    const decimals = String(shown).split(".")[1]?.length ?? 0;
    return Number(answer.toFixed(decimals)) === shown;
  }
  return shown === answer;
}

function differs(shown: unknown, answer: unknown, path: string): string {
  return `${path} is ${JSON.stringify(answer)}, shown is ${JSON.stringify(shown)}`;
}
