import Type, { type TSchema } from "typebox";

/** The success envelope around an answer's `data` (contract 1.4). */
export function successEnvelope(data: TSchema, mirrored: boolean): TSchema {
  return Type.Object(
    { status: Type.Literal(200), data },
    mirrored
      ? { description: "Every member of `data` is repeated at the top level.", additionalProperties: true }
      : { additionalProperties: false },
  );
}

/** The body of every answer that isn't a success (contract 1.5). */
export const errorEnvelope: TSchema = Type.Object(
  {
    status: Type.Integer({ description: "The HTTP status." }),
    message: Type.String({ description: "What went wrong and how to mend it." }),
    data: Type.Object({
      error: Type.String({ description: "The same text as `message`." }),
      code: Type.String({ description: "A stable identifier of the kind of error." }),
      details: Type.Optional(Type.String({ description: "One more sentence." })),
      errors: Type.Optional(
        Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
          description: "Each problem with the place that it was found at.",
        }),
      ),
    }),
  },
  {
    examples: [
      {
        status: 404,
        message: "index 'products' does not exist",
        data: { error: "index 'products' does not exist", code: "index_not_found" },
      },
    ],
  },
);

/** An answer whose `data` is one fixed sentence. */
export function sentenceAnswer(sentence: string): TSchema {
  return Type.String({ examples: [sentence] });
}
