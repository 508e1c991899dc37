/** A value that is JSON already: it goes into the answer as it stands, neither parsed nor stringified. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
