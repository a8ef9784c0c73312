// The master of a wired bus, EN 13757-2 and -3: it asks, and slaves answer.
import { MbusError } from "../error.ts";
import { addresses, controls, type Frame } from "../frame.ts";
import type { Identity } from "../header.ts";
import { decodeFrame, type DecodeOptions, type Telegram } from "../telegram.ts";
import { MasterFault } from "./fault.ts";
import type { Answer, MasterLine } from "./line.ts";
import { isSelectedBy, type SecondaryAddress, selectionOf } from "./secondary.ts";

/** A meter by the address of the link layer, or by its secondary address. */
export type MeterAddress = number | SecondaryAddress;

export interface MasterOptions extends DecodeOptions {
  /** How often a request is sent until a meter answers; 3 by default. */
  readonly tries?: number;
  /** The most telegrams of one reading: a meter that never ends is cut off; 16 by default. */
  readonly telegrams?: number;
}

/** CI fields of what a master sends. */
const commands = { data: 0x51, select: 0x52, reset: 0x50 } as const;

/** CI fields that change the speed of a slave, by bits per second. */
const baudRates: ReadonlyMap<number, number> = new Map([
  [300, 0xb8],
  [600, 0xb9],
  [1200, 0xba],
  [2400, 0xbb],
  [4800, 0xbc],
  [9600, 0xbd],
  [19_200, 0xbe],
  [38_400, 0xbf],
]);
/** DIF and VIF of the address of the link layer. */
const busAddress = [0x01, 0x7a] as const;

/** Reads meters and sets what a bus needs. All calls throw MasterFault. */
export class Master {
  readonly #line: MasterLine;
  readonly #options: MasterOptions;
  /** Whether the next request of data has the frame count bit, by address of the link layer. */
  readonly #counts = new Map<number, boolean>();

  constructor(line: MasterLine, options: MasterOptions = {}) {
    this.#line = line;
    this.#options = options;
  }

  /** Resets the link layer of a slave (SND_NKE). Returns whether one acknowledges. */
  async initialise(address: number, signal?: AbortSignal): Promise<boolean> {
    this.#counts.set(address, true);
    const answer = await this.#send({ type: "short", control: controls.sndNke, address }, address, signal);
    return answer !== "silence";
  }

  /**
   * Selects a slave by its secondary address: from then on it has the address `addresses.selected`.
   * @returns `one` if an acknowledgement came, `none` if nothing came, `several` if the answers collided
   */
  async select(address: SecondaryAddress, signal?: AbortSignal): Promise<"none" | "one" | "several"> {
    this.#counts.set(addresses.selected, true);
    const frame = commandFrame(addresses.selected, commands.select, selectionOf(address));
    const answer = await this.#send(frame, addresses.selected, signal);
    if (answer === "silence") return "none";
    return answer !== "garbled" && answer.type === "ack" ? "one" : "several";
  }

  /** Ends the selection, so that no slave has the address `addresses.selected`. */
  async deselect(signal?: AbortSignal): Promise<void> {
    await this.initialise(addresses.selected, signal);
  }

  /**
   * Reads a meter: all its telegrams, while it says that more follow.
   * @returns at least one telegram
   */
  async read(meter: MeterAddress, signal?: AbortSignal): Promise<readonly Telegram[]> {
    const address = await this.#reach(meter, signal);
    const telegrams: Telegram[] = [];
    const most = this.#options.telegrams ?? 16;
    for (let more = true; more && telegrams.length < most;) {
      const telegram = await this.#request(address, signal);
      const foreign = identityOf(telegram);
      if (typeof meter !== "number" && foreign !== undefined && !isSelectedBy(foreign, meter))
        throw new MasterFault("foreign", `meter ${foreign.id} answers in place of ${meter.id}`);
      telegrams.push(telegram);
      more = telegram.kind === "variable" && telegram.moreFollow;
    }
    return telegrams;
  }

  /** Reads one telegram of a slave (REQ_UD2), by the address of the link layer. */
  async request(address: number, signal?: AbortSignal): Promise<Telegram> {
    return await this.#request(address, signal);
  }

  /** Resets the application of a meter, which then sends its first telegram again. @param subcode what to send, 0 for all */
  async resetApplication(meter: MeterAddress, subcode?: number, signal?: AbortSignal): Promise<void> {
    const address = await this.#reach(meter, signal);
    const data = subcode === undefined ? [] : [subcode];
    await this.#command(commandFrame(address, commands.reset, Uint8Array.from(data)), address, signal);
  }

