import type { IndexService } from "../../services/indexes/index-service.js";
import { parameter, type RouteHandlers } from "./route-handler.js";

type IndexOperation =
  | "listIndexes"
  | "getAllIndexStats"
  | "createIndex"
  | "getIndex"
  | "getIndexStats"
  | "replaceIndex"
  | "patchIndex"
  | "patchIndexSettings"
  | "patchIndexFields"
  | "deleteIndex";

export function indexRoutes(indexes: IndexService): Pick<RouteHandlers, IndexOperation> {
  return {
    listIndexes: (call) => indexes.list(call.authority),
    getAllIndexStats: (call) => indexes.allStats(call.authority),
    createIndex: (call) => indexes.create(call.body, call.authority),
    getIndex: (call) => indexes.get(parameter(call, "index_name"), call.authority),
    getIndexStats: (call) => indexes.stats(parameter(call, "index_name")),
    replaceIndex: (call) => indexes.replace(parameter(call, "index_name"), call.body, call.authority),
    patchIndex: (call) => indexes.patch(parameter(call, "index_name"), call.body, call.authority),
    patchIndexSettings: (call) => indexes.patchSettings(parameter(call, "index_name"), call.body),
    patchIndexFields: (call) => indexes.patchFields(parameter(call, "index_name"), call.body),
    deleteIndex: (call) => indexes.delete(parameter(call, "index_name")),
  };
}
