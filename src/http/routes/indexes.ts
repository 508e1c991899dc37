import type { AliasService } from "../../services/indexes/alias-service.js";
import type { IndexService } from "../../services/indexes/index-service.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function indexRoutes(indexes: IndexService, aliases: AliasService): HandlersOf<"Indexes"> {
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
    listAliases: (call) => aliases.list(call.authority),
    putAlias: (call) => aliases.put(parameter(call, "alias_name"), call.body, call.authority),
    deleteAlias: (call) => aliases.delete(parameter(call, "alias_name"), call.authority),
    swapAliases: (call) => aliases.swap(call.body, call.authority),
  };
}
