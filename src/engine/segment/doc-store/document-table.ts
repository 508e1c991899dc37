import type { DocumentId } from "../../schema/document.js";

/** Places at first; a power of two. */
const PLACES_LEAST = 16;
/** How many bits a hash has; the upper ones are the place. */
const HASH_BITS = 32;
const FREE = 0;

/**
 * Documents by doc id, of which a page looks up one after the other: numbers side by side, where a `Map` follows a
 * chain of entries, each of them to be fetched from memory. O(1); at most half of the places are taken.
 */
export class DocumentTable<Document> {
  /** Doc id + 1; `FREE` where there is none. A document lies behind its hash's place, with no free one between. */
  #keys: Int32Array = new Int32Array(PLACES_LEAST);
  #documents: (Document | undefined)[] = freePlaces(PLACES_LEAST);
  /** The ids that `name` was called for. */
  #ids: (DocumentId | undefined)[] = freePlaces(PLACES_LEAST);
  #shift: number = HASH_BITS - Math.log2(PLACES_LEAST);
  #size = 0;

  get(docId: number): Document | undefined {
    return this.#documents[this.placeOf(docId)];
  }

  /** Where a document and its id are, if they are here, until the table changes. */
  placeOf(docId: number): number {
    const keys = this.#keys;
    const last = keys.length - 1;
    let place = this.#hashPlace(docId);
    // Ends: some places are free.
    while (keys[place] !== FREE && keys[place] !== docId + 1) place = (place + 1) & last;
    return place;
  }

  at(place: number): Document | undefined {
    return this.#documents[place];
  }

  /** The document's id, if it was named. */
  idAt(place: number): DocumentId | undefined {
    return this.#ids[place];
  }

  /** Names the id of a document, if it is here. */
  name(docId: number, id: DocumentId): void {
    const place = this.placeOf(docId);
    if (this.#keys[place] !== FREE) this.#ids[place] = id;
  }

  set(docId: number, document: Document): void {
    let place = this.placeOf(docId);
    if (this.#keys[place] === FREE) {
      if (2 * (this.#size + 1) > this.#keys.length) {
        this.#grow();
        place = this.placeOf(docId);
      }
      this.#keys[place] = docId + 1;
      this.#size++;
    }
    this.#documents[place] = document;
  }

  delete(docId: number): void {
    const keys = this.#keys;
    const last = keys.length - 1;
    let free = this.placeOf(docId);
    if (keys[free] === FREE) return;
    this.#size--;
    // Whatever lies behind and may lie in the free place moves there, and leaves a free place itself.
    for (let place = (free + 1) & last; keys[place] !== FREE; place = (place + 1) & last) {
      const fromHash = (place - this.#hashPlace(keys[place]! - 1)) & last;
      if (fromHash < ((place - free) & last)) continue;
      keys[free] = keys[place]!;
      this.#documents[free] = this.#documents[place];
      this.#ids[free] = this.#ids[place];
      free = place;
    }
    keys[free] = FREE;
    this.#documents[free] = undefined;
    this.#ids[free] = undefined;
  }

  clear(): void {
    this.#keys = new Int32Array(PLACES_LEAST);
    this.#documents = freePlaces(PLACES_LEAST);
    this.#ids = freePlaces(PLACES_LEAST);
    this.#shift = HASH_BITS - Math.log2(PLACES_LEAST);
    this.#size = 0;
  }

  #hashPlace(docId: number): number {
    return Math.imul(docId, 0x9e3779b1) >>> this.#shift;
  }

  #grow(): void {
    const keys = this.#keys;
    const documents = this.#documents;
    const ids = this.#ids;
    this.#keys = new Int32Array(2 * keys.length);
    this.#documents = freePlaces(2 * keys.length);
    this.#ids = freePlaces(2 * keys.length);
    this.#shift--;
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === FREE) continue;
      const place = this.placeOf(keys[i]! - 1);
      this.#keys[place] = keys[i]!;
      this.#documents[place] = documents[i];
      this.#ids[place] = ids[i];
    }
  }
}

function freePlaces(count: number): undefined[] {
  return new Array<undefined>(count).fill(undefined);
}