  /** Gives a meter an address of the link layer, 1 to 250. */
  async setAddress(meter: MeterAddress, wanted: number, signal?: AbortSignal): Promise<void> {
    if (!Number.isInteger(wanted) || wanted < 1 || wanted > addresses.highestSlave)
      throw new MasterFault("refused", `${wanted} is not an address from 1 to ${addresses.highestSlave}`);
    const address = await this.#reach(meter, signal);
    const frame = commandFrame(address, commands.data, Uint8Array.of(...busAddress, wanted));
    await this.#command(frame, address, signal);
  }

  /**
   * Asks a slave to speak at another speed. It acknowledges at the old one. Change the speed of the line afterwards; a
   * slave that hears nothing at the new one for a while returns to the old one.
   */
  async setBaudRate(meter: MeterAddress, baudRate: number, signal?: AbortSignal): Promise<void> {
    const information = baudRates.get(baudRate);
    if (information === undefined)
      throw new MasterFault("refused", `${baudRate} is not one of ${[...baudRates.keys()].join(", ")}`);
    const address = await this.#reach(meter, signal);
    await this.#command(commandFrame(address, information, new Uint8Array(0)), address, signal);
  }

  /** Returns the address of the link layer at which a meter can be asked. */
  async #reach(meter: MeterAddress, signal: AbortSignal | undefined): Promise<number> {
    if (typeof meter === "number") return meter;
    const found = await this.select(meter, signal);
    if (found === "none") throw new MasterFault("silent", `meter ${meter.id} does not answer`);
    if (found === "several") throw new MasterFault("collision", `several meters answer as ${meter.id}`);
    return addresses.selected;
  }

  async #request(address: number, signal: AbortSignal | undefined): Promise<Telegram> {
    const count = this.#counts.get(address) ?? true;
    const control = controls.reqUd2 | (count ? controls.frameCountBit : 0);
    const answer = await this.#send({ type: "short", control, address }, address, signal);
    if (answer === "silence") throw new MasterFault("silent", `${nameOf(address)} does not answer`);
    if (answer === "garbled")
      throw new MasterFault("collision", `the answer of ${nameOf(address)} is no frame`);
    this.#counts.set(address, !count);
    if (answer.type === "ack") throw new MasterFault("refused", `${nameOf(address)} has no data`);
    if (answer.type === "short" || (answer.control & 0x4f) !== controls.rspUd)
      throw new MasterFault("refused", `${nameOf(address)} answers with a frame that is no answer`);
    const isAnyone = address >= addresses.selected;
    if (!isAnyone && answer.address !== address)
      throw new MasterFault("foreign", `${nameOf(answer.address)} answers in place of ${address}`);
    return this.#decode(answer);
  }

  #decode(answer: Frame): Telegram {
    try {
      return decodeFrame(answer, this.#options);
    } catch (error) {
      if (!(error instanceof MbusError)) throw error;
      throw new MasterFault("application", error.message, { cause: error });
    }
  }

  /** Sends a command, and expects an acknowledgement. */
  async #command(frame: Frame, address: number, signal: AbortSignal | undefined): Promise<void> {
    const answer = await this.#send(frame, address, signal);
    if (address === addresses.broadcast) return;
    if (answer === "silence") throw new MasterFault("silent", `${nameOf(address)} does not answer`);
    if (answer === "garbled")
      throw new MasterFault("collision", `the answer of ${nameOf(address)} is no frame`);
    if (answer.type !== "ack") throw new MasterFault("refused", `${nameOf(address)} does not acknowledge`);
  }

  /** Sends a frame until something comes back. A repeated request has the same frame count bit. */
  async #send(frame: Frame, address: number, signal: AbortSignal | undefined): Promise<Answer> {
    const { tries = 3 } = this.#options;
    if (address === addresses.broadcast) return this.#line.exchange(frame, false, signal);
    let answer: Answer = "silence";
    for (let left = tries; left > 0; left--) {
      answer = await this.#line.exchange(frame, true, signal);
      if (answer !== "silence" && answer !== "garbled") break;
    }
    return answer;
  }
}

/** SND_UD with the frame count bit, as after a reset of the link layer. */
function commandFrame(address: number, information: number, data: Uint8Array): Frame {
  const head = { control: controls.sndUd | controls.frameCountBit, address, information } as const;
  return data.length === 0 ? { type: "control", ...head } : { type: "long", ...head, data };
}

function identityOf(telegram: Telegram): Identity | undefined {
  return telegram.kind === "variable" ? telegram.meter : undefined;
}

function nameOf(address: number): string {
  return address === addresses.selected ? "the selected meter" : `the meter at address ${address}`;
}
