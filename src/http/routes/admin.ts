import { parseSignInBody } from "../../contract/admin.js";
import type { AdminService } from "../../services/admin/admin-service.js";
import type { SignInCodes } from "../../services/keys/sign-in-codes.js";
import type { HandlersOf } from "./route-handler.js";

export function adminRoutes(admin: AdminService, codes: SignInCodes): HandlersOf<"Administration"> {
  return {
    getOverview: () => admin.overview(),
    listSlowSearches: () => admin.slowSearches(),
    getLog: (call) => admin.log(call.query),
    getConfiguration: () => admin.configuration(),
    signInWithCode: (call) => ({ key: codes.redeem(parseSignInBody(call.body), call.isLocal) }),
  };
}
