import { lines } from "../corpus.js";

/** Each title's words, in small letters. */
export async function* titleWords(corpus: string): AsyncGenerator<readonly string[]> {
  for await (const line of lines(corpus)) {
    const { title } = JSON.parse(line) as { readonly title: string };
    yield title.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
  }
}
