import { type FindlingClient, FindlingClientError, JsonText } from "../../client/index.js";
import { type BadDocument, BadDocumentsError } from "./bad-documents-error.js";
import { isCertainlyUndone, retrying } from "./retry.js";

/** Large batches on a busy machine; shorter than that the server would have said that it is busy. */
export const WRITE_TIMEOUT_MS = 600_000;

/** Documents on their way; those that turn out to be bad are taken out of it. */
export interface SendableDocuments {
  texts: readonly string[];
  places: readonly string[];
  /** The server has taken some of them in a request of their own. */
  isPartlySent?: boolean;
}

export interface SendOptions {
  readonly client: FindlingClient;
  readonly index: string;
  readonly retrySecondsMax: number;
  /** Called for each refused document where those are skipped; where not, they are an error. */
  readonly onSkip: ((bad: BadDocument) => void) | undefined;
  /** Whether one batch may become several requests, of which some may fail. */
  readonly maySplit: boolean;
}

export interface SentDocuments {
  /** One of the documents; undefined if none was left to send. */
  readonly documentId: string | undefined;
  /** Members that the index has no field for. */
  readonly ignoredFields: readonly string[];
  /** Documents of before that gave way to ones with the same primary key. */
  readonly replaced: number;
  /** Documents that gave way to later ones of the same request. */
  readonly overwritten: number;
}

const NOTHING_SENT: SentDocuments = { documentId: undefined, ignoredFields: [], replaced: 0, overwritten: 0 };

/**
 * Adds the documents, again and again while the server is busy or gone, and without those that it
 * refuses if they may be skipped.
 *
 * @throws BadDocumentsError naming the refused documents' places if they may not be skipped
 * @throws FindlingClientError for everything else; nothing of the batch is then added, unless the
 *   connection was lost or timed out, or the documents say that they are partly sent
 */
export async function sendBatch(documents: SendableDocuments, options: SendOptions): Promise<SentDocuments> {
  for (;;) {
    if (documents.texts.length === 0) return NOTHING_SENT;
    try {
      const body = new JsonText(`[${documents.texts.join(",")}]`);
      const answer = await retrying(
        () => options.client.addDocuments(options.index, body, { timeoutMs: WRITE_TIMEOUT_MS }),
        { isRetryable: isCertainlyUndone, secondsMax: options.retrySecondsMax },
      );
      // Nothing overwrites the last one.
      return {
        documentId: answer.ids.at(-1) ?? undefined,
        ignoredFields: answer.ignored_fields ?? [],
        replaced: answer.num_replaced ?? 0,
        overwritten: answer.ids.filter((id) => id === null).length,
      };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const bad = refusedDocuments(error, documents);
      if (bad.size === 0) {
        if (!options.maySplit) throw error;
        return await sendHalves(documents, options);
      }
      leaveOut(documents, bad, options.onSkip);
    }
  }
}

function isRefusal(error: unknown): error is FindlingClientError {
  return error instanceof FindlingClientError && REFUSALS.has(error.code);
}

/** For what the documents are, or for how many they are: a server may allow fewer in a request. */
const REFUSALS: ReadonlySet<string> = new Set([
  "invalid_document",
  "invalid_json",
  "payload_too_large",
  "invalid_request",
]);

/** Position to problem. A batch of one needs no position in the answer. */
function refusedDocuments(error: FindlingClientError, documents: SendableDocuments): Map<number, string> {
  const bad = new Map<number, string>();
  for (const { path, message } of error.errors) {
    const match = /^\[(\d+)\]\.?(.*)$/s.exec(path);
    const position = Number(match?.[1] ?? Number.NaN);
    if (!(position < documents.texts.length) || bad.has(position)) continue;
    // The place in the request says nothing to who knows the place in the file.
    bad.set(position, message.replace(/^'\[\d+\]\.?/, "'"));
  }
  if (bad.size === 0 && documents.texts.length === 1) bad.set(0, error.errors[0]?.message ?? error.message);
  return bad;
}

function leaveOut(
  documents: SendableDocuments,
  bad: ReadonlyMap<number, string>,
  onSkip: SendOptions["onSkip"],
): void {
  const named = [...bad]
    .sort(([left], [right]) => left - right)
    .map(([position, problem]) => ({ place: documents.places[position]!, problem }));
  if (onSkip === undefined) throw new BadDocumentsError(named);
  for (const each of named) onSkip(each);
  documents.texts = documents.texts.filter((_, position) => !bad.has(position));
  documents.places = documents.places.filter((_, position) => !bad.has(position));
}

/** For a refusal that names no document: the halves are refused or taken each by itself. */
async function sendHalves(documents: SendableDocuments, options: SendOptions): Promise<SentDocuments> {
  const middle = documents.texts.length >> 1;
  const halves: readonly SendableDocuments[] = [
    { texts: documents.texts.slice(0, middle), places: documents.places.slice(0, middle) },
    { texts: documents.texts.slice(middle), places: documents.places.slice(middle) },
  ];
  let documentId: string | undefined;
  const ignoredFields: string[] = [];
  let replaced = 0;
  let overwritten = 0;
  for (const half of halves) {
    const sent = await sendBatch(half, options);
    replaced += sent.replaced;
    overwritten += sent.overwritten;
    documentId = sent.documentId ?? documentId;
    documents.isPartlySent = documentId !== undefined;
    ignoredFields.push(...sent.ignoredFields);
  }
  documents.texts = halves.flatMap((half) => half.texts);
  documents.places = halves.flatMap((half) => half.places);
  return { documentId, ignoredFields, replaced, overwritten };
}
