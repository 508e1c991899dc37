import type { JsonWriter } from "./json-writer.js";

/** A value that is JSON already: it goes into the answer as it stands, neither parsed nor stringified. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A whole answer, its envelope included, that is written where it is sent from. */
export abstract class WrittenAnswer {
  /**
   * What `writeTo` would write, in parts that follow each other, where that is too much to be written in one go
   * (`WHOLE_BYTES_MAX`); else null. They are not to be changed.
   */
  parts(): readonly Uint8Array[] | null {
    return null;
  }

  abstract writeTo(writer: JsonWriter): void;
}
