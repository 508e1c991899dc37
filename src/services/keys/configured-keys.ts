import { Authority } from "../authority/authority.js";

/** A key that the operator configured: not stored, and out of the API's reach (contract 2.1). */
export interface ConfiguredKey {
  readonly key: string;
  readonly permissions: number;
}

/** Finds the authority of a configured key in a time that tells nothing about how much of it was right. */
export class ConfiguredKeys {
  readonly #keys: readonly { readonly key: string; readonly authority: Authority }[];

  constructor(keys: readonly ConfiguredKey[]) {
    this.#keys = keys.map(({ key, permissions }) => ({
      key,
      authority: Authority.ofConfiguredKey(key, permissions),
    }));
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  authorityOf(candidate: string): Authority | undefined {
    let found: Authority | undefined;
    for (const { key, authority } of this.#keys) {
      if (equalsInConstantTime(key, candidate)) found ??= authority;
    }
    return found;
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
