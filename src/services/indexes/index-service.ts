import { PERMISSION } from "../../contract/access-key.js";
import type {
  AllIndexStats,
  IndexDraft,
  IndexExtensionsDraft,
  IndexNames,
  IndexSettingsDraft,
  IndexStats,
  IndexView,
} from "../../contract/index-bodies.js";
import {
  carriesAiEnabled,
  locateIndexSchema,
  type ParsedSettings,
  parseFieldsPatch,
  parseIndexDraft,
  parseIndexExtensions,
  parseIndexPatch,
} from "../../contract/index-body.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { asWireObject, describeKind, memberOf } from "../../contract/wire-object.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import { ANALYSIS_VERSION, differInAnalysis, differInDocuments } from "../../query/index-analysis.js";
import type { Authority } from "../authority/authority.js";
import { requireIndexInScope } from "../authority/scope-rule.js";
import { IndexLocks } from "../locks/index-locks.js";
import type { AutoCommit } from "../transactions/auto-commit.js";
import { acceptedSchema } from "./accepted-schema.js";
import { completeAiConfig } from "./ai-settings.js";
import { dropStorage } from "./drop-storage.js";
import { changedFields, requireNoneLacks } from "./field-changes.js";
import { completeFields } from "./field-definitions.js";
import { requireIndexName } from "./index-name.js";
import { completeSchema, type IndexCore } from "./index-settings.js";
import { viewOf } from "./index-view.js";
import type { Reanalysis } from "./reanalysis.js";
import { renamedSchema } from "./renamed-secrets.js";
import { indexNameOf, refuseAlias, requireIndex } from "./require-index.js";
import { newStorageId } from "./storage-id.js";
import { requireUniqueKeys } from "./unique-keys.js";

export interface IndexServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locks: IndexLocks;
  readonly autoCommit: AutoCommit;
  readonly reanalysis: Reanalysis;
}

export interface IndexServiceOptions {
  /** Whether PUT on a missing name creates the index (contract 3.2). */
  readonly putCreates: boolean;
  /** Origins that `ai.llm_base_url` may have (contract 4.4). */
  readonly allowedLlmBaseUrls: readonly string[];
}

/** What the two ways to change settings may carry. */
type PatchDraft = IndexSettingsDraft & IndexExtensionsDraft;

/** Contract 3.2: a PATCH is answered after so long at the latest. */
const PATCH_WAIT_MS = 20_000;

/** What a PATCH makes of schemas. */
interface SchemaPatch {
  /** @throws FindlingError `invalid_schema` */
  apply(accepted: IndexSchema): IndexSchema;
  /** The schema in force with what of it needs no documents to be written anew, where others are awaited anyway. */
  inForceBefore(inForce: IndexSchema): IndexSchema;
}

/**
 * Indexes as callers see them (contract 3.2). Bodies come in as they were sent: permission and
 * existence are checked before their shape is.
 */
export class IndexService {
  readonly #ports: IndexServicePorts;
  readonly #options: IndexServiceOptions;
  /** Held for a whole PATCH, which waits without the index's own lock for documents to be analysed. */
  readonly #patchLocks = new IndexLocks();

