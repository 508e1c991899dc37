import { expect } from "vitest";
import type { ParsedJson, WireServer } from "./wire-server.js";

export const fuzzy = (ctx: string): object => ({ fuzzy: { ctx } });
export const exact = (ctx: string): object => ({ exact: { ctx } });
export const dynamic = (ctx: string): object => ({ dynamic: { ctx } });
export const must = (clause: object): object => ({ occur: "must", ...clause });

/** Makes indexes of short texts, one after another, and searches the newest. */
export class TextIndexes {
  /** The name of the newest index. */
  name = "";
  readonly #server: () => WireServer;
  #count = 0;

  /** @param server asked for when a test runs */
  constructor(server: () => WireServer) {
    this.#server = server;
  }

  /** A new, empty index. */
  async create(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.name = `texts-${++this.#count}`;
    await this.#server().createIndex(this.name, settings);
  }

  /** A new index with one document for each text, whose `id` is the text. */
  async of(texts: readonly string[], settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.create(settings);
    await this.add(texts.map((title) => ({ id: title, title })));
  }

  async add(documents: readonly object[]): Promise<void> {
    await this.#server().addCommitted(this.name, documents);
  }

  /** The answer's `data`. */
  async search(body: object): Promise<ParsedJson> {
    const answer = await this.#server().post(`/index/${this.name}/search`, { limit: 200, ...body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data;
  }

  /** The ids of the hits, best first. */
  async ranked(query: unknown, more: object = {}): Promise<string[]> {
    return (await this.search({ query, ...more })).hits.map((hit: { doc: { id: string } }) => hit.doc.id);
  }

  async found(query: unknown, more: object = {}): Promise<string[]> {
    return (await this.ranked(query, more)).toSorted();
  }
}
