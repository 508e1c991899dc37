/** A value that is JSON already: it goes into the answer as it stands, neither parsed nor stringified. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A whole answer in UTF-8, its envelope included. */
export class JsonAnswer {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** A whole answer whose greater part is shared with other answers. */
export class SharedAnswer {
  /** ASCII. */
  readonly start: string;
  /** UTF-8. */
  readonly rest: Buffer;

  constructor(start: string, rest: Buffer) {
    this.start = start;
    this.rest = rest;
  }
}
