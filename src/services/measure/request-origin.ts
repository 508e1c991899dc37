import type { UserType } from "../../contract/measure-event.js";
import type { Authority } from "../authority/authority.js";

/** What a request tells of the person behind it (contract 1.2); nothing of it is checked. */
export interface RequestClient {
  /** `X-Sc-User-Id`. */
  readonly userId?: string;
  /** `X-Sc-Session-Id`. */
  readonly sessionId?: string;
  /** `X-Sc-User-Type`, if it is one. */
  readonly userType?: UserType;
  readonly userAgent?: string;
  /** The connection's other end; behind a proxy it is the proxy. */
  readonly remoteAddress?: string;
}

/** Who a usage event came from. */
export interface RequestOrigin {
  readonly authority: Authority;
  readonly client: RequestClient;
}
