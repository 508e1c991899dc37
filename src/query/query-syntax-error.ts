import { FindlingError } from "../errors/index.js";

/** @param position of the character at fault, in code points from 1 */
export function querySyntaxError(position: number, problem: string): FindlingError {
  return new FindlingError("query_syntax", `query syntax error at character ${position}: ${problem}`);
}
