import { GrowableBytes } from "../../src/engine/bytes/growable-bytes.js";
import { GrowableU32 } from "../../src/engine/bytes/growable-u32.js";
import type { SectionSink } from "../../src/engine/segment/sections.js";
import { addDictionarySections } from "../../src/engine/segment/terms/term-dictionary.js";

/** Collects a field's terms, in ascending order of their bytes, with what their lists need to be found. */
export class TermDictionaryWriter {
  readonly #bytes = new GrowableBytes();
  readonly #offsets = new GrowableU32();
  readonly #docFreqs = new GrowableU32();
  readonly #references = new GrowableU32();
  readonly #positionReferences = new GrowableU32();

  constructor() {
    this.#offsets.push(0);
  }

  get termCount(): number {
    return this.#docFreqs.length;
  }

  /** The terms' bytes one after the other; term i ends where entry i + 1 of `offsets` says. */
  get bytes(): Uint8Array {
    return this.#bytes.toSection();
  }

  get offsets(): Uint32Array {
    return this.#offsets.toSection();
  }

  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    list: { readonly docFreq: number; readonly reference: number; readonly positionReference: number },
  ): void {
    const target = this.#bytes;
    target.reserve(end - start);
    let at = target.length;
    for (let i = start; i < end; i++) target.bytes[at++] = bytes[i]!;
    target.length = at;
    this.#offsets.push(at);
    this.#docFreqs.push(list.docFreq);
    this.#references.push(list.reference);
    this.#positionReferences.push(list.positionReference);
  }

  /** To be called after the posting lists' own sections have been added. */
  write(sink: SectionSink, prefix: string): void {
    addDictionarySections(sink, prefix, {
      bytes: this.bytes,
      offsets: this.offsets,
      docFreqs: this.#docFreqs.toSection(),
      references: this.#references.toSection(),
      positionReferences: this.#positionReferences.toSection(),
    });
  }
}
