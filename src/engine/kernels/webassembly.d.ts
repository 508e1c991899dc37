// The part of the WebAssembly interface that is used here: neither TypeScript's ES library nor Node's
// types have it (https://webassembly.github.io/spec/js-api/).

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(descriptor: {
      readonly initial: number;
      readonly maximum: number;
      readonly shared: true;
    });
    readonly buffer: SharedArrayBuffer;
    /** Returns the pages of 64 KiB that there were before. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(
      module: Module,
      imports?: { readonly env: { readonly memory: Memory; readonly [name: string]: unknown } },
    );
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
