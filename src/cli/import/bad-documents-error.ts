/** One document that can't be imported, and why. */
export interface BadDocument {
  readonly place: string;
  readonly problem: string;
}

/** Documents that were refused, by the reader or by the server, where bad ones aren't skipped. */
export class BadDocumentsError extends Error {
  readonly documents: readonly BadDocument[];

  constructor(documents: readonly BadDocument[]) {
    super(`${documents[0]!.place}: ${documents[0]!.problem}`);
    this.name = "BadDocumentsError";
    this.documents = documents;
  }
}
