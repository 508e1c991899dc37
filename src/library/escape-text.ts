import { requireText } from "./require-shape.js";

/** What means something in the query language. */
const SIGNS = /[+\-^`:{}"'[\]()~!\\*,\s]/gu;
/** Words that are operators. */
const OPERATORS = /^(AND|OR|NOT|IN|TO)$/u;

/** A text as the query language looks for it, sign by sign: to be put into a query in the exact mode, or into a filter. */
export function escapeText(text: string): string {
  const written = requireText("the text to be escaped", text);
  return OPERATORS.test(written) ? `\\${written}` : written.replace(SIGNS, "\\$&");
}
