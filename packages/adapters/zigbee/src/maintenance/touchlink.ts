import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import Type from "typebox";
import type { Controller } from "zigbee-herdsman";
import type { Radio } from "../radio.ts";
import { command } from "./command.ts";
import type { MaintenanceTable } from "./table.ts";

const Found = Type.Object({
  ieee: Type.String({ pattern: "^0x[0-9a-f]{16}$" }),
  channel: Type.Integer({ minimum: 11, maximum: 26 }),
});

type TouchlinkType =
  | "ZIGBEE_TOUCHLINK_SCAN"
  | "ZIGBEE_GET_TOUCHLINK_SCAN"
  | "ZIGBEE_TOUCHLINK_IDENTIFY"
  | "ZIGBEE_TOUCHLINK_RESET";

/** A device in reach of touchlink. */
interface TouchlinkDevice {
  readonly ieee: string;
  readonly channel: number;
}

/** What a touchlink scan has found so far. */
interface TouchlinkScan {
  readonly state: "RUNNING" | "DONE" | "FAILED";
  readonly at: number;
  readonly devices: readonly TouchlinkDevice[];
  readonly reason: string | null;
}

/**
 * Finds, identifies and resets devices that are within a hand's breadth of the stick, in whatever network
 * they are (ZCL 13.3). The radio is away from the network meanwhile, for ten seconds in a scan.
 */
export class Touchlink {
  readonly #radio: Radio;
  readonly #clock: AdapterClock;
  #scan: TouchlinkScan | undefined;

  constructor(radio: Radio, clock: AdapterClock) {
    this.#radio = radio;
    this.#clock = clock;
  }

  readonly commands: Pick<MaintenanceTable, TouchlinkType> = {
    ZIGBEE_TOUCHLINK_SCAN: command(Type.Object({}), async () => {
      if (this.#scan?.state === "RUNNING") return this.#scan;
      this.#radio.assertUp();
      this.#begin();
      return this.#scan;
    }),
    ZIGBEE_GET_TOUCHLINK_SCAN: command(Type.Object({}), () =>
      Promise.resolve(this.#scan ?? { state: "DONE", at: 0, devices: [], reason: null }),
    ),
    ZIGBEE_TOUCHLINK_IDENTIFY: command(Found, async ({ ieee, channel }) => {
      await this.#use(({ touchlink }) => touchlink.identify(ieee, channel));
      return true;
    }),
    ZIGBEE_TOUCHLINK_RESET: command(Found, async ({ ieee, channel }) => {
      await this.#use(({ touchlink }) => touchlink.factoryReset(ieee, channel));
      return true;
    }),
  };

  /** The scan goes on after its command is answered: it takes longer than a client waits. */
  #begin(): void {
    const at = this.#clock.now();
    const show = (
      state: TouchlinkScan["state"],
      devices: readonly TouchlinkDevice[],
      reason?: string,
    ): void => {
      this.#scan = { state, at, devices, reason: reason ?? null };
    };
    show("RUNNING", []);
    this.#use(({ touchlink }) => touchlink.scan()).then(
      (found) =>
        show(
          "DONE",
          found.map(({ ieeeAddr: ieee, channel }) => ({ ieee, channel })),
        ),
      (error: unknown) => show("FAILED", [], (error as Error).message),
    );
  }

  async #use<T>(work: (controller: Controller) => Promise<T>): Promise<T> {
    try {
      return await this.#radio.use(work);
    } catch (error) {
      const { message } = error as Error;
      if (/already in progress/.test(message))
        throw new AdapterError("busy", "another touchlink action runs");
      throw error;
    }
  }
}
