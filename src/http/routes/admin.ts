import { parseSignInBody } from "../../contract/admin.js";
import type { AdminService } from "../../services/admin/admin-service.js";
import type { KeyService } from "../../services/keys/key-service.js";
import type { SignInCodes } from "../../services/keys/sign-in-codes.js";
import type { RouteHandlers } from "./route-handler.js";

type AdminOperation =
  | "getOverview"
  | "listSlowSearches"
  | "getLog"
  | "getConfiguration"
  | "describeCaller"
  | "signInWithCode";

export function adminRoutes(
  admin: AdminService,
  keys: KeyService,
  codes: SignInCodes,
): Pick<RouteHandlers, AdminOperation> {
  return {
    getOverview: () => admin.overview(),
    listSlowSearches: () => admin.slowSearches(),
    getLog: (call) => admin.log(call.query),
    getConfiguration: () => admin.configuration(),
    describeCaller: (call) => keys.describe(call.authority),
    signInWithCode: (call) => ({ key: codes.redeem(parseSignInBody(call.body), call.isLocal) }),
  };
}
