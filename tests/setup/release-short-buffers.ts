import { afterAll } from "vitest";
import { releaseThreshold } from "../../src/engine/bytes/release-buffer.js";

/**
 * While a file's tests run, memory that is given back is so at once, however short it is: whoever reads on sees
 * nothing. To be called where the file begins.
 */
export function releaseShortBuffersToo(): void {
  const { bytes } = releaseThreshold;
  releaseThreshold.bytes = 1;
  afterAll(() => {
    releaseThreshold.bytes = bytes;
  });
}
