import { invalidEntry, parseDictionaryEntries, type SynonymLists } from "../../contract/dictionary-bodies.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import { holdsWord } from "../../query/index-query-context.js";
import { effectiveStopwords, stopwordDictionary } from "../../query/searched-index.js";
import { indexNameOf, requireIndex } from "../indexes/require-index.js";
import type { IndexLocks } from "../locks/index-locks.js";
import { DEFAULT_SYNONYM_LIMITS, withoutSynonyms, withSynonyms } from "./synonym-lists.js";

/** Far beyond any dictionary; every search of the index holds them, and the catalog writes them with each change. */
const CUSTOM_STOPWORDS_MAX = 100_000;

export interface DictionaryServicePorts {
  readonly catalog: Catalog;
  readonly locks: IndexLocks;
}

export interface DictionaryServiceOptions {
  /** Synonym or stopword entries in one request. */
  readonly entriesMax: number;
}

/**
 * Synonyms and custom stopwords (contract 3.7). They belong to the index and not to its documents: a
 * change is durable and in force when it is answered, without a commit. Bodies come in as they were
 * sent: whether the index exists is asked before their shape is.
 */
export class DictionaryService {
  readonly #ports: DictionaryServicePorts;
  readonly #options: DictionaryServiceOptions;

  constructor(ports: DictionaryServicePorts, options: DictionaryServiceOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** @throws FindlingError `index_not_found` */
  synonyms(indexName: string): SynonymLists {
    return requireIndex(this.#ports.catalog, indexName).synonyms;
  }

  /** @throws FindlingError `index_not_found`, `invalid_request` */
  async addSynonyms(indexName: string, body: unknown): Promise<"synonyms added"> {
    await this.#change(indexName, (index) => ({
      synonyms: withSynonyms(index.synonyms, this.#entries(body), DEFAULT_SYNONYM_LIMITS, (key) =>
        holdsWord(index.schema, key),
      ),
    }));
    return "synonyms added";
  }

  /** @throws FindlingError `index_not_found`, `invalid_request` */
  async deleteSynonyms(indexName: string, body: unknown): Promise<"synonyms deleted"> {
    await this.#change(indexName, (index) => ({
      synonyms: withoutSynonyms(index.synonyms, this.#entries(body)),
    }));
    return "synonyms deleted";
  }

  /** @throws FindlingError `index_not_found` */
  async deleteAllSynonyms(indexName: string): Promise<"all synonyms deleted"> {
    await this.#change(indexName, () => ({ synonyms: {} }));
    return "all synonyms deleted";
  }

  /**
   * The stopwords in force: the language's but for the exceptions, if the index excludes them, and the
   * custom ones.
   *
   * @throws FindlingError `index_not_found`
   */
  stopwords(indexName: string): readonly string[] {
    const { schema, custom_stopwords, stopword_exceptions } = requireIndex(this.#ports.catalog, indexName);
    return effectiveStopwords(schema, custom_stopwords, stopword_exceptions);
  }

  /**
   * Adds custom words. A word of the dictionary that was excepted is a stopword again.
   *
   * @throws FindlingError `index_not_found`, `invalid_request`
   */
  async addStopwords(indexName: string, body: unknown): Promise<"stopwords added"> {
    await this.#change(indexName, (index) => {
      const words = this.#entries(body).map((word, i) => {
        if (word.trim() === "") throw invalidEntry(i, "must hold a word");
        return asStored(word);
      });
      const all = new Set([...index.custom_stopwords, ...words]);
      if (all.size > CUSTOM_STOPWORDS_MAX) {
        throw new FindlingError(
          "invalid_request",
          `an index holds at most ${CUSTOM_STOPWORDS_MAX} stopwords of its own, and these would be more`,
        );
      }
      return { custom_stopwords: [...all], ...exceptions(index, (word) => !all.has(word)) };
    });
    return "stopwords added";
  }

  /**
   * Takes out custom words, and words of the dictionary, which become exceptions of this index.
   *
   * @throws FindlingError `index_not_found`, `invalid_request`
   */
  async deleteStopwords(indexName: string, body: unknown): Promise<"stopwords deleted"> {
    await this.#change(indexName, (index) => {
      const deleted = new Set(this.#entries(body).map(asStored));
      const dictionary = stopwordDictionary(index.schema);
      return {
        custom_stopwords: index.custom_stopwords.filter((word) => !deleted.has(asStored(word))),
        ...exceptions(
          index,
          () => true,
          [...deleted].filter((word) => dictionary.has(word)),
        ),
      };
    });
    return "stopwords deleted";
  }

  /** Forgets custom words and exceptions. @throws FindlingError `index_not_found` */
  async deleteAllStopwords(indexName: string): Promise<"all stopwords deleted"> {
    await this.#change(indexName, () => ({ custom_stopwords: [], stopword_exceptions: undefined }));
    return "all stopwords deleted";
  }

  #entries(body: unknown): readonly string[] {
    return parseDictionaryEntries(body, this.#options.entriesMax);
  }

  /** Alone on the index, so that of two changes at once neither is lost. */
  #change(indexName: string, change: (index: CatalogIndex) => DictionaryChange): Promise<void> {
    const { catalog, locks } = this.#ports;
    const own = indexNameOf(catalog, indexName);
    return locks.exclusive(own, async () => {
      const index = requireIndex(catalog, own);
      const { stopword_exceptions, ...others } = { ...index, ...change(index) };
      await catalog.putIndex(
        stopword_exceptions === undefined ? others : { ...others, stopword_exceptions },
        index,
      );
    });
  }
}

interface DictionaryChange extends Partial<Pick<CatalogIndex, "synonyms" | "custom_stopwords">> {
  readonly stopword_exceptions?: readonly string[] | undefined;
}

/** The exceptions that are kept and those that come; undefined for none. */
function exceptions(
  { stopword_exceptions = [] }: CatalogIndex,
  isKept: (word: string) => boolean,
  added: readonly string[] = [],
): DictionaryChange {
  const all = [...new Set([...stopword_exceptions.filter(isKept), ...added])];
  return { stopword_exceptions: all.length === 0 ? undefined : all };
}

/** One spelling for what the analysis holds to be one word. */
function asStored(word: string): string {
  return word.trim().toLowerCase().normalize("NFC");
}
