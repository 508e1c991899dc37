/** The parts of the server's OpenAPI document that the reference shows. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

interface Schema {
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly anyOf?: readonly Schema[];
}

/** A request of the API as the reference shows it. */
export interface Request {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** With `{name}` parameters. */
  readonly path: string;
  readonly summary: string;
  /** Who may send it, in words, and the permission's bits; null where no key is needed. */
  readonly access: string;
  readonly bits: number;
  readonly parameters: readonly { readonly name: string; readonly isQuery: boolean }[];
  /** An example as JSON; undefined where there is no body. */
  readonly body: string | undefined;
  readonly errors: readonly string[];
}

export function requestsOf(openApi: OpenApi): readonly Request[] {
  return Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Request => {
      const { operationId: id, tags = [], summary, description, parameters = [], requestBody } = operation;
      const schema = requestBody?.content["application/json"]?.schema;
      return {
        id,
        tag: tags[0] ?? "",
        method: method.toUpperCase(),
        path,
        summary,
        access: description,
        bits: bitsIn(description),
        parameters: parameters.map(({ name, in: place }) => ({ name, isQuery: place === "query" })),
        body: schema === undefined ? undefined : JSON.stringify(exampleOf(schema) ?? {}, null, 2),
        errors: Object.entries(operation.responses)
          .filter(([status]) => status !== "200")
          .map(
            ([status, response]) =>
              `${status} ${response.description.replace(/^Error: /, "").replaceAll("`", "")}`,
          ),
      };
    }),
  );
}

/** The permission as the sentence names it: `Needs a key with permission 8 and 32.` */
function bitsIn(sentence: string): number {
  const [, bits = ""] = /^Needs a key with permission ([\d and]+)\./.exec(sentence) ?? [];
  return bits.split(" and ").reduce((sum, bit) => sum | Number(bit), 0);
}

function exampleOf(schema: Schema): unknown {
  return (
    schema.examples?.[0] ?? schema.example ?? schema.anyOf?.map(exampleOf).find((each) => each !== undefined)
  );
}
