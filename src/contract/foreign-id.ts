import Type, { type TInteger, type TString, type TUnion } from "typebox";

/** An identifier that somebody else gives: a number only as long as JSON keeps all its digits. */
export const foreignId: TUnion<[TInteger, TString]> = Type.Union([
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String(),
]);
