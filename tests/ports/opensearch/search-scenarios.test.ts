/** Wire scenarios of searches, on servers before a cluster. */
import { onCluster } from "./scenarios-on-cluster.js";

onCluster([
  "accents",
  "federated-search",
  "joined-words",
  "query-language",
  "query-modes",
  "query-ranking",
  "query-values",
  "search",
  "search-box",
  "search-cursor",
  "search-extensions",
  "search-limits",
  "search-order",
  "search-trials",
  "stems",
  "suggest",
  "synonyms",
  "time-decay",
]);
