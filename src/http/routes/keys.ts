import type { KeyService } from "../../services/keys/key-service.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function keyRoutes(keys: KeyService): HandlersOf<"Keys"> {
  return {
    listKeys: (call) => keys.list(call.authority),
    createKey: (call) => keys.create(call.body, call.authority),
    deleteAllKeys: (call) => keys.deleteAll(call.authority),
    getKey: (call) => keys.get(parameter(call, "key"), call.authority),
    updateKey: (call) => keys.update(parameter(call, "key"), call.body, call.authority),
    deleteKey: (call) => keys.delete(parameter(call, "key"), call.authority),
    listKeysOfApplication: (call) => keys.listOfApplication(parameter(call, "id"), call.authority),
    listKeysOfOrganization: (call) => keys.listOfOrganization(parameter(call, "id"), call.authority),
    listKeysOfFederation: (call) => keys.listOfFederation(parameter(call, "federation_name"), call.authority),
    listKeysOfIndex: (call) => keys.listOfIndex(parameter(call, "index_name"), call.authority),
    describeCaller: (call) => keys.describe(call.authority),
    checkPermission: (call) => keys.check(parameter(call, "permission"), call.authority),
  };
}
