import type { CanonicalDocument, CanonicalValue } from "../../contract/canonical-value.js";
import { documentVersion } from "../../contract/document-version.js";
import { changedShapes, SHAPES_MEMBER } from "../../contract/nested-fields.js";
import { type EngineSchema, type FoundDocument, sortBytes } from "../../engine/server-door.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../ports/document-change.js";

/** A document as the changes before have left it. */
export interface ChangedDocument {
  /** Null: it is new. */
  readonly id: string | null;
  version: string | null;
  document: CanonicalDocument;
}

/** What a row of changes makes of the documents that they find. */
export class DocumentChanges {
  readonly #schema: EngineSchema;
  readonly #options: ChangeOptions;
  readonly #known = new Map<string, ChangedDocument>();

  constructor(schema: EngineSchema, options: ChangeOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  /** What each change makes, the same object where it is the same document; or why there are none. */
  made(
    changes: readonly DocumentChange[],
    found: readonly (FoundDocument | null)[],
  ): readonly ChangedDocument[] | DocumentsChanged {
    const missing: number[] = [];
    const conflicting: number[] = [];
    const incomplete: number[] = [];
    const rekeyed: number[] = [];
    const made: ChangedDocument[] = [];
    changes.forEach((change, place) => {
      const current = this.#current(change, found[place]!);
      if (current === null) {
        const mayAdd = this.#options.upsert && "key" in change.target;
        if (!mayAdd) missing.push(place);
        else if (change.version !== undefined) conflicting.push(place);
        else if (!change.isWhole) incomplete.push(place);
        else made.push(this.#add(change));
        return;
      }
      if (change.version !== undefined && change.version !== current.version) conflicting.push(place);
      else if (this.#isRekeyed(change, current)) rekeyed.push(place);
      current.document = this.#merged(current.document, change);
      made.push(current);
    });
    const isRefused = [missing, conflicting, incomplete, rekeyed].some(({ length }) => length > 0);
    return isRefused ? { kind: "refused", missing, conflicting, incomplete, rekeyed } : made;
  }

  #current({ target }: DocumentChange, found: FoundDocument | null): ChangedDocument | null {
    const name = found === null ? this.#nameOf(target) : found.id;
    if (name === null) return null;
    const known = this.#known.get(name);
    if (known !== undefined || found === null) return known ?? null;
    const { id, stored, document } = found;
    const current = { id, version: documentVersion(id, stored), document };
    this.#known.set(id, current);
    return current;
  }

  #add(change: DocumentChange): ChangedDocument {
    const added: ChangedDocument = { id: null, version: null, document: this.#merged({}, change) };
    this.#known.set(this.#nameOf(change.target)!, added);
    return added;
  }

  #isRekeyed({ set }: DocumentChange, { document }: ChangedDocument): boolean {
    const { key } = this.#options;
    if (key === undefined) return false;
    const [before, after] = [document[key], set[key]];
    return after !== undefined && (before === undefined || this.#keyText(after) !== this.#keyText(before));
  }

  /** What tells keys apart. */
  #keyText(value: CanonicalValue): string {
    const field = this.#schema.fields.find(({ name }) => name === this.#options.key)!;
    return Buffer.from(sortBytes(field, value)).toString("latin1");
  }

  /** What tells a document that isn't there from others; null for an id, of which none can be made. */
  #nameOf(target: DocumentChange["target"]): string | null {
    return "id" in target ? null : `key ${this.#keyText(target.key)}`;
  }

  #merged(document: CanonicalDocument, { set, removed }: DocumentChange): CanonicalDocument {
    const merged: Record<string, CanonicalValue> = {};
    const shapes = changedShapes(document, set, removed);
    for (const { name } of this.#schema.fields) {
      if (name === SHAPES_MEMBER) {
        if (shapes !== undefined) merged[name] = shapes;
        continue;
      }
      const value = Object.hasOwn(set, name)
        ? set[name]
        : Object.hasOwn(document, name)
          ? document[name]
          : undefined;
      if (value !== undefined && !removed.includes(name)) merged[name] = value;
    }
    return merged;
  }
}

/**
 * What is told of changes that were made.
 *
 * @param made by change
 * @param ids of the distinct documents among them, in their order
 */
export function changesMade(made: readonly ChangedDocument[], ids: readonly string[]): DocumentsChanged {
  const distinct = distinctDocuments(made);
  const idOf = new Map(distinct.map((each, i) => [each, ids[i]!]));
  return {
    kind: "changed",
    ids: made.map((each) => idOf.get(each)!),
    added: distinct.filter(({ id }) => id === null).length,
  };
}

/** The documents of a row of changes, each once. */
export function distinctDocuments(made: readonly ChangedDocument[]): readonly ChangedDocument[] {
  return [...new Set(made)];
}
