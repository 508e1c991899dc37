import type { ExportFormat } from "../../contract/measure-query.js";
import type { DashboardService } from "../../services/measure/dashboard-service.js";
import type { MeasureService } from "../../services/measure/measure-service.js";
import { ByteStream } from "../answers/streamed-answers.js";
import { type HandlersOf, parameter } from "./route-handler.js";

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: "application/x-ndjson; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
};

export function measureRoutes(measure: MeasureService, dashboards: DashboardService): HandlersOf<"Measure"> {
  return {
    getMeasureStatus: () => measure.status(),
    recordMeasureEvent: (call) => measure.recordEvent(call.body, call),
    recordMeasureBatch: (call) => measure.recordBatch(call.body, call),
    getSummaryDashboard: (call) => dashboards.summary(call.query, call.authority),
    getConversionDashboard: (call) => dashboards.conversion(call.query, call.authority),
    getUsageDashboard: (call) => dashboards.usage(call.query, call.authority),
    getBreakdownDashboard: (call) => dashboards.breakdown(call.query, call.authority),
    exportMeasureEvents: (call) => {
      const { format, chunks } = measure.export(call.query, call.authority);
      return new ByteStream({ contentType: CONTENT_TYPES[format], fileName: `events.${format}`, chunks });
    },
    deleteMeasureUser: (call) => measure.deleteUser(parameter(call, "user_id")),
  };
}
