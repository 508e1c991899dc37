import type { KeyService } from "../../services/keys/key-service.js";
import { parameter, type RouteHandlers } from "../route-handler.js";

type KeyOperation =
  | "listKeys"
  | "createKey"
  | "deleteAllKeys"
  | "getKey"
  | "updateKey"
  | "deleteKey"
  | "listKeysOfApplication"
  | "listKeysOfOrganization"
  | "listKeysOfFederation"
  | "listKeysOfIndex"
  | "checkPermission";

export function keyRoutes(keys: KeyService): Pick<RouteHandlers, KeyOperation> {
  return {
    listKeys: () => keys.list(),
    createKey: (call) => keys.create(call.body, call.authority),
    deleteAllKeys: () => keys.deleteAll(),
    getKey: (call) => keys.get(parameter(call, "key")),
    updateKey: (call) => keys.update(parameter(call, "key"), call.body, call.authority),
    deleteKey: (call) => keys.delete(parameter(call, "key")),
    listKeysOfApplication: (call) => keys.listOfApplication(parameter(call, "id")),
    listKeysOfOrganization: (call) => keys.listOfOrganization(parameter(call, "id")),
    listKeysOfFederation: (call) => keys.listOfFederation(parameter(call, "federation_name")),
    listKeysOfIndex: (call) => keys.listOfIndex(parameter(call, "index_name")),
    checkPermission: (call) => keys.check(parameter(call, "permission"), call.authority),
  };
}
