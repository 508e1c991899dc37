import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { defineSchema, Index, MemoryDirectory, type TextHit } from "../library/index.js";

/** What `scripts/build/manual/` makes, seen from here as source and as built. */
const SECTIONS = fileURLToPath(new URL("../../dist/manual/sections.json", import.meta.url));

/** What stands under one heading of a page. */
interface Section {
  /** Where the page is served, such as `/docs/facets`. */
  readonly path: string;
  /** Empty for a page's beginning. */
  readonly anchor: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const HITS = 12;
/** Anybody may search: longer than this nobody else waits. */
const TIME_LIMIT_MS = 1_000;

/** Sections that are added at a time: in between others have their turn. */
const ADDED_AT_ONCE = 50;

const SCHEMA = defineSchema(
  {
    page: "text",
    heading: "text",
    text: "text",
    path: { kind: "keyword", indexed: false },
    anchor: { kind: "keyword", indexed: false },
  },
  { language: "en" },
);

/** The manual in an index in memory, which is made when somebody first searches it. */
export class IndexedManual {
  readonly #file: string;
  #index: Promise<Index> | null = null;

  /** @param file with the sections; the built manual's unless given */
  constructor(file: string = SECTIONS) {
    this.#file = file;
  }

  /** The best places first. @param isBeingTyped whether the last word may go on */
  async search(text: string, isBeingTyped: boolean): Promise<readonly ManualPlace[]> {
    const index = await this.#opened();
    const { hits } = index.search(text, {
      limit: HITS,
      asYouType: isBeingTyped,
      highlight: { fields: ["text"], preTag: "<mark>", postTag: "</mark>", fragments: 1 },
      timeLimitMs: TIME_LIMIT_MS,
    });
    return hits.map(placeOf);
  }

  async close(): Promise<void> {
    const index = await this.#index?.catch(() => null);
    await index?.close();
  }

  /** One that couldn't be made is tried again with the next search. */
  #opened(): Promise<Index> {
    this.#index ??= indexed(this.#file).catch((error: unknown) => {
      this.#index = null;
      throw error;
    });
    return this.#index;
  }
}

/** A part of a page that was found. */
export interface ManualPlace {
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  /** HTML: what matched in `<mark>`, all else escaped; may be empty. */
  readonly fragment: string;
}

async function indexed(file: string): Promise<Index> {
  const sections = JSON.parse(await readFile(file, "utf8")) as readonly Section[];
  const index = await Index.create(new MemoryDirectory(), SCHEMA, {
    weights: { page: 3, heading: 6 },
    searchFields: ["page", "heading", "text"],
  });
  for (let at = 0; at < sections.length; at += ADDED_AT_ONCE) {
    await index.add(sections.slice(at, at + ADDED_AT_ONCE).map((section) => ({ ...section })));
  }
  await index.commit();
  return index;
}

function placeOf({ document, highlights }: TextHit): ManualPlace {
  const { path, anchor, page, heading } = document as unknown as Section;
  return {
    address: anchor === undefined || anchor === "" ? path : `${path}#${anchor}`,
    page,
    heading: heading ?? "",
    fragment: highlights?.["text"]?.[0] ?? "",
  };
}
