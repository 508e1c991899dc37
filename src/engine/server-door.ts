/**
 * What the server and the command line take of the engine. Programs that embed it go in by `index.ts`, which has text
 * searches and less else.
 */
export type { Analyzer } from "../analysis/analyzer.js";
export { tokensOf } from "../analysis/analyzer.js";
export { createAnalyzer } from "../analysis/create-analyzer.js";
export { CorruptionError, type ErrorCode, FindlingError } from "../errors/index.js";
export { beginCollection } from "./bytes/begin-collection.js";
export { isFileOwner } from "./bytes/file-owner.js";
export { keepShapes } from "./bytes/keep-shapes.js";
export { releaseBuffer } from "./bytes/release-buffer.js";
export type { Directory, WriteLock } from "./directory/directory.js";
export {
  deleteDisposable,
  isDisposable,
  keepFolder,
  markDisposable,
} from "./directory/disposable-folder.js";
export { FileDirectory } from "./directory/file-directory.js";
export { FolderLock, requireUnlocked } from "./directory/folder-lock.js";
export { MemoryDirectory } from "./directory/memory-directory.js";
export { PassingFolder } from "./directory/passing-folder.js";
export { isWantOfRoom, systemErrorCode } from "./directory/storage-error.js";
export { type DocumentsReplaced, Index, type IndexParts } from "./document-index.js";
export type { IndexOptions } from "./index-options.js";
export { type DocumentReading, type EncodedDocuments, encodeForAdding } from "./indexer/encoded-documents.js";
export type { DocumentTarget, FoundDocument } from "./indexer/find-documents.js";
export { type HeldCommit, installCommit, readDetachedCommit } from "./indexer/held-commit.js";
export type { IndexRewrite } from "./indexer/index-rewrite.js";
export { keepWritingShapes } from "./indexer/kept-shapes.js";
export type { KeyConflicts } from "./indexer/key-conflicts.js";
export { mayRunBeside } from "./indexer/merge-plan.js";
export { type MergePolicy, TieredMergePolicy } from "./indexer/merge-policy.js";
export { type MergeTask, runMerge } from "./indexer/merge-runner.js";
export { PendingMemory } from "./indexer/pending-memory.js";
export { type CheckReport, checkIndex } from "./inspect/check-index.js";
export { glanceAtIndex, type IndexGlance } from "./inspect/glance-at-index.js";
export { holdsData } from "./inspect/holds-data.js";
export {
  type DocumentInspection,
  type IndexInspection,
  inspectDocument,
  inspectIndex,
  inspectTerm,
  inspectTerms,
  type TermEntry,
  type TermInspection,
} from "./inspect/inspect-index.js";
export { readSchema } from "./inspect/read-schema.js";
export { loadKernels } from "./kernels/kernel-module.js";
export { compareSortValues } from "./schema/compare-sort-values.js";
export { defineSchema, type FieldShorthand } from "./schema/define-schema.js";
export type { CanonicalDocument, CanonicalValue, DocumentId } from "./schema/document.js";
export { DocumentIdSource } from "./schema/document-ids.js";
export type { EngineField, EngineSchema, FieldKind } from "./schema/engine-schema.js";
export { rangeBound } from "./schema/range-bound.js";
export { sortBytes } from "./schema/sort-bytes.js";
export { compareSortKeys } from "./search/collectors/compare-sort-keys.js";
export { CountedFacet } from "./search/collectors/counted-facet.js";
export { RunMerge } from "./search/collectors/run-merge.js";
export { type KeptValueMatch, keptValueMatcher } from "./search/kept-value-match.js";
export type { Query } from "./search/query.js";
export { type SearchInterrupt, searchTimeout, TimeLimit } from "./search/search-interrupt.js";
export type {
  CollectionStatistics,
  EngineHit,
  EngineSearchResult,
  Explanation,
  FacetNode,
  OrderKey,
  RankedHit,
  RankedHits,
  RankedResult,
  SearchOptions,
  SortKey,
} from "./search/search-types.js";
export { Searcher } from "./search/searcher.js";
export type { CacheFigures } from "./search/statistics/cache.js";
export { CombinedStatistics } from "./search/statistics/combined-statistics.js";
export { searchCacheFigures } from "./search/statistics/segment-statistics.js";
export { keepFewBlocks } from "./segment/doc-store/block-pool.js";
export type { SharedSegment } from "./segment/shared-segment.js";
export { forgetSpareMemory, limitSpareMemory } from "./segment/spare-memory.js";
export type { HeldSearcher } from "./snapshot/held-searcher.js";
export { type SharedSnapshot, shareSnapshot } from "./snapshot/shared-snapshot.js";
export { SnapshotFollower } from "./snapshot/snapshot-follower.js";
