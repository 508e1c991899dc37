import Type, { type TSchema } from "typebox";
import { FindlingError } from "../errors/index.js";
import { hasMoreCodePoints } from "./code-points.js";
import { IGNORED_MEMBERS_SCHEMA, type IgnoredMember, ignoredAmong } from "./ignored-members.js";
import { invalidMember } from "./invalid-member.js";

/** What someone has typed so far, and how many ways to go on they want to see. */
export interface SuggestRequest {
  readonly text: string;
  readonly limit: number;
  /** Members of the URL's query that mean nothing; absent = none. */
  readonly ignoredMembers?: readonly IgnoredMember[];
}

export interface Suggestions {
  /** What the text may become: as typed, its last word completed or corrected. The most frequent first. */
  readonly completions: readonly string[];
  /** Documents that the text may be about, the best first. */
  readonly titles: readonly { readonly text: string; readonly document_id: string }[];
  /** Members of the request that mean nothing. Absent = none. */
  readonly ignored_members?: readonly IgnoredMember[];
}

const MEMBERS = new Set(["q", "limit"]);
const TEXT_LENGTH_MAX = 200;
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 50;

/**
 * @param query members of the URL's query
 * @throws FindlingError `invalid_request`, `limit_too_large`
 */
export function parseSuggestQuery(query: Readonly<Record<string, unknown>>): SuggestRequest {
  const { q: text, limit = String(LIMIT_DEFAULT) } = query;
  if (typeof text !== "string") throw invalidMember("q", "must be given, once: the text typed so far");
  if (hasMoreCodePoints(text, TEXT_LENGTH_MAX)) {
    throw invalidMember("q", `is longer than ${TEXT_LENGTH_MAX} characters`);
  }
  if (typeof limit !== "string" || !/^[0-9]{1,9}$/.test(limit) || Number(limit) === 0) {
    throw invalidMember("limit", "must be an integer of at least 1");
  }
  if (Number(limit) > LIMIT_MAX) {
    throw new FindlingError("limit_too_large", `'limit' is ${limit}, at most ${LIMIT_MAX} is allowed`);
  }
  const ignoredMembers = ignoredAmong(query, MEMBERS);
  return { text, limit: Number(limit), ...(ignoredMembers !== undefined && { ignoredMembers }) };
}

export const suggestQuerySchema: TSchema = Type.Object({
  q: Type.String({ maxLength: TEXT_LENGTH_MAX, description: "The text typed so far." }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
});

export const suggestAnswerSchema: TSchema = Type.Object(
  {
    completions: Type.Array(Type.String(), {
      description: "The text with its last word completed or corrected, the most frequent first.",
    }),
    titles: Type.Array(Type.Object({ text: Type.String(), document_id: Type.String() }), {
      description: "Documents that the text may be about, by the text field that weighs most.",
    }),
    ignored_members: IGNORED_MEMBERS_SCHEMA,
  },
  {
    examples: [
      {
        completions: ["text editor", "text editing"],
        titles: [{ text: "Vim, a text editor", document_id: "9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f" }],
      },
    ],
  },
);
