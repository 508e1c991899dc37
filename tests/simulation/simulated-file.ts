import type { SeededRandom } from "../setup/seeded-random.js";

/** What the disk may write of a file at a time; pages reach it independently and in any order. */
export const PAGE_LENGTH = 4096;

/** A page's content, or a file's length, as it was after some write. */
interface Version<T> {
  readonly stamp: number;
  readonly value: T;
}

/**
 * A file with the page cache over it. Reads see every write at once. The disk has what the last sync
 * carried there and, of each page and of the length, any one version written since.
 */
export class SimulatedFile {
  /** Content as reads see it; zeros past `#size`. */
  #bytes: Uint8Array = new Uint8Array(0);
  #size = 0;
  /** Counts writes, so that a sync knows which came before it began. */
  #stamp = 0;
  readonly #usedPages = new Set<number>();
  readonly #durablePages = new Map<number, Uint8Array>();
  #durableSize = 0;
  /** Versions written since the last sync, oldest first. */
  readonly #dirtyPages = new Map<number, Version<Uint8Array>[]>();
  #dirtySizes: Version<number>[] = [];

  get size(): number {
    return this.#size;
  }

  /** A copy of the bytes from `from` up to `to`, at most the file's. */
  read(from: number, to: number): Uint8Array {
    return this.#bytes.slice(from, Math.min(to, this.#size));
  }

  /** Pages that were written, if only with zeros: what the file takes on a disk, as holes take nothing. */
  get usedPages(): number {
    return this.#usedPages.size;
  }

  usesPage(page: number): boolean {
    return this.#usedPages.has(page);
  }

  write(offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const end = offset + bytes.length;
    if (end > this.#size) this.#setSize(end);
    this.#bytes.set(bytes, offset);
    this.#stamp++;
    for (let page = Math.floor(offset / PAGE_LENGTH); page * PAGE_LENGTH < end; page++) {
      this.#usedPages.add(page);
      this.#dirty(page);
    }
  }

  truncate(size: number): void {
    const before = this.#size;
    this.#setSize(size);
    if (size >= before) return;
    this.#bytes.fill(0, size, before);
    for (let page = Math.floor(size / PAGE_LENGTH); page * PAGE_LENGTH < before; page++) {
      if (page * PAGE_LENGTH >= size) this.#usedPages.delete(page);
      this.#dirty(page);
    }
  }

  /** Begins a sync; the function returned ends it. What is written in between is not covered. */
  beginSync(): () => void {
    const stamp = this.#stamp;
    return () => this.#settle(stamp, (versions) => versions.at(-1)!);
  }

  /**
   * A sync that failed, as Linux does it: some of the dirty pages got to the disk, and all of them
   * count as clean from now on, so that the next sync reports success without writing them.
   */
  failSync(random: SeededRandom): void {
    const durable = new Map(this.#durablePages);
    this.#settle(this.#stamp, (versions, page) =>
      random.pick([{ stamp: 0, value: durable.get(page) ?? new Uint8Array(PAGE_LENGTH) }, ...versions]),
    );
  }

  /** What a power loss leaves of the file. */
  afterPowerLoss(random: SeededRandom): SimulatedFile {
    const left = new SimulatedFile();
    const size = random.pick([this.#durableSize, ...this.#dirtySizes.map((version) => version.value)]);
    left.#setSize(size);
    const pages = new Set([...this.#durablePages.keys(), ...this.#dirtyPages.keys()]);
    for (const page of [...pages].sort((a, b) => a - b)) {
      const durable = this.#durablePages.get(page) ?? new Uint8Array(PAGE_LENGTH);
      const versions = this.#dirtyPages.get(page) ?? [];
      const kept = random.pick([durable, ...versions.map((version) => version.value)]);
      const start = page * PAGE_LENGTH;
      if (start < size) left.write(start, kept.subarray(0, Math.min(PAGE_LENGTH, size - start)));
    }
    left.beginSync()();
    return left;
  }

  #setSize(size: number): void {
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#size = size;
    this.#dirtySizes.push({ stamp: ++this.#stamp, value: size });
  }

  #dirty(page: number): void {
    const content = new Uint8Array(PAGE_LENGTH);
    content.set(this.#bytes.subarray(page * PAGE_LENGTH, (page + 1) * PAGE_LENGTH));
    const versions = this.#dirtyPages.get(page) ?? [];
    versions.push({ stamp: this.#stamp, value: content });
    this.#dirtyPages.set(page, versions);
  }

  /** Makes one of the versions up to `stamp` the durable one of each page, and the last length durable. */
  #settle(
    stamp: number,
    choose: (versions: readonly Version<Uint8Array>[], page: number) => Version<Uint8Array>,
  ): void {
    for (const [page, versions] of this.#dirtyPages) {
      const covered = versions.filter((version) => version.stamp <= stamp);
      if (covered.length === 0) continue;
      this.#durablePages.set(page, choose(covered, page).value);
      if (covered.length === versions.length) this.#dirtyPages.delete(page);
      else this.#dirtyPages.set(page, versions.slice(covered.length));
    }
    const sizes = this.#dirtySizes.filter((version) => version.stamp <= stamp);
    this.#durableSize = sizes.at(-1)?.value ?? this.#durableSize;
    this.#dirtySizes = this.#dirtySizes.slice(sizes.length);
  }
}
