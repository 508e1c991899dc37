/** Where there are no kernels, nothing is allocated for lists that only they could rank. */
import { expect, test, vi } from "vitest";
import { JoinedMemory } from "./joined-memory.js";

const { allocateImage } = vi.hoisted(() => ({ allocateImage: vi.fn(() => new Uint8Array(0)) }));
vi.mock("./image-memory.js", async (original) => ({ ...(await original<object>()), allocateImage }));
vi.mock("./kernel-module.js", async (original) => ({
  ...(await original<object>()),
  compiledKernels: () => null,
}));

test("takes no memory without kernels", () => {
  expect(JoinedMemory.create(100_000)).toBeNull();
  expect(allocateImage).not.toHaveBeenCalled();
});
