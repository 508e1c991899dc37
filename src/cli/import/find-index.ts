import { type FindlingClient, FindlingClientError, type IndexView } from "../../client/index.js";

/** The index's schema, or undefined if there is no such index. */
export async function findIndex(client: FindlingClient, name: string): Promise<IndexView | undefined> {
  try {
    return await client.getIndex(name);
  } catch (error) {
    return ignoreMissingIndex(error);
  }
}

/** Undefined for the error that there is no such index; every other error is thrown on. */
export function ignoreMissingIndex(error: unknown): undefined {
  if (error instanceof FindlingClientError && error.code === "index_not_found") return undefined;
  throw error;
}
