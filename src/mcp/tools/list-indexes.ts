import Type from "typebox";
import { FindlingError } from "../../errors/index.js";
import type { ApiCall } from "../api-call.js";
import type { Tool } from "../tool.js";

/** Names of each kind that are listed; where there are more, the answer says how many. */
const NAMES_MAX = 500;

export const LIST_INDEXES_TOOL: Tool = {
  name: "list_indexes",
  title: "List indexes",
  description:
    "Names the indexes and federations that this access key may search, with their numbers of documents.",
  writes: false,
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    indexes: Type.Array(Type.Object({ name: Type.String(), documents: Type.Integer() })),
    indexes_left_out: Type.Integer(),
    federations: Type.Array(Type.Object({ name: Type.String(), indexes: Type.Array(Type.String()) })),
    federations_left_out: Type.Integer(),
  }),

  async run(_args, call) {
    const indexes = await indexesOf(call);
    const federations = await federationsOf(call);
    return {
      indexes: indexes.slice(0, NAMES_MAX),
      indexes_left_out: Math.max(0, indexes.length - NAMES_MAX),
      federations: federations.slice(0, NAMES_MAX),
      federations_left_out: Math.max(0, federations.length - NAMES_MAX),
    };
  },
};

async function indexesOf(call: ApiCall): Promise<readonly { name: string; documents: number }[]> {
  const { indices } = (await call("getAllIndexStats", {})) as {
    readonly indices: readonly Readonly<Record<string, { readonly document_count: number }>>[];
  };
  return indices.flatMap((index) =>
    Object.entries(index).map(([name, stats]) => ({ name, documents: stats.document_count })),
  );
}

/** None where the key may not list them: it can search those that it knows. */
async function federationsOf(
  call: ApiCall,
): Promise<readonly { name: string; indexes: readonly string[] }[]> {
  try {
    const federations = (await call("listFederations", {})) as readonly {
      readonly name: string;
      readonly index_configurations: readonly { readonly name: string }[];
    }[];
    return federations.map(({ name, index_configurations: members }) => ({
      name,
      indexes: members.map((member) => member.name),
    }));
  } catch (error) {
    if (error instanceof FindlingError && error.code === "insufficient_permissions") return [];
    throw error;
  }
}
