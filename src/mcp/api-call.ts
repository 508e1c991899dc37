import type { OperationId } from "../contract/route-table.js";

/** What an operation of the API is called with; what isn't given is empty. */
export interface ApiRequest {
  /** Parameters of the route's path, decoded. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Calls an operation of the API with the rights of the request's own access key, and gives what would be in `data`.
 *
 * @throws FindlingError as the route would answer it, permissions and scope included
 */
export type ApiCall = (operation: OperationId, request: ApiRequest) => Promise<unknown>;
