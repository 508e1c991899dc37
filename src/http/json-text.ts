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
  /** UTF-8. */
  readonly before: Buffer;
  /** ASCII: what is this answer's own. */
  readonly own: string;
  /** UTF-8. */
  readonly after: Buffer;

  constructor(before: Buffer, own: string, after: Buffer) {
    this.before = before;
    this.own = own;
    this.after = after;
  }
}
