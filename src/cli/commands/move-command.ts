import { FindlingError, loadOptional } from "../../errors/index.js";
import { CliError } from "../cli-error.js";
import { serverEnvironment } from "../local-server.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface MoveCommandOptions {
  readonly from: string;
  readonly to: string;
}

/** `findling move`: everything from a data folder to a cluster, back, or between two of a kind. */
export async function runMove({ from, to }: MoveCommandOptions, output: Output): Promise<void> {
  const { loadConfiguration } = await import("../../config/index.js");
  const { move } = await loadOptional("@opensearch-project/opensearch", () => import("../../move.js"));
  // Which of the two a server here would use is of no matter.
  const { FINDLING_BACKEND: _, FINDLING_RESTORE_FROM: _restored, ...env } = serverEnvironment();
  const report = await move({ from, to }, loadConfiguration({ env }), {
    onIndex: (name) => output.note(`index '${name}'`),
    onProblem: (message) => output.note(message),
  }).catch((thrown: unknown) => {
    throw namingClusters(thrown, [from, to]);
  });
  const { indexes, federations, aliases, keys } = report;
  output.result(
    report,
    [
      ...indexes.map(
        ({ name, documents, checksum }) =>
          `index '${name}': ${formatCounted(documents, "document")}, read again, SHA-256 ${checksum}`,
      ),
      `${formatCounted(federations, "federation")}, ${formatCounted(aliases, "alias", "aliases")}, ${formatCounted(keys, "access key")}`,
    ].join("\n"),
  );
  const changed = indexes.filter(({ has_changed: hasChanged }) => hasChanged).map(({ name }) => `'${name}'`);
  if (changed.length === 0) return;
  throw new CliError(
    "conflict",
    `${changed.join(", ")} changed in '${from}' while it was moved, and what was committed last isn't in '${to}'; stop writing, empty '${to}', and move again`,
  );
}

/** A cluster that doesn't answer is told by its address, in which no password may stand. */
function namingClusters(thrown: unknown, places: readonly string[]): unknown {
  if (!(thrown instanceof FindlingError) || thrown.code !== "storage_unavailable") return thrown;
  const clusters = places.filter((place) => /^opensearchs?:/.test(place)).map((place) => `'${place}'`);
  if (clusters.length === 0) return thrown;
  return new CliError(
    "unreachable",
    `${thrown.message}; is ${clusters.join(" or ")} right, and is a node started there?`,
    thrown,
  );
}
