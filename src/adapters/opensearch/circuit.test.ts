import { expect, test } from "vitest";
import { Circuit } from "./circuit.js";

let now = 0;
const fail = (circuit: Circuit) =>
  circuit.through(
    () => Promise.reject(new Error("down")),
    () => true,
  );
const pass = (circuit: Circuit) =>
  circuit.through(
    async () => "answer",
    () => true,
  );

async function opened(): Promise<Circuit> {
  const circuit = new Circuit(() => now);
  for (let i = 0; i < 5; i++) {
    expect(circuit.isOpen).toBe(false);
    await expect(fail(circuit)).rejects.toThrow("down");
  }
  expect(circuit.isOpen).toBe(true);
  return circuit;
}

test("after five failures in a row nobody is let through, then one at a time, until one succeeds", async () => {
  const circuit = await opened();
  const refusal = { code: "storage_unavailable", retryAfterSeconds: 1 };
  await expect(pass(circuit)).rejects.toMatchObject(refusal);
  now += 250;
  await expect(fail(circuit)).rejects.toThrow("down");
  await expect(pass(circuit)).rejects.toMatchObject(refusal);
  now += 250;
  expect(await pass(circuit)).toBe("answer");
  expect(circuit.isOpen).toBe(false);
  expect(await pass(circuit)).toBe("answer");
});

test("who was let through and hears nothing keeps nobody from being the next", async () => {
  const circuit = await opened();
  now += 250;
  let end = (): void => undefined;
  const silent = circuit.through(
    () => new Promise<void>((resolve) => (end = resolve)),
    () => true,
  );
  await expect(pass(circuit)).rejects.toThrow("has not been answering");
  now += 250;
  expect(await pass(circuit)).toBe("answer");
  expect(circuit.isOpen).toBe(false);
  end();
  await silent;
});

test("what isn't the cluster's failure closes it, and others between don't count", async () => {
  const circuit = await opened();
  now += 250;
  await expect(
    circuit.through(
      () => Promise.reject(new Error("too many words")),
      () => false,
    ),
  ).rejects.toThrow("too many words");
  expect(circuit.isOpen).toBe(false);
  for (let i = 0; i < 12; i++) {
    await expect(fail(circuit)).rejects.toThrow("down");
    if (i % 4 === 3) await pass(circuit);
  }
  expect(circuit.isOpen).toBe(false);
});

test("what was given up tells nothing", async () => {
  const circuit = new Circuit(() => now);
  for (let i = 0; i < 5; i++) {
    await expect(
      circuit.through(
        () => Promise.reject(new Error("given up")),
        () => null,
      ),
    ).rejects.toThrow("given up");
    await expect(fail(circuit)).rejects.toThrow("down");
  }
  expect(circuit.isOpen).toBe(true);
});
