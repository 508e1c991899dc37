import { type ErrorCode, FindlingError } from "../../errors/index.js";
import type { LanguageModelCall, LanguageModelPart } from "../../ports/language-models.js";
import { unavailable } from "./model-errors.js";

/** What the thread of the models is told. Numbers name answers; none is used twice. */
export type ModelOrder =
  | { readonly kind: "begin"; readonly id: number; readonly call: LanguageModelCall }
  /** UTF-16 units of the answer that have been taken since the last such order. */
  | { readonly kind: "taken"; readonly id: number; readonly length: number }
  /** Nobody reads the answer any longer; nothing more of it comes. */
  | { readonly kind: "cancel"; readonly id: number };

/** What comes of an answer: its parts in order, and once, last, its end. */
export type AnswerUpdate =
  | { readonly id: number; readonly part: LanguageModelPart }
  | { readonly id: number; readonly failure: AnswerFailure | null };

/** The members of the error that an answer ended with; errors lose theirs between threads. */
export interface AnswerFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/**
 * UTF-16 units of an answer that may be on their way between the threads; then the provider has to wait.
 * Those who read a summary at their leisure never get this far: what they are told is kept elsewhere.
 */
export const ANSWER_WINDOW_LENGTH: number = 64 * 1024;

/** What isn't ours tells nothing: nobody knows what its message quotes. */
export function failureOf(error: unknown): AnswerFailure {
  const { code, message, details, retryAfterSeconds } =
    error instanceof FindlingError ? error : unavailable("the answer can't be read");
  return { code, message, details, retryAfterSeconds };
}

export function errorOf({ code, message, details, retryAfterSeconds }: AnswerFailure): FindlingError {
  return new FindlingError(code, message, {
    ...(details !== undefined && { details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
