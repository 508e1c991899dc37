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
  abstract writeTo(writer: JsonWriter): void;
}