  constructor(ports: IndexServicePorts, options: IndexServiceOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** The names in the caller's scope, sorted. */
  list(authority: Authority): IndexNames {
    return { index_names: this.#inScope(authority).map((index) => index.schema.name) };
  }

  async allStats(authority: Authority): Promise<AllIndexStats> {
    const counted = await Promise.all(this.#inScope(authority).map((index) => this.#countIfThere(index)));
    const present = counted.filter((entry) => entry !== undefined);
    return {
      index_count: present.length,
      indices: present.map(({ name, count }) => ({ [name]: { document_count: count } })),
      total_document_count: present.reduce((sum, { count }) => sum + count, 0),
    };
  }

  /** @throws FindlingError `index_not_found` */
  get(name: string, authority: Authority): IndexView {
    return viewOf(acceptedSchema(requireIndex(this.#ports.catalog, name)), authority);
  }

  /** @throws FindlingError `index_not_found` */
  async stats(name: string): Promise<IndexStats> {
    const { storageId } = requireIndex(this.#ports.catalog, name);
    const { documentCount } = await this.#ports.backend.stats(storageId);
    return { document_count: documentCount };
  }

  /** @throws FindlingError `index_not_allowed`, `invalid_index`, `invalid_schema`, `index_exists` */
  async create(body: unknown, authority: Authority): Promise<"index created" | "index updated"> {
    const located = locateIndexSchema(body);
    requireNameInScope(memberOf(asWireObject(located.value) ?? {}, "name"), authority);
    const parsed = parseIndexDraft(located);
    const name = requireIndexName(parsed.draft.name);
    refuseAlias(this.#ports.catalog, name);
    const mayReplace = requireBoolean("override_if_exists", located.overrideIfExists ?? false);
    return this.#ports.locks.exclusive(name, async () => {
      refuseAlias(this.#ports.catalog, name);
      const existing = this.#ports.catalog.index(name);
      if (existing !== undefined && !mayReplace) {
        throw new FindlingError(
          "index_exists",
          `index '${name}' exists already; with 'override_if_exists' it is replaced and loses its documents`,
        );
      }
      await this.#install(this.#schemaOf(name, parsed, { existing, keepsAi: false }), existing);
      return existing === undefined ? "index created" : "index updated";
    });
  }

  /**
   * Replaces the schema and removes all documents.
   *
   * @throws FindlingError `insufficient_permissions`, `index_not_found`, `invalid_index`, `invalid_schema`
   */
  async replace(
    name: string,
    body: unknown,
    authority: Authority,
  ): Promise<"index created" | "index updated"> {
    const located = locateIndexSchema(body);
    if (carriesAiEnabled(located.value)) requireAiPermission(authority);
    return this.#ports.locks.exclusive(name, async () => {
      refuseAlias(this.#ports.catalog, name);
      const existing = this.#options.putCreates
        ? this.#ports.catalog.index(name)
        : requireIndex(this.#ports.catalog, name);
      const parsed = parseIndexDraft(located);
      if (parsed.draft.name !== undefined && parsed.draft.name !== name) {
        throw new FindlingError(
          "invalid_index",
          `'name' in the body is '${parsed.draft.name}', in the path '${name}'; an index can't be renamed`,
        );
      }
      requireIndexName(name);
      await this.#install(this.#schemaOf(name, parsed, { existing, keepsAi: true }), existing);
      return existing === undefined ? "index created" : "index updated";
    });
  }

  /**
   * Changes settings and keeps the documents. If they have to be analysed anew, the answer waits until
   * they are, but not for long: the rest of the work is done after it.
   *
   * @throws FindlingError `insufficient_permissions`, `index_not_found`, `not_patchable`, `invalid_schema`
   */
  async patch(name: string, body: unknown, authority: Authority): Promise<"index updated"> {
    if (carriesAiEnabled(body)) requireAiPermission(authority);
    const own = indexNameOf(this.#ports.catalog, name);
    return this.#patch(own, () => this.#settingsPatch(parseIndexPatch(body, own)));
  }

  /**
   * Changes settings beyond the specification, as `patch` does those that it has.
   *
   * @throws FindlingError `index_not_found`, `not_patchable`, `invalid_schema`
   */
  async patchSettings(name: string, body: unknown): Promise<"index updated"> {
    const own = indexNameOf(this.#ports.catalog, name);
    return this.#patch(own, () => this.#settingsPatch(parseIndexExtensions(body, own)));
  }

  /**
   * Adds fields, and changes of others what can be made of kept values; documents stay, and are written anew as `patch`
   * does it.
   *
   * @throws FindlingError `index_not_found`, `invalid_schema`
   */
  async patchFields(name: string, body: unknown): Promise<"index updated"> {
    return this.#patch(indexNameOf(this.#ports.catalog, name), () => {
      const drafts = parseFieldsPatch(body);
      return {
        apply: (stored) =>
          this.#patched(
            { ...stored, fields: changedFields(stored.fields, drafts) },
            { draft: {}, cleared: new Set() },
          ),
        inForceBefore: (stored) => stored,
      };
    });
  }

  #settingsPatch(parsed: ParsedSettings<PatchDraft>): SchemaPatch {
    return {
      apply: (stored) => this.#patched(stored, parsed),
      inForceBefore: (stored) => this.#patchedIfFit(stored, parsed),
    };
  }

  /** What names fields that the index doesn't have yet comes into force with these. */
  #patchedIfFit(stored: IndexSchema, parsed: ParsedSettings<PatchDraft>): IndexSchema {
    try {
      return this.#patched(stored, parsed);
    } catch (error) {
      if (error instanceof FindlingError && error.code === "invalid_schema") return stored;
      throw error;
    }
  }

  /** @param parse the body, once it is known that the index exists */
  #patch(name: string, parse: () => SchemaPatch): Promise<"index updated"> {
    const { clock } = this.#ports;
    const answerAtMs = clock.now() + PATCH_WAIT_MS;
    return this.#patchLocks.exclusive<"index updated">(name, async () => {
      const { inForce } = await this.#beginPatch(name, parse);
      if (inForce !== null) await this.#settlePatch(name, inForce, answerAtMs - clock.now());
      requireIndex(this.#ports.catalog, name);
      return "index updated";
    });
  }

  /** In force at once, or once the promise has been kept: it isn't waited for under the index's lock. */
  #beginPatch(name: string, parse: () => SchemaPatch): Promise<{ readonly inForce: Promise<void> | null }> {
    const { catalog, backend, locks, reanalysis } = this.#ports;
    return locks.exclusive(name, async () => {
      const existing = requireIndex(catalog, name);
      const patch = parse();
      const accepted = acceptedSchema(existing);
      const schema = patch.apply(accepted);
      await requireNoneLacks(backend, existing.storageId, existing.schema, schema);
      if (schema.primary_key !== accepted.primary_key)
        await requireUniqueKeys(backend, existing.storageId, schema);
      const { next_schema: awaited, ...current } = existing;
      if (!differInDocuments(existing.schema, schema)) {
        await this.#update(existing, { ...current, schema });
        reanalysis.cancel(name);
        return { inForce: null };
      }
      if (awaited !== undefined && !differInDocuments(awaited, schema)) {
        const inForce = patch.inForceBefore(existing.schema);
        const changed = { ...current, schema: withKeyOf(existing.schema, inForce), next_schema: schema };
        await this.#update(existing, changed);
        return { inForce: null };
      }
      return { inForce: reanalysis.begin(name, schema) };
    });
  }

  /** Waits for new settings to be in force; at the latest when the time is over they are accepted instead. */
  async #settlePatch(name: string, inForce: Promise<void>, waitMs: number): Promise<void> {
    const { clock, locks, reanalysis } = this.#ports;
    let isLate: () => void = () => undefined;
    const late = new Promise<"late">((resolve) => {
      isLate = () => resolve("late");
    });
    const timer = clock.after(Math.max(0, waitMs), isLate);
    try {
      if ((await Promise.race([inForce, late])) !== "late") return;
      if (!(await locks.exclusive(name, () => reanalysis.accept(name)))) await inForce;
    } catch (error) {
      reanalysis.cancel(name);
      // What an earlier PATCH was promised still holds.
      reanalysis.resume(name);
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** @throws FindlingError `invalid_index`, `index_exists` unless a new index may have the name */
  requireFree(as: string): void {
    const name = requireIndexName(as);
    const { catalog } = this.#ports;
    refuseAlias(catalog, name);
    if (catalog.index(name) === undefined) return;
    throw new FindlingError(
      "index_exists",
      `index '${name}' exists already; restore under another name, or delete that one first`,
    );
  }

  /**
   * Makes an index of an entry that a backup has, with storage that the caller fills.
   *
   * @param fill makes the storage, or leaves nothing
   * @returns what is missing, in sentences: secrets that can't be opened here
   * @throws FindlingError `index_exists`, `invalid_index`; what `fill` throws
   */
  async restore(
    former: CatalogIndex,
    as: string,
    fill: (storageId: StorageId, schema: IndexSchema) => Promise<void>,
  ): Promise<{ readonly missing: readonly string[] }> {
    const name = requireIndexName(as);
    const { catalog, backend, locks, reanalysis } = this.#ports;
    return locks.exclusive(name, async () => {
      this.requireFree(name);
      const { schema, missing } = renamedSchema(former.schema, name, catalog);
      const awaited = former.next_schema;
      const next = awaited === undefined ? undefined : renamedSchema(awaited, name, catalog).schema;
      const storageId = newStorageId();
      await fill(storageId, schema);
      try {
        const { next_schema: _, ...kept } = former;
        await catalog.putIndex({
          ...kept,
          schema,
          ...(next !== undefined && { next_schema: next }),
          storageId,
        });
      } catch (error) {
        if (catalog.isSettled) await dropStorage(this.#ports, name, storageId);
        throw error;
      }
      await backend.keepIndex(storageId);
      reanalysis.resume(name);
      return { missing };
    });
  }

  /** @throws FindlingError `index_not_found` */
  async delete(name: string): Promise<"index deleted"> {
    return this.#ports.locks.exclusive<"index deleted">(name, async () => {
      const { catalog, backend } = this.#ports;
      refuseAlias(catalog, name);
      const index = requireIndex(catalog, name);
      const { storageId } = index;
      const aliases = catalog.aliases().filter((each) => each.index === name);
      if (aliases.length > 0) {
        const named = aliases.map(({ alias }) => `'${alias}'`).join(", ");
        throw new FindlingError(
          "alias_conflict",
          `index '${name}' isn't deleted while it has an alias: ${named}; delete that, or give it to another index`,
        );
      }
      await backend.releaseIndex(storageId);
      try {
        await catalog.deleteIndex(name, index);
      } catch (error) {
        if (catalog.isSettled) await backend.keepIndex(storageId);
        throw error;
      }
      this.#ports.reanalysis.cancel(name);
      this.#ports.autoCommit.cancel(name);
      await dropStorage(this.#ports, name, storageId);
      return "index deleted";
    });
  }

  #inScope(authority: Authority): readonly CatalogIndex[] {
    return this.#ports.catalog.indexes().filter((index) => authority.coversIndex(index.schema.name));
  }

  /** Undefined if the index has gone while its documents were being counted. */
  async #countIfThere({
    schema,
    storageId,
  }: CatalogIndex): Promise<{ name: string; count: number } | undefined> {
    try {
      const { documentCount } = await this.#ports.backend.stats(storageId);
      return { name: schema.name, count: documentCount };
    } catch (error) {
      if (this.#ports.catalog.index(schema.name)?.storageId === storageId) throw error;
      return undefined;
    }
  }

  /** POST forgets the AI settings that the body doesn't name, PUT keeps them. */
  #schemaOf(
    name: string,
    { draft, cleared }: ParsedSettings<IndexDraft>,
    { existing, keepsAi }: { readonly existing: CatalogIndex | undefined; readonly keepsAi: boolean },
  ): IndexSchema {
    const stored = existing === undefined ? undefined : acceptedSchema(existing);
    const kept = keepsAi ? stored : undefined;
    const ai = cleared.has("ai") ? undefined : (this.#completeAi(draft, stored) ?? kept?.ai);
    const core: IndexCore = {
      name,
      fields: completeFields(draft.fields),
      analysis_version: ANALYSIS_VERSION,
      ai_enabled: draft.ai_enabled ?? kept?.ai_enabled ?? false,
      ...(ai === undefined ? {} : { ai }),
    };
    return completeSchema(core, draft);
  }

  #patched(stored: IndexSchema, { draft, cleared }: ParsedSettings<PatchDraft>): IndexSchema {
    const { language, time_decay_field, ingestion, ai: storedAi, ...others } = stored;
    const { fold_diacritics, symbols, suggest_field, primary_key, analysis_version, ...rest } = others;
    const extensions = { fold_diacritics, symbols, suggest_field, primary_key };
    const optional = { language, time_decay_field, ingestion, ...extensions };
    const clearable = Object.entries(optional).filter(
      ([member, value]) => value !== undefined && !cleared.has(member),
    );
    const ai = cleared.has("ai") ? undefined : (this.#completeAi(draft, stored) ?? storedAi);
    const core: IndexCore = {
      name: stored.name,
      fields: stored.fields,
      ai_enabled: draft.ai_enabled ?? stored.ai_enabled,
      ...(analysis_version === undefined ? {} : { analysis_version }),
      ...(ai === undefined ? {} : { ai }),
    };
    return completeSchema(core, { ...rest, ...Object.fromEntries(clearable), ...draft });
  }

  #completeAi(draft: PatchDraft, stored: IndexSchema | undefined): IndexSchema["ai"] {
    if (draft.ai === undefined) return undefined;
    return completeAiConfig(draft.ai, {
      stored: stored?.ai,
      allowedBaseUrls: this.#options.allowedLlmBaseUrls,
    });
  }

  /**
   * Gives the index new, empty storage. The catalog's one write is the moment of change: before it
   * nothing is lost, after it the old storage is rubbish that a restart would clear away too.
   */
  async #install(schema: IndexSchema, existing: CatalogIndex | undefined): Promise<void> {
    const { catalog, backend, autoCommit, reanalysis } = this.#ports;
    const storageId = newStorageId();
    await backend.createIndex(storageId, schema);
    if (existing !== undefined) await backend.releaseIndex(existing.storageId);
    try {
      const entry = {
        schema,
        storageId,
        custom_stopwords: existing?.custom_stopwords ?? [],
        ...(existing?.stopword_exceptions !== undefined && {
          stopword_exceptions: existing.stopword_exceptions,
        }),
        synonyms: existing?.synonyms ?? {},
      };
      await catalog.putIndex(entry, existing ?? null);
    } catch (error) {
      if (catalog.isSettled) {
        await dropStorage(this.#ports, schema.name, storageId);
        if (existing !== undefined) await backend.keepIndex(existing.storageId);
      }
      throw error;
    }
    await backend.keepIndex(storageId);
    autoCommit.cancel(schema.name);
    reanalysis.cancel(schema.name);
    if (existing !== undefined) await dropStorage(this.#ports, schema.name, existing.storageId);
  }

  async #update(before: CatalogIndex, after: CatalogIndex): Promise<void> {
    const { catalog, backend, autoCommit } = this.#ports;
    await catalog.putIndex(after, before);
    try {
      await backend.updateIndex(after.storageId, after.schema);
    } catch (error) {
      await catalog.putIndex(before);
      throw error;
    }
    if (before.schema.auto_commit_delay !== after.schema.auto_commit_delay) await autoCommit.resume(after);
  }
}

/** A text key can't be in force before documents are found by it. */
function withKeyOf(inForce: IndexSchema, schema: IndexSchema): IndexSchema {
  const { primary_key: key, ...keyless } = inForce;
  const next = schema.primary_key === undefined ? keyless : { ...keyless, primary_key: schema.primary_key };
  if (!differInAnalysis(inForce, next)) return schema;
  const { primary_key: _, ...rest } = schema;
  return key === undefined ? rest : { ...rest, primary_key: key };
}

function requireNameInScope(name: unknown, authority: Authority): void {
  if (typeof name === "string") requireIndexInScope(authority, name);
}

function requireAiPermission(authority: Authority): void {
  if (authority.holds(PERMISSION.MODIFY_INDEX)) return;
  throw new FindlingError(
    "insufficient_permissions",
    `'ai_enabled' may only be sent with a key that has the permission MODIFY_INDEX (${PERMISSION.MODIFY_INDEX})`,
  );
}

function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new FindlingError("invalid_request", `'${name}' must be true or false, not ${describeKind(value)}`);
}
