// A house of Z-Wave devices behind a simulated stick.
import { setTimeout as sleep } from "node:timers/promises";
import { plans, serveStick, type ServedStick, ZWaveStick } from "@ledge/testkit/zwave";

export const nodeCount = 60;
export const lampCount = 24;
/** Multilevel Switch Set: what the frame of a command to a lamp holds. */
const [levels, set] = [0x26, 0x01];
/** A frame that asks the stick to send something to a node: its start, its type, and its functions (INS12350). */
const [start, request, acknowledged] = [0x01, 0x00, 0x06];
const sending: ReadonlySet<number | undefined> = new Set([0x13, 0xa9]);
const pollMs = 0.2;
/** How long a lamp may take before it has missed a command. */
const missedMs = 10_000;

/** Lamps and sockets that are in the network of a stick. */
export class ZWaveHouse {
  readonly served: ServedStick<ZWaveStick>;
  /** The node ids of the lamps. */
  readonly lamps: readonly number[];
  #awaited: ((at: number) => void) | null = null;
  /** Requests to the stick since its host opened it, and how many of them came before the first to a node. */
  #requests = 0;
  #beforeNodes: number | null = null;

  private constructor(served: ServedStick<ZWaveStick>, lamps: readonly number[]) {
    this.served = served;
    this.lamps = lamps;
    const { stick } = served;
    const connect = stick.connect.bind(stick);
    stick.connect = (write) => {
      this.#requests = 0;
      this.#beforeNodes = null;
      const line = connect(write);
      return { ...line, receive: (chunk) => (this.#written(chunk), line.receive(chunk)) };
    };
  }

  static async build(): Promise<ZWaveHouse> {
    const stick = await ZWaveStick.create();
    const lamps: number[] = [];
    for (let lamp = 0; lamp < lampCount; lamp += 1) lamps.push((await stick.place(plans.lamp())).id);
    for (let other = lampCount; other < nodeCount; other += 1) await stick.place(plans.wallPlug());
    return new ZWaveHouse(await serveStick(stick), lamps);
  }

  isOn(lamp: number): boolean {
    return Number(this.served.stick.node(lamp).state.get("MultilevelSwitch_currentValue") ?? 0) > 0;
  }

  /** How many requests its host has sent to the stick itself, since it opened it, before it spoke to a node. */
  get requestsToOpen(): number {
    return this.#beforeNodes ?? this.#requests;
  }

  /** Resolves with when (performance.now) the next frame that sets a level arrives at the stick. */
  sent(): Promise<number> {
    return new Promise((resolve) => (this.#awaited = resolve));
  }

  /** Resolves with the number of lamps that are not on or off after so long; at once when all are. */
  async missing(isOn: boolean): Promise<number> {
    const began = performance.now();
    const wrong = (): number => this.lamps.filter((lamp) => this.isOn(lamp) !== isOn).length;
    while (wrong() > 0 && performance.now() - began < missedMs) await sleep(pollMs);
    return wrong();
  }

  /** An acknowledgement may stand before a frame in the same bytes. */
  #written(bytes: Uint8Array): void {
    this.#count(bytes);
    const isSending = bytes.some(
      (byte, at) =>
        byte === start &&
        bytes[at + 2] === request &&
        sending.has(bytes[at + 3]) &&
        bytes.subarray(at).some((each, index) => each === levels && bytes[at + index + 1] === set),
    );
    if (!isSending) return;
    this.#awaited?.(performance.now());
    this.#awaited = null;
  }

  #count(bytes: Uint8Array): void {
    const from = bytes[0] === acknowledged ? 1 : 0;
    if (bytes[from] !== start || bytes[from + 2] !== request) return;
    if (sending.has(bytes[from + 3])) this.#beforeNodes ??= this.#requests;
    this.#requests += 1;
  }
}
