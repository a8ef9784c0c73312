import type { ConfigurationValues } from "@ledge/model";
import type { AdapterClock, AnswerRequest } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import { faultOf } from "../fault.ts";
import type { Member, Members } from "../member.ts";
import { asleep, known } from "../orders.ts";
import type { Radio } from "../radio.ts";
import type { Reach } from "../reach.ts";
import { settingsOfUnit } from "../unit-facts.ts";
import type { Wakefulness } from "../wakefulness.ts";
import { configure } from "./configure.ts";

/** How long a device may go on telling values before its settings are described anew, ms. */
export const quietMs = 100;

/** Options of `Configurations`. */
export interface ConfigurationsOptions {
  readonly clock: AdapterClock;
  readonly radio: Radio;
  readonly reach: Reach;
  readonly wakefulness: Wakefulness;
  readonly members: Pick<Members, "withUnit">;
  /** Announces a node whose description has changed. */
  readonly describe: (node: ZWaveNode, member: Member) => Promise<void>;
}

/** Changes settings of devices, and says when devices have changed them. */
export class Configurations {
  readonly #options: ConfigurationsOptions;
  readonly #soon = new Map<ZWaveNode, () => void>();

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
  }

  /** SET_CONFIGURATION {native, parameters}: sets, reads back and announces the device's values. */
  readonly configure: AnswerRequest = async ({ native, parameters }, signal) => {
    const { radio, reach, wakefulness, members, describe } = this.#options;
    const member = members.withUnit(String(native));
    const node = member && radio.nodeOf(member.native);
    // What a device that sleeps is told waits for it, also while the network is not up yet.
    const mayWait = node !== undefined || radio.driver === undefined;
    if (member !== undefined && mayWait && reach.isAsleep(node, member)) {
      wakefulness.owe(member);
      throw asleep();
    }
    radio.controller();
    if (member === undefined || node === undefined)
      throw new AdapterError("refused", `no device has the address ${String(native)}`);
    try {
      await radio.whileUp(known(node), signal);
      await radio.whileUp(this.#set(node, member, String(native), parameters as ConfigurationValues), signal);
    } catch (error) {
      throw faultOf(error);
    } finally {
      wakefulness.served(node);
      if (node.ready) await describe(node, member);
    }
    return true;
  };

  /** A device has told a setting. */
  changed(node: ZWaveNode, member: Member): void {
    const { clock, describe } = this.#options;
    this.#soon.get(node)?.();
    const cancel = clock.after(quietMs, () => {
      this.#soon.delete(node);
      void describe(node, member);
    });
    this.#soon.set(node, cancel);
  }

  stop(): void {
    for (const cancel of this.#soon.values()) cancel();
    this.#soon.clear();
  }

  async #set(node: ZWaveNode, member: Member, native: string, wanted: ConfigurationValues): Promise<void> {
    const controller = this.#options.radio.controller();
    await configure(settingsOfUnit(node, member.native, native, controller), wanted);
  }
}
