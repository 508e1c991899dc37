import Type, { type TSchema } from "typebox";
import { invalidMember, requireObject } from "./invalid-member.js";
import { summaryBodySchema } from "./summary.js";
import { describeKind, memberOf } from "./wire-object.js";

/** What the summary box of the browser SDK sends (contract 3.6, at the end). */
export interface SummaryBoxRequest {
  readonly indexName: string;
  /** A summary's body; not checked. */
  readonly searchQuery: unknown;
}

/**
 * The members that mean something: instructions that a page sends along do not, as anybody can send them.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseSummaryBoxBody(body: unknown): SummaryBoxRequest {
  const object = requireObject(body);
  const indexName = memberOf(object, "indexName");
  if (typeof indexName === "string") return { indexName, searchQuery: memberOf(object, "searchQuery") };
  const problem = indexName === undefined ? "is missing" : `must be a string, not ${describeKind(indexName)}`;
  throw invalidMember("indexName", problem);
}

export const summaryBoxBodySchema: TSchema = Type.Object(
  {
    indexName: Type.String(),
    searchQuery: summaryBodySchema,
    summaryInstructionsPrompt: Type.Optional(
      Type.String({ description: "Ignored: what the model is told is the index's to say." }),
    ),
    endpointUrl: Type.Optional(Type.String({ description: "Ignored." })),
  },
  { examples: [{ indexName: "books", searchQuery: { query: { fuzzy: { ctx: "space travel" } } } }] },
);

export const summaryBoxAnswerSchema: TSchema = Type.String({
  description:
    "The summary, in pieces. Where the model fails, the answer is an error before the first piece, and breaks off after it.",
  examples: ["Two books are about space travel."],
});
