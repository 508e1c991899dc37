import type { Dialect, ParameterKind, ParameterValue } from "./dialect.js";

/** SQL and the values of the parameters that it names. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, BoundParameter>>;
}

export interface BoundParameter {
  readonly kind: ParameterKind;
  readonly value: ParameterValue;
}

/** Collects the values of a statement's parameters while its text is put together. */
export class StatementBuilder {
  readonly dialect: Dialect;
  readonly #parameters: Record<string, BoundParameter> = {};
  #count = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  text(value: string): string {
    return this.#bind("text", value);
  }

  texts(value: readonly string[]): string {
    return this.#bind("texts", value);
  }

  whole(value: number): string {
    return this.#bind("whole", Math.trunc(value));
  }

  /** The statement of this text. */
  build(sql: string): Statement {
    return { sql, parameters: this.#parameters };
  }

  #bind(kind: ParameterKind, value: ParameterValue): string {
    const name = `p${++this.#count}`;
    this.#parameters[name] = { kind, value };
    return this.dialect.parameter(name, kind);
  }
}
