import type { AdapterHost } from "@ledge/port";
import { pollDelay } from "./poll-delay.ts";
import type { Fault } from "./fault.ts";
import { deviceFailure } from "./fault.ts";
import type { Line, Urgency } from "./line.ts";
import type { Value } from "./point.ts";
import type { Attributes, PolledDevice, Wanted } from "./polled-device.ts";
import type { Ask, Reading } from "./reading.ts";
import { readDevice } from "./reading.ts";

type Timer = () => void;

/**
 * Polls the devices of one line, each at its own interval. A device that is due while it waits for its turn is not
 * queued twice. One device of each address is read at a time, and each has one request in the queue of the line: so
 * addresses take turns by request, and neither a device with many registers nor the order of devices starves another.
 */
export class Poller {
  readonly #line: Line;
  readonly #host: AdapterHost;
  readonly #devices = new Set<PolledDevice>();
  readonly #boxes = new Map<number, Set<PolledDevice>>();
  readonly #due = new Set<PolledDevice>();
  readonly #timers = new Map<PolledDevice, Timer>();
  #up = false;
  /** Addresses of which a device is being read. */
  readonly #busy = new Set<number>();

  constructor(line: Line, host: AdapterHost, devices: Iterable<PolledDevice>) {
    this.#line = line;
    this.#host = host;
    for (const device of devices) this.add(device);
  }

  /** Adds a device and polls it at once if the line is open. */
  add(device: PolledDevice): void {
    this.#devices.add(device);
    const box = this.#boxes.get(device.map.address) ?? new Set();
    this.#boxes.set(device.map.address, box.add(device));
    this.soon(device);
  }

  /** The line is open: polls every device at once. */
  up(): void {
    this.#up = true;
    for (const device of this.#devices) {
      device.lineUp();
      this.soon(device);
    }
  }

  /** The line is down: polls nothing and counts a failure for each device. */
  down(): void {
    this.#rest();
    for (const device of this.#devices) this.#report(device, device.failed("line", this.#host.clock.now()));
  }

  /** The addresses that have left their last poll unanswered, and are asked less often. */
  get silent(): readonly number[] {
    const silent = [...this.#devices].filter(({ silences }) => silences > 0);
    return [...new Set(silent.map(({ map }) => map.address))].toSorted((a, b) => a - b);
  }

  stop(): void {
    this.#rest();
    this.#devices.clear();
    this.#boxes.clear();
  }

  forget(device: PolledDevice): void {
    this.#devices.delete(device);
    this.#boxOf(device).delete(device);
    this.#due.delete(device);
    this.#arm(device, undefined);
  }

  /** Reads all points of a device ahead of time. */
  again(device: PolledDevice): void {
    device.expire();
    this.soon(device);
  }

  /** Polls a device ahead of time. */
  soon(device: PolledDevice): void {
    if (!this.#up || !this.#devices.has(device)) return;
    this.#due.add(device);
    this.#drain();
  }

  /**
   * Reads all points of a device now, also recently refused ones, and reports every value.
   * @throws Fault of the first unanswered read.
   */
  async refresh(device: PolledDevice, signal: AbortSignal): Promise<void> {
    const { values, silence, answered } = await this.#read(device, "command", signal);
    if (answered) this.answered(device, values, "all");
    if (silence !== undefined && !(answered && silence.kind === "exception")) throw silence;
  }

  /**
   * Reports values that were read from a device. Its answer shows that its box is alive, so the other devices
   * of the box that fell silent are polled at once.
   */
  answered(device: PolledDevice, values: ReadonlyMap<string, Value>, wanted: Wanted): void {
    this.#report(device, device.answered(values, this.#host.clock.now(), wanted));
    for (const other of this.#boxOf(device)) {
      if (other.boxAnswered()) this.soon(other);
    }
  }

  #rest(): void {
    this.#up = false;
    this.#due.clear();
    for (const stopTimer of this.#timers.values()) stopTimer();
    this.#timers.clear();
  }

  #drain(): void {
    for (const device of this.#due) {
      if (this.#busy.has(device.map.address)) continue;
      this.#due.delete(device);
      void this.#turn(device);
    }
  }

  async #turn(device: PolledDevice): Promise<void> {
    const { address } = device.map;
    this.#busy.add(address);
    await this.#poll(device);
    this.#busy.delete(address);
    this.#drain();
  }

  async #poll(device: PolledDevice): Promise<void> {
    // Started before the read, so that the interval does not grow by the time of the read.
    this.#arm(device, device.map.pollMs);
    const { values, silence, answered } = await this.#read(device, "poll");
    if (!this.#up || !this.#devices.has(device)) return;
    if (answered) {
      this.answered(device, values, "news");
    } else if (silence !== undefined) {
      this.#fail(device, silence);
    }
  }

  /**
   * Devices at one address are one box: when one gets no answer, none would, so the others are not polled in
   * vain. But a box that answers with a failure is alive and may serve the others.
   */
  #fail(silent: PolledDevice, silence: Fault): void {
    const cause = silence.exception === deviceFailure ? "device" : "box";
    for (const device of cause === "box" ? this.#boxOf(silent) : [silent]) {
      this.#report(device, device.failed(cause, this.#host.clock.now()));
      this.#due.delete(device);
      this.#arm(device, pollDelay(device.map.pollMs, device.silences));
    }
  }

  #boxOf(device: PolledDevice): Set<PolledDevice> {
    return this.#boxes.get(device.map.address) ?? new Set();
  }

  #read(device: PolledDevice, urgency: Urgency, signal?: AbortSignal): Promise<Reading> {
    const { address } = device.map;
    const ask: Ask = (request) => this.#line.request(address, request, urgency, signal);
    return readDevice(device, ask, this.#host, urgency === "command");
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
