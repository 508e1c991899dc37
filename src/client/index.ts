export type { AccessKey } from "../contract/access-key.js";
export type {
  CallerView,
  ConfigurationView,
  IndexOverview,
  LogLine,
  Overview,
  RecentLogLines,
  SettingView,
  SignedIn,
  SlowSearch,
  SlowSearches,
} from "../contract/admin.js";
export type { Alias } from "../contract/aliases.js";
export type {
  BackupBegun,
  BackupCheck,
  BackupList,
  BackupSummary,
  RestoreBegun,
  RestoredIndex,
  RestoreProgress,
  RestoreRequest,
} from "../contract/backup-bodies.js";
export type { SynonymLists } from "../contract/dictionary-bodies.js";
export type {
  DocumentsAdded,
  DocumentsRemoved,
  DocumentsUpdated,
  DocumentView,
} from "../contract/document-bodies.js";
export type { FederatedIndex, Federation } from "../contract/federation.js";
export type {
  FederatedIndexDraft,
  FederatedIndexStats,
  FederationDraft,
  FederationStats,
} from "../contract/federation-bodies.js";
export type {
  AllIndexStats,
  FieldDraft,
  FieldPatchDraft,
  FieldView,
  IndexDraft,
  IndexExtensionsDraft,
  IndexNames,
  IndexSettingsDraft,
  IndexStats,
  IndexView,
} from "../contract/index-bodies.js";
export type { DatetimePrecision, FieldType } from "../contract/index-schema.js";
export type { KeyDraft } from "../contract/key-bodies.js";
export type {
  BreakdownDashboard,
  ConversionDashboard,
  SummaryDashboard,
  UsageDashboard,
} from "../contract/measure-answers.js";
export type { DeletedEvents, MeasureStatus } from "../contract/measure-event.js";
export type { FacetNode, ScoreExplanation, SearchProfile } from "../contract/search.js";
export type { Suggestions } from "../contract/suggest.js";
export type { Capabilities, SummaryEvent, SummaryModelCall, SummarySource } from "../contract/summary.js";
export {
  type AddDocumentsOptions,
  type CreateIndexOptions,
  FindlingClient,
  type NamedFederationDraft,
  type NamedIndexDraft,
  type NewKey,
} from "./findling-client.js";
export {
  FindlingClientError,
  type FindlingClientErrorInit,
  type FindlingErrorItem,
} from "./findling-client-error.js";
export { type FindlingClientOptions, JsonText, type RequestOptions } from "./http-transport.js";
export type {
  BreakdownQuery,
  EventSelectionQuery,
  ExportQuery,
  MeasureEventDraft,
  MeasureQuery,
} from "./measure-types.js";
export type {
  CursorBody,
  FacetOptions,
  HighlightOptions,
  OrderEntry,
  QueryClause,
  SearchAnswer,
  SearchAnswerHit,
  SearchBody,
  SearchQuery,
  SummaryBody,
  WireScalar,
} from "./wire-types.js";
