import { NameCounter } from "./name-counter.js";
import { RequestNormalizer } from "./normalize-documents.js";

/** Longer than the few names that a counter of theirs can hold by their number alone. */
const LONG_TEXT = 1 << 20;

/** Small examples of what is made anew for each body: a thread that reads many may keep them (the engine's `keepShapes`). */
export function intakeShapes(): readonly object[] {
  return [new RequestNormalizer({}, 1), new NameCounter(1, LONG_TEXT)];
}
