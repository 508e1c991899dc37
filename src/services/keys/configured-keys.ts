import { Authority } from "./authority.js";

/** A key that the operator configured: not stored, and out of the API's reach (contract 2.1). */
export interface ConfiguredKey {
  readonly key: string;
  readonly permissions: number;
}

/** Finds the authority of a configured key in a time that tells nothing about how much of it was right. */
export class ConfiguredKeys {
  readonly #keys: readonly ConfiguredKey[];

  constructor(keys: readonly ConfiguredKey[]) {
    this.#keys = keys;
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  authorityOf(candidate: string): Authority | undefined {
    let found: ConfiguredKey | undefined;
    for (const configured of this.#keys) {
      if (equalsInConstantTime(configured.key, candidate)) found ??= configured;
    }
    return found && Authority.ofConfiguredKey(found.key, found.permissions);
  }
}

/** Compares every unit of the candidate whatever the outcome; only the candidate's length shows in the time. */
export function equalsInConstantTime(secret: string, candidate: string): boolean {
  let difference = secret.length ^ candidate.length;
  for (let i = 0; i < candidate.length; i++) {
    difference |= secret.charCodeAt(i % (secret.length || 1)) ^ candidate.charCodeAt(i);
  }
  return difference === 0;
}
