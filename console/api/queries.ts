import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { CursorBody, SearchAnswer, SearchBody } from "../../src/client/index.js";
import { useSession } from "./session.js";

export type Document = Record<string, unknown>;
export type Answer = SearchAnswer<Document>;

/** What is searched: an index or a federation. */
export interface Target {
  readonly kind: "index" | "federation";
  readonly name: string;
}

/** Names of the indexes in the key's scope. */
export function useIndexNames() {
  const { client, may, caller } = useSession();
  return useQuery({
    queryKey: ["index-names"],
    queryFn: async ({ signal }) => {
      // Who may not search sees no list, but has been told names.
      if (!may.search) return caller.allowed_indexes.filter((name) => name !== "*");
      return (await client.listIndexes({ signal })).index_names;
    },
  });
}

export function useIndexStats() {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["index-stats"],
    enabled: may.search,
    queryFn: ({ signal }) => client.getAllIndexStats({ signal }),
  });
}

/** The stored keys; only for keys that may manage them. */
export function useKeys() {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["keys"],
    enabled: may.keys,
    queryFn: ({ signal }) => client.listKeys({ signal }),
  });
}

/** An index's settings; only for keys that may read them. */
export function useIndexView(name: string | undefined) {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["index", name],
    enabled: may.changeIndexes && name !== undefined,
    queryFn: ({ signal }) => client.getIndex(name!, { signal }),
  });
}

export function useFederations() {
  const { client, may, caller } = useSession();
  return useQuery({
    queryKey: ["federations"],
    queryFn: async ({ signal }) => {
      if (may.federations) return (await client.listFederations({ signal })).map(({ name }) => name);
      return caller.federation_name === undefined ? [] : [caller.federation_name];
    },
  });
}

export function useOverview(everyMs: number | false = 5_000) {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["overview"],
    enabled: may.operate,
    refetchInterval: everyMs,
    queryFn: ({ signal }) => client.getOverview({ signal }),
  });
}

export function useSearch(target: Target | undefined, body: SearchBody | CursorBody | undefined) {
  const { client } = useSession();
  return useQuery({
    queryKey: ["search", target?.kind, target?.name, JSON.stringify(body)],
    enabled: target !== undefined && body !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }): Promise<Answer> =>
      target!.kind === "index"
        ? client.searchIndex<Document>(target!.name, body!, { signal })
        : client.searchFederation<Document>(target!.name, body!, { signal }),
  });
}

export function useSynonyms(index: string | undefined) {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["synonyms", index],
    enabled: index !== undefined && may.search,
    queryFn: ({ signal }) => client.getSynonyms(index!, { signal }),
  });
}

export function useStopwords(index: string | undefined) {
  const { client, may } = useSession();
  return useQuery({
    queryKey: ["stopwords", index],
    enabled: index !== undefined && may.search,
    queryFn: ({ signal }) => client.getStopwords(index!, { signal }),
  });
}

/**
 * Asks again for all that is on the page, after something was changed; of what was just deleted nothing is asked, though
 * its part of the page may still be there for a moment.
 */
export function useRefresh(): (deleted?: string) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    (deleted) =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) => deleted === undefined || !queryKey.includes(deleted),
      }),
    [queries],
  );
}

/** After an index was deleted: what was known of it, and of all indexes, is to be asked anew, but by no page that is left. */
export function useForgetIndex(): (name: string) => void {
  const queries = useQueryClient();
  return useCallback(
    (name) => {
      const ofAll = new Set(["index-names", "index-stats", "overview", "federations"]);
      void queries.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => ofAll.has(String(kind)),
        refetchType: "none",
      });
      // Once the page about it is gone.
      setTimeout(() => queries.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(name) }));
    },
    [queries],
  );
}
