import type { Attribute } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import { write } from "../zcl/bytes.ts";
import type { Value } from "../zcl/types.ts";

/** Makes the device identify itself for a while (0x0003). */
export class Identify extends Cluster<"identifyTime"> {
  #cancel: () => void = () => undefined;
  #effect: number | null = null;

  constructor() {
    super(0x0003, { identifyTime: { id: 0x0000, type: "uint16", value: 0, isWritable: true } });
    this.takes(0x00, ["uint16"]);
    this.takes(0x01, []);
    this.takes(0x40, ["enum8", "enum8"]);
    this.on(0x00, (payload) => this.show(payload.uint16()));
    this.on(0x01, () =>
      this.isIdentifying
        ? { command: 0x00, payload: write().uint16(this.number("identifyTime")).done() }
        : undefined,
    );
    this.on(0x40, (payload) => {
      this.#effect = payload.uint8();
      return undefined;
    });
  }

  get isIdentifying(): boolean {
    return this.number("identifyTime") > 0;
  }

  /** The effect of the last request (0 blink, 1 breathe …). */
  get effect(): number | null {
    return this.#effect;
  }

  override write(attribute: Attribute, value: Value): void {
    if (attribute.id === 0x0000 && typeof value === "number") this.show(value);
  }

  /** Identifies for so many seconds; 0 ends it. */
  show(seconds: number): undefined {
    this.#cancel();
    this.set({ identifyTime: this.host.isOnline ? seconds : 0 });
    if (seconds > 0) this.#cancel = this.host.after(1000, () => this.show(seconds - 1));
  }
}
