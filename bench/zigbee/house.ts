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
/** AF incoming message of Z-Stack: where it has the cluster, the sender, and the status in a notification of a zone. */
const incoming = { id: 0x81, clusterAt: 2, senderAt: 4, statusAt: 20 } as const;
const iasZone = 0x0500;
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
  /** How often the stick has told its host that a motion sensor sees somebody, or nobody any more. */
  changes = 0;
  readonly #reader = new FrameReader();
  readonly #answers = new FrameReader();
  /** The last status of each sensor that the host was told, by its address. */
  readonly #told = new Map<number, number>();
  #awaited: ((at: number) => void) | null = null;

  private constructor(air: SimulatedAir, served: ServedStick<Stick>) {
    this.air = air;
    this.served = served;
    this.sensors = Array.from({ length: deviceCount - lampCount - 1 }, (_, index) =>
      devices.motion(ieeeOf(0x100 + index)),
    );
    this.devices = [...this.lamps, this.remote, ...this.sensors];
    served.stick.onRequest = (chunk) => this.#written(chunk);
    served.stick.onAnswer = (frame) => this.#heard(frame);
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
      if (!switching.has(wordAt(data, clusterAt))) continue;
      this.#awaited?.(at);
      this.#awaited = null;
    }
  }

  #heard(frame: Uint8Array): void {
    for (const { subsystem, id, data } of this.#answers.push(frame)) {
      if (subsystem !== af || id !== incoming.id || wordAt(data, incoming.clusterAt) !== iasZone) continue;
      const [sender, status] = [wordAt(data, incoming.senderAt), data[incoming.statusAt] ?? 0];
      if ((this.#told.get(sender) ?? 0) !== status) this.changes += 1;
      this.#told.set(sender, status);
    }
  }
}

function wordAt(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8);
}

function ieeeOf(number: number): Ieee {
  return `0x000b57ff${number.toString(16).padStart(8, "0")}`;
}
