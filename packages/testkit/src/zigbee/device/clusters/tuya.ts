import { Cluster, settled } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";

/** A Tuya datapoint, which most Tuya devices use instead of attributes. */
export type Datapoint =
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "number" | "enum"; readonly value: number }
  | { readonly type: "text"; readonly value: string };

const typeIds = { bool: 1, number: 2, text: 3, enum: 4 } as const;

/** Tuya's cluster (0xef00). Its numbers are big-endian. */
export class Tuya extends Cluster<never> {
  readonly #datapoints: Map<number, Datapoint>;
  #sequence = 0;
  /** Called when a datapoint was written from outside. */
  onWrite: ((id: number, datapoint: Datapoint) => void) | undefined;

  constructor(datapoints: Readonly<Record<number, Datapoint>>) {
    super(0xef00, {});
    this.#datapoints = new Map(Object.entries(datapoints).map(([id, datapoint]) => [Number(id), datapoint]));
    this.on(0x00, (payload) => this.#write(payload));
    this.on(0x03, () => this.#reportAll());
    this.on(0x10, (payload) => ({
      command: 0x11,
      payload: write().bytes(payload.bytes(2)).uint8(0x40).done(),
    }));
    this.on(0x24, () => undefined);
  }

  value(id: number): Datapoint["value"] | undefined {
    return this.#datapoints.get(id)?.value;
  }

  /** Sets a datapoint and reports it, unasked and without a binding, as Tuya devices do. */
  show(id: number, value: Datapoint["value"]): void {
    const former = this.#datapoints.get(id);
    if (!former || typeof former.value !== typeof value)
      throw new Error(`datapoint ${id} is of another kind`);
    this.#datapoints.set(id, { ...former, value } as Datapoint);
    this.#report(id, 0x02);
  }

  override online(): void {
    this.host.after(settled, () => this.#reportAll());
  }

  #reportAll(): undefined {
    for (const id of this.#datapoints.keys()) this.#report(id, 0x02);
  }

  /** Writes datapoints. Ignores unknown ones and values of another type. */
  #write(payload: ByteReader): undefined {
    payload.bytes(2);
    while (payload.remaining > 0) {
      const [id, type] = [payload.uint8(), payload.uint8()];
      const data = Buffer.from(payload.bytes(payload.uint8() * 256 + payload.uint8()));
      const former = this.#datapoints.get(id);
      if (!former || typeIds[former.type] !== type) continue;
      const datapoint = { type: former.type, value: decoded(former.type, data) } as Datapoint;
      this.#datapoints.set(id, datapoint);
      this.onWrite?.(id, datapoint);
      this.#report(id, 0x01);
    }
  }

  #report(id: number, command: number): void {
    const datapoint = this.#datapoints.get(id);
    if (!datapoint) return;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const data = encoded(datapoint);
    const to = write().bytes(bigEndian(this.#sequence, 2)).uint8(id).uint8(typeIds[datapoint.type]);
    const payload = to.bytes(bigEndian(data.length, 2)).bytes(data).done();
    this.host.sendTo(1, this, { command, payload });
  }
}

function encoded(datapoint: Datapoint): Uint8Array {
  if (datapoint.type === "text") return Buffer.from(datapoint.value, "utf8");
  if (datapoint.type === "number") return bigEndian(datapoint.value, 4);
  return Uint8Array.from([Number(datapoint.value)]);
}

function decoded(type: Datapoint["type"], data: Buffer): Datapoint["value"] {
  if (type === "text") return data.toString("utf8");
  if (type === "bool") return data[0] === 1;
  return data.length === 0 ? 0 : data.readIntBE(0, Math.min(data.length, 4));
}

function bigEndian(value: number, length: number): Uint8Array {
  const octets = Buffer.alloc(length);
  octets.writeIntBE(length === 2 ? (value << 16) >> 16 : value, 0, length);
  return octets;
}
