import type { MeasureEvent } from "../contract/measure-event.js";
import type { ExportFormat, Granularity } from "../contract/measure-query.js";

/** A usage event as it is sent. */
export interface MeasureEventDraft extends Omit<MeasureEvent, "received_at"> {
  /** When a past event happened: RFC 3339 or Unix seconds. Only with an admin key. */
  readonly received_at?: string | number;
}

/** Which events are asked about; all conditions that are given hold. */
export interface EventSelectionQuery {
  /** Unix seconds, YYYY-MM-DD or RFC 3339; inclusive. */
  readonly date_start?: string | number;
  /** Exclusive. */
  readonly date_end?: string | number;
  /** Events that name one of these. */
  readonly index_names?: readonly string[];
  readonly organization_id?: string;
  readonly application_id?: string;
  readonly user_id?: string;
  readonly user_type?: string;
  readonly session_id?: string;
  readonly event_name?: string;
}

export interface MeasureQuery extends EventSelectionQuery {
  readonly granularity?: Granularity;
  /** Rows of a page of the lists. */
  readonly rpp?: number;
  /** From 1. */
  readonly page?: number;
  readonly collapse_typing?: boolean;
}

export interface BreakdownQuery extends MeasureQuery {
  readonly by?: "os" | "platform" | "country" | "region" | "city" | "locale" | "user_type" | "search_kind";
}

export interface ExportQuery extends EventSelectionQuery {
  readonly format?: ExportFormat;
}
