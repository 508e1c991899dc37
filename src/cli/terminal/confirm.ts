import { createInterface } from "node:readline/promises";

/** Asks a yes-or-no question where somebody is there to answer; elsewhere the answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [Y/n] `);
    return /^(y|yes|)$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
