import { withHead } from "../../src/adapters/catalog/catalog-file.js";
import { crc32 } from "../../src/engine/bytes/crc32.js";

/** One more than any version there is. */
const NEWER = 99;

/** Makes a file say that it is of a newer version than this build knows, checksums as they must be. */
export interface NewerVersion {
  readonly kind: string;
  /** Paths of the files. */
  readonly files: RegExp;
  readonly raise: (bytes: Buffer) => Buffer;
  /** Whether already the start is refused. */
  readonly isCatalog?: true;
}

export const NEWER_VERSIONS: readonly NewerVersion[] = [
  { kind: "index files", files: /\.idx$/, raise: (bytes) => withU32(bytes, 8, NEWER) },
  { kind: "document stores", files: /\.doc$/, raise: (bytes) => withU32(bytes, 4, NEWER) },
  {
    kind: "live documents",
    files: /\.live-[0-9a-f]{8}$/,
    raise: (bytes) => {
      const raised = withU32(bytes, 8, NEWER);
      return withU32(raised, raised.length - 4, crc32(raised.subarray(0, -4)));
    },
  },
  {
    kind: "commit points",
    files: /\/commit-[0-9a-f]{8}$/,
    raise: (bytes) => withText(bytes, /^FINDLING-COMMIT \d+/, `FINDLING-COMMIT ${NEWER}`),
  },
  {
    kind: "journals",
    files: /\/journal-[0-9a-f]{8}$/,
    raise: (bytes) => {
      const raised = withU32(bytes, 4, NEWER);
      return withU32(raised, 60, crc32(raised.subarray(0, 60)));
    },
  },
  {
    kind: "catalog entries",
    files: /\/catalog\/indexes\/.*\.json$/,
    raise: (bytes) => {
      const [, content] = bytes.toString("latin1").split("\n");
      const header = JSON.parse(bytes.toString("latin1").split("\n")[0]!) as Record<string, unknown>;
      delete header["head"];
      const raised = withHead(JSON.stringify({ ...header, format: NEWER }));
      return Buffer.from(`${raised}\n${content}\n`, "latin1");
    },
    isCatalog: true,
  },
];

function withU32(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(value >>> 0, at);
  return changed;
}

function withText(bytes: Buffer, before: RegExp, after: string): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(before, after), "latin1");
}
