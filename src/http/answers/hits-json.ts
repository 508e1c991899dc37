import type { SearchHit } from "../../contract/search.js";
import type { JsonWriter } from "./json-writer.js";
import { copyWords, NumberTable, StringTable } from "./string-table.js";

/** Names of indexes that are remembered; beyond it all are forgotten. */
const INDEXES_MAX = 256;

/** What lies between a document and the name of its index, but for the id, and what copying in words writes beyond the end. */
const FRAME_BYTES_MAX = 64;

/** Places among the texts. */
const ID_NAME = 0;
const SCORE_NAME = 5;

function addNames(texts: StringTable): StringTable {
  if (texts.add(',"document_id":"') !== ID_NAME || texts.add('","score":') !== SCORE_NAME)
    throw new TypeError("the texts aren't the first ones");
  return texts;
}

/** What follows a hit's score, by whether another hit comes. */
interface IndexTexts {
  readonly index: string;
  readonly beforeNext: number;
  readonly atEnd: number;
}

/**
 * The JSON of hits that are shown with their documents alone. What lies between documents is put down without a string
 * of it, in one go for each hit: the strings were a sixth of what a search left to the garbage collector.
 */
export class HitsJson {
  readonly #texts = addNames(new StringTable());
  readonly #indexes: Map<string, IndexTexts> = new Map();
  readonly #scores = new NumberTable();

  /** From behind the first hit's `{"doc":` on. Ids and names of indexes are ASCII that JSON doesn't escape. */
  write(writer: JsonWriter, hits: readonly SearchHit[]): void {
    let texts: IndexTexts | null = null;
    const last = hits.length - 1;
    for (let place = 0; place <= last; place++) {
      const { docJson, document_id: id, score, source_index: index } = hits[place]!;
      if (texts === null || texts.index !== index) texts = this.#indexes.get(index) ?? this.#keep(index);
      const { words } = this.#texts;
      const end = place === last ? texts.atEnd : texts.beforeNext;
      const scorePlace = this.#scores.placeOf(score);
      let at = writer.reserve(docJson.length + id.length + words[end]! + FRAME_BYTES_MAX);
      const { memory, view } = writer;
      memory.set(docJson, at);
      at = copyWords(view, at + docJson.length, words, ID_NAME);
      for (let i = 0; i < id.length; i++) memory[at + i] = id.charCodeAt(i);
      at = copyWords(view, at + id.length, words, SCORE_NAME);
      at = copyWords(view, at, this.#scores.words, scorePlace);
      writer.wrote(copyWords(view, at, words, end));
    }
  }

  #keep(index: string): IndexTexts {
    if (this.#indexes.size >= INDEXES_MAX) {
      this.#indexes.clear();
      this.#texts.clear();
      addNames(this.#texts);
    }
    const ofIndex = `,"source_index":"${index}"}`;
    const texts = {
      index,
      beforeNext: this.#texts.add(`${ofIndex},{"doc":`),
      atEnd: this.#texts.add(ofIndex),
    };
    this.#indexes.set(index, texts);
    return texts;
  }
}
