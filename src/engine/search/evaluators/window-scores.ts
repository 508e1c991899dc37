import type { WindowBits, WindowScores } from "./evaluator.js";
import { lowestBit } from "./window-bits.js";

/** Adds the scores of the matches to a target. */
export function addScores(matches: WindowBits, scores: WindowScores, target: WindowScores): void {
  for (let word = 0; word < matches.length; word++) {
    for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
      const offset = (word << 5) + lowestBit(rest);
      target[offset] = target[offset]! + scores[offset]!;
    }
  }
}

/** Adds a constant to the score of every match. */
export function addConstant(matches: WindowBits, constant: number, scores: WindowScores): void {
  for (let word = 0; word < matches.length; word++) {
    for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
      const offset = (word << 5) + lowestBit(rest);
      scores[offset] = scores[offset]! + constant;
    }
  }
}
