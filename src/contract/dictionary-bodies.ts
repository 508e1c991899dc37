import Type, { type TSchema } from "typebox";
import { FindlingError } from "../errors/index.js";
import { invalidMember } from "./invalid-member.js";
import { describeKind } from "./wire-object.js";

/** Key to terms, as `GET …/synonyms` answers it (contract 3.7). */
export type SynonymLists = Readonly<Record<string, readonly string[]>>;

export const synonymListsSchema: TSchema = Type.Record(Type.String(), Type.Array(Type.String()), {
  description: "Key to the terms that it also finds.",
  examples: [{ ny: ["new york", "nyc"] }],
});

export const synonymEntriesSchema: TSchema = Type.Array(Type.String(), {
  description:
    "Entries `keys:terms`, each side a comma-separated list. Spaces belong to the term; `\\` makes a following comma, colon or `\\` part of it.",
  examples: [["ny:new york,nyc", "iphone,android,phone:android,phone,iphone"]],
});

export const synonymDeletesSchema: TSchema = Type.Array(Type.String(), {
  description: "`key` removes the key with all its terms, `key:term` that pair.",
  examples: [["lotr", "ny:nyc"]],
});

export const stopwordsSchema: TSchema = Type.Array(Type.String(), { examples: [["gmbh", "inc"]] });

/**
 * The strings of a body of synonyms or stopwords.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseDictionaryEntries(body: unknown, entriesMax: number): readonly string[] {
  if (!Array.isArray(body)) {
    throw new FindlingError(
      "invalid_request",
      `the body must be an array of strings, not ${describeKind(body)}`,
    );
  }
  if (body.length > entriesMax) {
    throw new FindlingError(
      "invalid_request",
      `the body holds ${body.length} entries, at most ${entriesMax} are allowed in one request`,
    );
  }
  return body.map((entry: unknown, i) => {
    if (typeof entry === "string") return entry;
    throw invalidEntry(i, `must be a string, not ${describeKind(entry)}`);
  });
}

/** @param problem as a predicate: `must be …` */
export function invalidEntry(position: number, problem: string): FindlingError {
  return invalidMember(`[${position}]`, problem);
}
