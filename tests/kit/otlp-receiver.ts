import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { wholeBody } from "./whole-body.js";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty where it has none. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** A histogram's is the sum. */
  readonly value: number;
  readonly bucketCounts?: readonly number[];
  readonly bounds?: readonly number[];
}

/** A collector on a free port that takes OTLP over HTTP in protobuf, and keeps what it gets. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** All that arrived, for whoever looks for secrets. */
  readonly bodies: Buffer[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((message, response) => {
      void wholeBody(message).then((body) => {
        if (body === null) return;
        this.headers.push(message.headers);
        this.bodies.push(body);
        if (message.url === "/v1/traces") this.spans.push(...spansIn(body));
        if (message.url === "/v1/metrics") this.points.push(...pointsIn(body));
        response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** The fields of a protobuf message, by number; each occurrence in order. */
class Message {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++]!;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const slice = (length: number): Buffer => bytes.subarray(at, (at += length));
    while (at < bytes.length) {
      const tag = Number(varint());
      const wireType = tag & 7;
      const value =
        wireType === 0 ? varint() : slice(wireType === 1 ? 8 : wireType === 5 ? 4 : Number(varint()));
      const values = this.#fields.get(tag >> 3);
      if (values === undefined) this.#fields.set(tag >> 3, [value]);
      else values.push(value);
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  bytes(field: number): Buffer {
    return (this.#fields.get(field)?.at(-1) as Buffer | undefined) ?? Buffer.alloc(0);
  }

  text(field: number): string {
    return this.bytes(field).toString();
  }

  whole(field: number): bigint {
    return (this.#fields.get(field)?.at(-1) as bigint | undefined) ?? 0n;
  }

  double(field: number): number {
    return this.has(field) ? this.bytes(field).readDoubleLE() : 0;
  }

  nanos(field: number): bigint {
    return this.has(field) ? this.bytes(field).readBigUInt64LE() : 0n;
  }

  one(field: number): Message {
    return new Message(this.bytes(field));
  }

  all(field: number): readonly Message[] {
    return (this.#fields.get(field) ?? []).map((bytes) => new Message(bytes as Buffer));
  }
}

function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return new Message(body).all(1).flatMap((resourceSpans) => {
    const resource = attributesIn(resourceSpans.one(1), 1);
    return resourceSpans
      .all(2)
      .flatMap((scope) => scope.all(2))
      .map((span) => ({
        traceId: span.bytes(1).toString("hex"),
        spanId: span.bytes(2).toString("hex"),
        parentId: span.bytes(4).toString("hex"),
        name: span.text(5),
        kind: Number(span.whole(6)),
        startNanos: span.nanos(7),
        endNanos: span.nanos(8),
        attributes: attributesIn(span, 9),
        status: Number(span.one(15).whole(3)),
        resource,
      }));
  });
}

function pointsIn(body: Buffer): readonly ReceivedPoint[] {
  const metrics = new Message(body).all(1).flatMap((each) => each.all(2).flatMap((scope) => scope.all(2)));
  return metrics.flatMap((metric) => {
    const common = { metric: metric.text(1), unit: metric.text(3) };
    const numbers = [...metric.one(5).all(1), ...metric.one(7).all(1)].map((point) => ({
      ...common,
      attributes: attributesIn(point, 7),
      value: point.has(6) ? Number(point.bytes(6).readBigInt64LE()) : point.double(4),
    }));
    const histograms = metric
      .one(9)
      .all(1)
      .map((point) => ({
        ...common,
        attributes: attributesIn(point, 9),
        value: point.double(5),
        bucketCounts: eights(point.bytes(6)).map((bytes) => Number(bytes.readBigUInt64LE())),
        bounds: eights(point.bytes(7)).map((bytes) => bytes.readDoubleLE()),
      }));
    return [...numbers, ...histograms];
  });
}

function eights(packed: Buffer): readonly Buffer[] {
  return Array.from({ length: packed.length / 8 }, (_, i) => packed.subarray(8 * i, 8 * i + 8));
}

function attributesIn(message: Message, field: number): Record<string, unknown> {
  return Object.fromEntries(message.all(field).map((pair) => [pair.text(1), valueIn(pair.one(2))]));
}

function valueIn(value: Message): unknown {
  if (value.has(1)) return value.text(1);
  if (value.has(2)) return value.whole(2) === 1n;
  if (value.has(3)) return Number(value.whole(3));
  if (value.has(4)) return value.double(4);
  return undefined;
}
