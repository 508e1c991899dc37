/** Wire scenarios of documents, transactions, settings and dictionaries, on servers before a cluster. */
import { onCluster } from "./scenarios-on-cluster.js";

onCluster([
  "bad-input",
  "bodies-as-they-come",
  "broken-bodies",
  "careful-deletes",
  "dictionaries",
  "documents",
  "forgiving-input",
  "index-settings",
  "indexes",
  "large-bodies",
  "reanalysis",
  "transactions",
  "written-values",
]);
