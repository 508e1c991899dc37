import type { FederationService } from "../../services/federations/federation-service.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function federationRoutes(federations: FederationService): HandlersOf<"Federations"> {
  return {
    listFederations: (call) => federations.list(call.authority),
    listFederationsOfOrganization: (call) =>
      federations.listOfOrganization(parameter(call, "organization_id"), call.authority),
    getFederation: (call) => federations.get(parameter(call, "federation_name"), call.authority),
    getFederationStats: (call) => federations.stats(parameter(call, "federation_name"), call.authority),
    createFederation: (call) => federations.create(call.body, call.authority),
    replaceFederation: (call) =>
      federations.replace(parameter(call, "federation_name"), call.body, call.authority),
    deleteFederation: (call) => federations.delete(parameter(call, "federation_name"), call.authority),
  };
}
