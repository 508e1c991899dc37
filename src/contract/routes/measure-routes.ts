import Type from "typebox";
import { PERMISSION } from "../access-key.js";
import { sentenceAnswer } from "../envelope.js";
import {
  breakdownDashboardSchema,
  conversionDashboardSchema,
  summaryDashboardSchema,
  usageDashboardSchema,
} from "../measure-answers.js";
import {
  deletedEventsSchema,
  measureBatchBodySchema,
  measureEventBodySchema,
  measureStatusSchema,
} from "../measure-event.js";
import { breakdownQuerySchema, dashboardQuerySchema, exportQuerySchema } from "../measure-query.js";
import type { RouteRow } from "./route-row.js";
import { INGEST, PLAIN, permission } from "./route-rules.js";

const ADMIN = permission(PERMISSION.ADMIN);

const RECORDING = {
  ...PLAIN,
  tag: "Measure",
  method: "POST",
  access: { ...INGEST, bitsIfReadKeysMeasure: PERMISSION.SEARCH },
  scope: "body_index",
} as const;

const DASHBOARD = {
  ...PLAIN,
  tag: "Measure",
  method: "GET",
  access: INGEST,
  scope: "filtered",
  query: dashboardQuerySchema,
  mirrored: true,
  errors: ["invalid_request", "index_not_allowed"],
} as const;

export const MEASURE_ROUTES: readonly RouteRow[] = [
  {
    ...PLAIN,
    operationId: "getMeasureStatus",
    method: "GET",
    path: "/measure/status",
    tag: "Measure",
    summary: "Tells whether usage events are kept; if not, the other measure routes do nothing",
    access: { kind: "public" },
    answer: measureStatusSchema,
    mirrored: true,
  },
  {
    ...RECORDING,
    operationId: "recordMeasureEvent",
    path: "/measure/event",
    summary: "Records one usage event",
    body: measureEventBodySchema,
    answer: sentenceAnswer("event accepted"),
  },
  {
    ...RECORDING,
    operationId: "recordMeasureBatch",
    path: "/measure/batch",
    summary: "Records several usage events, all or none",
    body: measureBatchBodySchema,
    answer: sentenceAnswer("batch accepted"),
  },
  {
    ...DASHBOARD,
    operationId: "getSummaryDashboard",
    path: "/measure/dashboard/summary",
    summary: "Searches, clicks, users and search terms",
    answer: summaryDashboardSchema,
  },
  {
    ...DASHBOARD,
    operationId: "getConversionDashboard",
    path: "/measure/dashboard/conversion",
    summary: "What becomes of searches: clicks over time and by search term, devices, sessions",
    answer: conversionDashboardSchema,
  },
  {
    ...DASHBOARD,
    operationId: "getUsageDashboard",
    path: "/measure/dashboard/usage",
    summary: "How many searches there were, in the range and in the calendar month it ends in",
    answer: usageDashboardSchema,
  },
  {
    ...DASHBOARD,
    operationId: "getBreakdownDashboard",
    path: "/measure/dashboard/breakdown",
    summary:
      "Extension: searches by system, platform, country, region, city, language, type of user or of search",
    query: breakdownQuerySchema,
    answer: breakdownDashboardSchema,
    mirrored: false,
  },
  {
    ...PLAIN,
    operationId: "exportMeasureEvents",
    method: "GET",
    path: "/measure/export",
    tag: "Measure",
    summary: "Extension: the events themselves, as lines of JSON or as a Parquet file",
    access: ADMIN,
    scope: "filtered",
    query: exportQuerySchema,
    answer: Type.String({
      description: "One event a line; with `format=parquet`, the bytes of a Parquet file.",
    }),
    answerType: "application/x-ndjson",
    errors: ["invalid_request", "index_not_allowed"],
  },
  {
    ...PLAIN,
    operationId: "deleteMeasureUser",
    method: "DELETE",
    path: "/measure/user/:user_id",
    tag: "Measure",
    summary: "Extension: forgets every usage event of a person, for keys whose scope is every index",
    access: ADMIN,
    scope: "everything",
    answer: deletedEventsSchema,
  },
];
