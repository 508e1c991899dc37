import type { AmazonBedrockProviderSettings } from "@ai-sdk/amazon-bedrock";
import { loadOptional } from "../../errors/index.js";
import { unlessAborted } from "./guarded-fetch.js";
import { refused } from "./model-errors.js";

type Access = Pick<AmazonBedrockProviderSettings, "apiKey" | "credentialProvider">;
type CredentialChain = NonNullable<AmazonBedrockProviderSettings["credentialProvider"]>;

export interface BedrockCaller {
  /** The index's own. */
  readonly apiKey: string | undefined;
  /** Whether the base URL is one that the index names. */
  readonly isUrlOfIndex: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a request to Bedrock is authorized with: the index's API key, else the operator's, else a
 * signature by the operator's AWS credentials. The operator's key never goes where only the index
 * says; a signature may, as it is good for that host alone and shows no secret.
 */
export class BedrockAccess {
  /** It remembers credentials and renews them before they expire. */
  #chain: CredentialChain | undefined;

  /** @throws FindlingError `model_refused` if there is neither key nor credentials */
  async of({ apiKey, isUrlOfIndex, signal }: BedrockCaller): Promise<Access> {
    const key = apiKey ?? (isUrlOfIndex ? undefined : operatorsKey());
    if (key !== undefined) return { apiKey: key };
    const credentials = await unlessAborted(this.#credentials(), signal);
    // Empty, or the SDK would look for a key in the environment itself.
    return { apiKey: "", credentialProvider: () => Promise.resolve(credentials) };
  }

  async #credentials(): Promise<Awaited<ReturnType<CredentialChain>>> {
    const { fromNodeProviderChain } = await loadOptional(
      "@aws-sdk/credential-providers",
      () => import("@aws-sdk/credential-providers"),
    );
    this.#chain ??= fromNodeProviderChain();
    try {
      return await this.#chain();
    } catch {
      throw refused("there are no AWS credentials and no API key for Bedrock in the environment");
    }
  }
}

function operatorsKey(): string | undefined {
  const key = process.env["AWS_BEARER_TOKEN_BEDROCK"]?.trim();
  return key === "" ? undefined : key;
}
