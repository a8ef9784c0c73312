import type { AdapterHost } from "@ledge/port";
import { pollDelay } from "./backoff.ts";
import { Fault, pollVerdict } from "./fault.ts";
import type { Line, Urgency } from "./line.ts";
import type { Point, Value } from "./point.ts";
import { decodePoint } from "./point.ts";
import type { Attributes, PolledDevice, Wanted } from "./polled-device.ts";
import type { Block } from "./read-plan.ts";
import { wordsOf } from "./read-plan.ts";
import type { ReadRequest } from "./request.ts";

type Timer = () => void;

const deviceFailure = 0x04;

/**
 * Asks the devices of one line in turn, each at its own interval. A device that comes due while it waits for its
 * turn is not put in line twice; they are served in the order in which they came due, so none starves.
 */
export class Poller {
  readonly #line: Line;
  readonly #host: AdapterHost;
  readonly #devices: Set<PolledDevice>;
  readonly #due = new Set<PolledDevice>();
  readonly #timers = new Map<PolledDevice, Timer>();
  #up = false;
  #polling = false;

  constructor(line: Line, host: AdapterHost, devices: Iterable<PolledDevice>) {
    this.#line = line;
    this.#host = host;
    this.#devices = new Set(devices);
  }

  /** The line is open: every device is asked at once. */
  up(): void {
    this.#up = true;
    for (const device of this.#devices) {
      device.lineUp();
      this.soon(device);
    }
  }

  /** The line is down: nobody is asked, and each device has failed once more. */
  down(): void {
    this.#rest();
    for (const device of this.#devices) this.#report(device, device.failed(this.#host.clock.now(), true));
  }

  stop(): void {
    this.#rest();
    this.#devices.clear();
  }

  forget(device: PolledDevice): void {
    this.#devices.delete(device);
    this.#due.delete(device);
    this.#arm(device, undefined);
  }

  /** Asks a device ahead of its time. */
  soon(device: PolledDevice): void {
    if (!this.#up || !this.#devices.has(device)) return;
    this.#due.add(device);
    void this.#drain();
  }

  /**
   * Reads all of a device now, whatever it refused before, and reports it all.
   * @throws Fault of the first read that got no answer.
   */
  async refresh(device: PolledDevice, signal: AbortSignal): Promise<void> {
    const { values, silence, answered } = await this.#read(device, "command", signal);
    if (silence !== undefined) throw silence;
    if (answered) this.answered(device, values, "all");
  }

  /** Reports values that were read from a device. */
  answered(device: PolledDevice, values: ReadonlyMap<string, Value>, wanted: Wanted): void {
    this.#report(device, device.answered(values, this.#host.clock.now(), wanted));
  }

  #rest(): void {
    this.#up = false;
    this.#due.clear();
    for (const stopTimer of this.#timers.values()) stopTimer();
    this.#timers.clear();
  }

  async #drain(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    for (const device of this.#due) {
      this.#due.delete(device);
      await this.#poll(device);
    }
    this.#polling = false;
  }

  async #poll(device: PolledDevice): Promise<void> {
    // Armed before the reading, so that the interval does not grow by the time that reading takes.
    this.#arm(device, device.map.pollMs);
    const { values, silence, answered } = await this.#read(device, "poll");
    if (!this.#up || !this.#devices.has(device)) return;
    if (answered) {
      this.answered(device, values, "news");
      this.#revive(device);
    } else if (silence !== undefined) {
      this.#fail(device);
    }
  }

  /** The devices at one address are one box: when one is silent all are, and none is asked for itself. */
  #fail(silent: PolledDevice): void {
    for (const device of this.#at(silent.map.address)) {
      this.#report(device, device.failed(this.#host.clock.now()));
      this.#due.delete(device);
      this.#arm(device, pollDelay(device.map.pollMs, device.silences));
    }
  }

  /** One that answers speaks for the box: the others that fell silent with it are asked at once. */
  #revive(back: PolledDevice): void {
    for (const device of this.#at(back.map.address)) {
      if (device.silences === 0) continue;
      device.boxAnswered();
      this.soon(device);
    }
  }

  #at(address: number): PolledDevice[] {
    return [...this.#devices].filter(({ map }) => map.address === address);
  }

  async #read(device: PolledDevice, urgency: Urgency, signal?: AbortSignal): Promise<Reading> {
    const values = new Map<string, Value>();
    let silence: Fault | undefined;
    let answered = false;
    for (const block of device.reads(this.#host.clock.now(), urgency === "command")) {
      const { table, register, count } = block;
      const request: ReadRequest = { kind: "read", table, register, count };
      try {
        const words = await this.#line.request(device.map.address, request, urgency, signal);
        answered = true;
        this.#decode(device, block, words, values);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const verdict = pollVerdict(error);
        if (verdict === "silent") {
          silence ??= error;
          // A device may fail for one register and serve the next; when it is not even there, nothing is gained by asking on.
          if (error.exception !== deviceFailure) break;
        } else {
          answered = true;
          if (verdict === "misfit")
            this.#complain(device, device.refused(block, this.#host.clock.now()), error.message);
        }
      }
    }
    return { values, silence, answered };
  }

  #decode(device: PolledDevice, block: Block, words: readonly number[], values: Map<string, Value>): void {
    for (const point of block.points) {
      device.readable(point.attribute);
      try {
        const value = decodePoint(point, wordsOf(point, block, words));
        if (value !== undefined) values.set(point.attribute, value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#complain(device, device.implausible(point.attribute), error.message);
      }
    }
  }

  #complain(device: PolledDevice, point: Point | undefined, reason: string): void {
    if (point === undefined) return;
    const { attribute, table, register } = point;
    this.#host.log("warn", "a point cannot be read", {
      device: device.map.description.native,
      attribute,
      table,
      register,
      reason,
    });
  }

  #report(device: PolledDevice, attributes: Attributes | undefined): void {
    if (attributes === undefined || !this.#devices.has(device)) return;
    this.#host.report({ native: device.map.description.native, attributes });
  }

  #arm(device: PolledDevice, ms: number | undefined): void {
    this.#timers.get(device)?.();
    this.#timers.delete(device);
    if (ms === undefined) return;
    const stopTimer = this.#host.clock.after(ms, () => {
      this.#timers.delete(device);
      this.soon(device);
    });
    this.#timers.set(device, stopTimer);
  }
}

interface Reading {
  readonly values: ReadonlyMap<string, Value>;
  /** The first fault that says that the device may be gone. */
  readonly silence: Fault | undefined;
  /** The device answered something, be it a refusal. */
  readonly answered: boolean;
}
