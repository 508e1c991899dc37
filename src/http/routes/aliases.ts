import type { AliasService } from "../../services/indexes/alias-service.js";
import { parameter, type RouteHandlers } from "./route-handler.js";

export function aliasRoutes(
  aliases: AliasService,
): Pick<RouteHandlers, "listAliases" | "putAlias" | "deleteAlias" | "swapAliases"> {
  return {
    listAliases: (call) => aliases.list(call.authority),
    putAlias: (call) => aliases.put(parameter(call, "alias_name"), call.body, call.authority),
    deleteAlias: (call) => aliases.delete(parameter(call, "alias_name"), call.authority),
    swapAliases: (call) => aliases.swap(call.body, call.authority),
  };
}
