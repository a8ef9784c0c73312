import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";

/** The warning mode that ends a warning. */
const stop = 0;

/** A siren with a strobe (IAS WD, 0x0502). The mode is in the upper half of the octet, as in real devices. */
export class Warning extends Cluster<"maxDuration"> {
  #mode = stop;
  #level = 0;
  #hasStrobe = false;
  #squawks = 0;
  #cancel: () => void = () => undefined;

  constructor() {
    super(0x0502, { maxDuration: { id: 0x0000, type: "uint16", value: 240, isWritable: true } });
    this.takes(0x00, ["map8", "uint16", "uint8", "enum8"]);
    this.takes(0x01, ["map8"]);
    this.on(0x00, (payload) => this.#start(payload));
    this.on(0x01, () => {
      this.#squawks++;
      return undefined;
    });
  }

  get isSounding(): boolean {
    return this.#mode !== stop;
  }

  /** 1 burglar, 2 fire, 3 emergency …; 0 is silence. */
  get mode(): number {
    return this.#mode;
  }

  get level(): number {
    return this.#level;
  }

  get hasStrobe(): boolean {
    return this.#hasStrobe;
  }

  /** How many squawks it has made. */
  get squawks(): number {
    return this.#squawks;
  }

  override poweredOn(): void {
    this.#end();
  }

  #start(payload: ByteReader): undefined {
    const [info, seconds] = [payload.uint8(), payload.uint16()];
    this.#end();
    this.#mode = info >> 4;
    this.#hasStrobe = (info & 0x0c) !== 0;
    this.#level = info & 0x03;
    if (this.#mode === stop) return;
    const ms = Math.min(seconds, this.number("maxDuration")) * 1000;
    this.#cancel = this.host.after(ms, () => this.#end());
  }

  #end(): void {
    this.#cancel();
    this.#mode = stop;
    this.#hasStrobe = false;
  }
}
