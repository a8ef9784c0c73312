import { Cluster } from "../cluster.ts";
import { Ramp } from "../ramp.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";

type Name = "kind" | "configuration" | "lift" | "tilt" | "mode";

/** The simulated kinds of window covering. */
export const coverings = { roller: 0x00, tiltBlind: 0x08 } as const;

const [open, closed] = [0, 100];

/** A window covering (0x0102). Percentages tell how far it is closed: 0 is open. */
export class Covering extends Cluster<Name> {
  readonly #travelMs: Readonly<Record<"lift" | "tilt", number>>;
  readonly #ramps = { lift: new Ramp(), tilt: new Ramp() };
  readonly #tilts: boolean;

  /** @param travelMs time from open to closed. */
  constructor(kind: keyof typeof coverings, travelMs = 20_000) {
    const tilts = kind === "tiltBlind";
    super(0x0102, {
      kind: { id: 0x0000, type: "enum8", value: coverings[kind] },
      configuration: { id: 0x0007, type: "map8", value: tilts ? 0x1b : 0x0b },
      lift: { id: 0x0008, type: "uint8", value: open, isReportable: true },
      tilt: {
        id: 0x0009,
        type: "uint8",
        value: open,
        isReportable: tilts,
        ...(tilts ? {} : { readStatus: status.unsupportedAttribute }),
      },
      mode: { id: 0x0017, type: "map8", value: 0, isWritable: true },
    });
    this.#tilts = tilts;
    this.#travelMs = { lift: travelMs, tilt: travelMs / 10 };
    for (const plain of [0x00, 0x01, 0x02]) this.takes(plain, []);
    for (const toPercent of [0x05, 0x08]) this.takes(toPercent, ["uint8"]);
    this.on(0x00, () => this.#go("lift", open));
    this.on(0x01, () => this.#go("lift", closed));
    this.on(0x02, () => this.stop());
    this.on(0x05, (payload) => this.#go("lift", payload.uint8()));
    this.on(0x08, (payload) =>
      this.#tilts ? this.#go("tilt", payload.uint8()) : status.unsupportedClusterCommand,
    );
  }

  get isMoving(): boolean {
    return Object.values(this.#ramps).some((ramp) => ramp.remainingMs(this.host) > 0);
  }

  /** Stops at the current position. */
  stop(): undefined {
    for (const ramp of Object.values(this.#ramps)) ramp.stop();
  }

  /** Moves like a press of its own button. */
  moveTo(lift: number): void {
    this.#go("lift", lift);
  }

  override sceneFields(): Uint8Array {
    return write().uint8(this.number("lift")).uint8(this.number("tilt")).done();
  }

  override recall(fields: ByteReader): void {
    this.#go("lift", fields.uint8());
    if (this.#tilts) this.#go("tilt", fields.uint8());
  }

  #go(what: "lift" | "tilt", to: number): Status | undefined {
    if (to > closed) return status.invalidValue;
    const from = this.number(what);
    const ms = (Math.abs(to - from) / closed) * this.#travelMs[what];
    this.#ramps[what].start(this.host, { from, to, ms }, (at) => this.set({ [what]: Math.round(at) }));
    return undefined;
  }
}
