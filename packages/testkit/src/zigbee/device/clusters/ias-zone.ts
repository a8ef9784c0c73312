import type { Ieee } from "../../air.ts";
import type { Attribute } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { Value } from "../zcl/types.ts";

/** The subject of a zone (Zigbee Cluster Library, table 8-5). */
export const zoneTypes = {
  standard: 0x0000,
  motion: 0x000d,
  contact: 0x0015,
  fire: 0x0028,
  water: 0x002a,
  carbonMonoxide: 0x002b,
  vibration: 0x002d,
  remote: 0x010f,
} as const;

/** Bits of the zone's status. */
export const zoneBits = {
  alarm1: 0x01,
  alarm2: 0x02,
  tamper: 0x04,
  batteryLow: 0x08,
  trouble: 0x40,
  test: 0x100,
};
export type ZoneBit = keyof typeof zoneBits;

type Name = "state" | "type" | "status" | "cie" | "zoneId";

const nobody: Ieee = "0x0000000000000000";
const noZone = 0xff;
/** How long (ms) a device waits before it sends on its own, so that its answer goes out first. */
const afterAnswer = 10;

/** An alarm sensor (0x0500). It is silent until it is enrolled with the device whose address was written to it. */
export class IasZone extends Cluster<Name> {
  readonly #manufacturerCode: number;
  readonly #asks: boolean;
  readonly #holdSeconds: number;
  #peerEndpoint = 1;
  #cancel: () => void = () => undefined;

  constructor(
    type: keyof typeof zoneTypes,
    /** `asks`: it sends an enroll request once it knows whom to ask. Others wait to be enrolled. */
    {
      manufacturerCode = 0,
      asks = true,
      holdSeconds = 60,
    }: { manufacturerCode?: number; asks?: boolean; holdSeconds?: number } = {},
  ) {
    super(0x0500, {
      state: { id: 0x0000, type: "enum8", value: 0 },
      type: { id: 0x0001, type: "enum16", value: zoneTypes[type] },
      status: { id: 0x0002, type: "map16", value: 0, isReportable: true },
      cie: { id: 0x0010, type: "ieee", value: nobody, isWritable: true },
      zoneId: { id: 0x0011, type: "uint8", value: null },
    });
    this.#manufacturerCode = manufacturerCode;
    this.#asks = asks;
    this.#holdSeconds = holdSeconds;
    this.on(0x00, (payload, { peerEndpoint }) => this.#enrolled(payload, peerEndpoint));
  }

  get isEnrolled(): boolean {
    return this.get("state") === 1;
  }

  has(bit: ZoneBit): boolean {
    return (this.number("status") & zoneBits[bit]) !== 0;
  }

  /** Sets bits of its status, and reports a change if it is enrolled. */
  show(bits: Partial<Record<ZoneBit, boolean>>): void {
    const before = this.number("status");
    let after = before;
    for (const [bit, isSet] of Object.entries(bits) as [ZoneBit, boolean][]) {
      after = isSet ? after | zoneBits[bit] : after & ~zoneBits[bit];
    }
    if (after === before) return;
    this.set({ status: after });
    this.notify();
  }

  /** Raises the alarm, and clears it some seconds after the last call, like a motion sensor. */
  pulse(): void {
    this.#cancel();
    this.show({ alarm1: true });
    this.#cancel = this.host.after(this.#holdSeconds * 1000, () => this.show({ alarm1: false }));
  }

  /** Sends its status, as after each change. */
  notify(): void {
    if (!this.isEnrolled) return;
    const zone = this.get("zoneId");
    const to = write().uint16(this.number("status")).uint8(0);
    to.uint8(typeof zone === "number" ? zone : noZone).uint16(0);
    this.host.sendTo(this.#peerEndpoint, this, {
      command: 0x00,
      payload: to.done(),
      wantsDefaultResponse: true,
    });
  }

  override write(attribute: Attribute, value: Value, peerEndpoint: number): void {
    super.write(attribute, value, peerEndpoint);
    this.#peerEndpoint = peerEndpoint;
    if (value === nobody) this.forget();
    else if (this.#asks && !this.isEnrolled) this.host.after(afterAnswer, () => this.#ask());
  }

  override forget(): void {
    this.set({ state: 0, cie: nobody, zoneId: null });
  }

  #ask(): void {
    const payload = write().uint16(this.number("type")).uint16(this.#manufacturerCode).done();
    this.host.sendTo(this.#peerEndpoint, this, { command: 0x01, payload });
  }

  #enrolled(payload: ByteReader, peerEndpoint: number): undefined {
    const [code, zoneId] = [payload.uint8(), payload.uint8()];
    if (code !== 0 || this.get("cie") === nobody) return;
    this.#peerEndpoint = peerEndpoint;
    this.set({ state: 1, zoneId });
  }
}
