// A house of Zigbee devices behind a simulated stick on a timed air.
import { setTimeout as sleep } from "node:timers/promises";
import {
  devices,
  exactRealTime,
  FrameReader,
  serveStick,
  SimulatedAir,
  Stick,
  type AirDevice,
  type Ieee,
  type ServedStick,
} from "@ledge/testkit/zigbee";

export const deviceCount = 60;
const lampCount = 24;
/** AF data requests of Z-Stack: to an address, and to an address of any kind. */
const [af, toAddress, toAny] = [4, 1, 2];
const onOff = 0x0006;
const scenes = 0x0005;
const switching: ReadonlySet<number> = new Set([onOff, scenes]);
const pollMs = 0.2;
/** How long a lamp may take before it has missed a command. */
const missedMs = 10_000;

/** A place of devices with its own air and stick, for one program. */
export class House {
  readonly lamps = Array.from({ length: lampCount }, (_, index) => devices.unknownLamp(ieeeOf(index)));
  readonly remote = devices.remote(ieeeOf(0xff));
  readonly sensors: readonly ReturnType<typeof devices.motion>[];
  readonly air: SimulatedAir;
  readonly served: ServedStick<Stick>;
  readonly devices: readonly AirDevice[];
  readonly #reader = new FrameReader();
  #awaited: ((at: number) => void) | null = null;

  private constructor(air: SimulatedAir, served: ServedStick<Stick>) {
    this.air = air;
    this.served = served;
    this.sensors = Array.from({ length: deviceCount - lampCount - 1 }, (_, index) =>
      devices.motion(ieeeOf(0x100 + index)),
    );
    this.devices = [...this.lamps, this.remote, ...this.sensors];
    served.stick.onRequest = (chunk) => this.#written(chunk);
  }

  /** Builds a house whose air, stick's line and stick's buffers have the limits of real ones. */
  static async build(): Promise<House> {
    const air = new SimulatedAir({ clock: exactRealTime(), isTimed: true });
    const stick = new Stick({ air, tableSize: 80, buffers: 12, baudRate: 115_200 });
    return new House(air, await serveStick(stick));
  }

  /** Makes all devices look for the network. */
  seek(): void {
    for (const device of this.devices) {
      this.air.add(device, { awakeAfterJoinMs: 60_000 });
      this.air.seek(device.ieee);
    }
  }

  /** Resolves with when (performance.now) the next frame that switches something begins on the stick's wire. */
  switched(): Promise<number> {
    return new Promise((resolve) => {
      // A program that was stopped may have written half of a frame.
      this.#reader.reset();
      this.#awaited = resolve;
    });
  }

  /** Resolves with the number of lamps that are not on or off after so long; at once when all are. */
  async missing(isOn: boolean): Promise<number> {
    const began = performance.now();
    const wrong = (): number => this.lamps.filter((lamp) => lamp.isOn !== isOn).length;
    while (wrong() > 0 && performance.now() - began < missedMs) await sleep(pollMs);
    return wrong();
  }

  #written(chunk: Uint8Array): void {
    const at = performance.now();
    for (const { subsystem, id, data } of this.#reader.push(chunk)) {
      const clusterAt = id === toAddress ? 4 : 13;
      if (subsystem !== af || (id !== toAddress && id !== toAny)) continue;
      const cluster = (data[clusterAt] ?? 0) | ((data[clusterAt + 1] ?? 0) << 8);
      if (!switching.has(cluster)) continue;
      this.#awaited?.(at);
      this.#awaited = null;
    }
  }
}

function ieeeOf(number: number): Ieee {
  return `0x000b57ff${number.toString(16).padStart(8, "0")}`;
}
