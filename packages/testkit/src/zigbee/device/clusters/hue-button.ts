import { Cluster } from "../cluster.ts";
import { write } from "../zcl/bytes.ts";

export const signify = 0x100b;

const hows = { press: 0, hold: 1, release: 2, longRelease: 3 } as const;
export type HueHow = keyof typeof hows;

/** Philips' manufacturer-specific cluster (0xfc00), by which Hue switches report their buttons. */
export class HueButton extends Cluster<never> {
  constructor() {
    super(0xfc00, {}, { manufacturer: signify });
  }

  /** @param tenths of a second since the press. */
  tell(button: number, how: HueHow, tenths = 0): void {
    const to = write().uint8(button).uint(0x30_0000, 3).uint8(hows[how]).uint8(0x21).uint8(tenths).uint8(0);
    this.host.sendToBound(this, { command: 0x00, payload: to.done() });
  }
}
