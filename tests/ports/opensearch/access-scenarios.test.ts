/** Wire scenarios of keys, permissions, federations and what clients do, on servers before a cluster. */
import { onCluster } from "./scenarios-on-cluster.js";

onCluster([
  "admin",
  "answer-shapes",
  "client-flows",
  "error-order",
  "federation-permissions",
  "federations",
  "key-permissions",
  "keys",
  "mcp",
  "permissions",
]);
