/** What text searches go by beside the schema. None of it is stored: it is given whenever an index is opened. */
export interface TextSettings {
  /** Where words without a field are looked for. Default: all text fields that are indexed. */
  readonly searchFields?: readonly string[];
  /** What a field's scores are multiplied by. Default 1 each. */
  readonly weights?: Readonly<Record<string, number>>;
  /** By what is searched for, what is found besides: `{ car: ["automobile"] }`. */
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
  /** Words that searches leave out beside those of the language; false: none at all. Default: the language's, or English ones. */
  readonly stopwords?: readonly string[] | false;
  /** Where suggestions take titles from. Default: the search field that weighs most. */
  readonly suggestField?: string;
}
