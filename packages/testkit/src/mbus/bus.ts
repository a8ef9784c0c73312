import {
  addresses,
  controls,
  type Frame,
  FrameReader,
  fromHex,
  manufacturerNumber,
  writeFrame,
} from "@ledge/mbus";
import { type Clock, realTime } from "../clock.ts";
import type { HostLine, PluggableStick } from "../serial/serve.ts";
import { LineFaults } from "../serial/line-faults.ts";

/** A simulated meter. */
export interface SimulatedMeter {
  /** Of the link layer; 0 if it has none yet. */
  address: number;
  readonly id: string;
  readonly manufacturer: string;
  readonly version: number;
  readonly medium: number;
  /** Hexadecimal records of each of its telegrams; all but the last end with `1F`. */
  telegrams: readonly string[];
  /** Hexadecimal data of the fixed structure, in place of telegrams. */
  readonly fixed?: string;
  /** Its speed, which the master may change: it hears nothing at another. Absent: it hears every speed. */
  baudRate?: number;
  /** Hears and says nothing. */
  isDead?: boolean;
  /** Answers later by this many ms. */
  delayMs?: number;
  /** Answers as somebody else, garbles its answers, or reports an error of its application. */
  lies?: "address" | "identity" | "checksum" | "busy" | undefined;
}

/** CI fields of a master. */
const select = 0x52;
const reset = 0x50;
const data = 0x51;
/** What sets the speed of a slave, from 300 bits per second on. */
const speeds = [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400];
const firstSpeed = 0xb8;

/**
 * The slaves' side of an M-Bus, at a serial port or behind a TCP gateway. Meters that answer at once collide: of equal
 * acknowledgements one is heard, of different frames the bits are mixed.
 */
export class MbusBus implements PluggableStick {
  readonly meters: SimulatedMeter[];
  readonly faults: LineFaults;
  /** Every frame that the master has sent. */
  readonly heard: Frame[] = [];
  /** Resolves with the present speed of the line, for meters that hear one alone. */
  lineSpeed: () => Promise<number> = async () => NaN;
  readonly #clock: Clock;
  readonly #states = new Map<SimulatedMeter, SlaveState>();
  #isOn = true;
  #write: (bytes: Uint8Array) => void = () => {};

  constructor(meters: readonly SimulatedMeter[], clock: Clock = realTime) {
    this.meters = [...meters];
    this.#clock = clock;
    this.faults = new LineFaults(clock);
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    const reader = new FrameReader();
    this.#write = write;
    return {
      receive: (chunk) => {
        for (const frame of reader.push(chunk)) void this.#atSpeed(frame);
      },
      close: () => {
        if (this.#write === write) this.#write = () => {};
      },
    };
  }

  power(isOn: boolean): void {
    this.#isOn = isOn;
    if (!isOn) this.#states.clear();
  }

  /** How many requests for data the master has sent. */
  get reads(): number {
    return this.heard.filter((frame) => frame.type === "short" && (frame.control & 0x4f) === 0x4b).length;
  }

  async #atSpeed(frame: Frame): Promise<void> {
    const isAny = this.meters.every(({ baudRate }) => baudRate === undefined);
    this.#hear(frame, isAny ? NaN : await this.lineSpeed());
  }

  #hear(frame: Frame, speed: number): void {
    if (!this.#isOn || frame.type === "ack") return;
    this.heard.push(frame);
    const answers = this.meters.flatMap((meter) => {
      if (meter.isDead) return [];
      if (meter.baudRate !== undefined && meter.baudRate !== speed) return [];
      const answer = this.#stateOf(meter).answer(frame);
      return answer === undefined ? [] : [{ bytes: answer, delayMs: meter.delayMs ?? 0 }];
    });
    const delays = [...new Set(answers.map(({ delayMs }) => delayMs))];
    for (const delayMs of delays) {
      const bytes = collided(
        answers.filter((answer) => answer.delayMs === delayMs).map((answer) => answer.bytes),
      );
      this.#clock.after(delayMs, () => this.#isOn && this.#write(bytes));
    }
  }

  #stateOf(meter: SimulatedMeter): SlaveState {
    const state = this.#states.get(meter) ?? new SlaveState(meter);
    this.#states.set(meter, state);
    return state;
  }
}

/** The link layer of a slave. */
class SlaveState {
  readonly #meter: SimulatedMeter;
  #isSelected = false;
  #telegram = 0;
  #lastCount: boolean | undefined;
  #accessNumber = 0;

  constructor(meter: SimulatedMeter) {
    this.#meter = meter;
  }

  answer(frame: Exclude<Frame, { type: "ack" }>): Uint8Array | undefined {
    const { address, control } = frame;
    if (frame.type === "long" && frame.information === select && address === addresses.selected)
      return this.#select(frame.data);
    const isMine =
      address === this.#meter.address ||
      address >= addresses.test ||
      (address === addresses.selected && this.#isSelected);
    if (!isMine) return undefined;
    const answer = this.#answerTo(frame, control);
    return address === addresses.broadcast ? undefined : answer;
  }

  #answerTo(frame: Exclude<Frame, { type: "ack" }>, control: number): Uint8Array | undefined {
    const base = control & ~controls.frameCountBit & ~0x10;
    if (control === controls.sndNke) {
      this.#lastCount = undefined;
      this.#telegram = 0;
      if (frame.address === addresses.selected) this.#isSelected = false;
      return this.#ack();
    }
    if (frame.type === "short" && base === (controls.reqUd2 & ~0x10)) return this.#data(control);
    if (frame.type === "short") return undefined;
    const speed = speeds[frame.information - firstSpeed];
    if (speed !== undefined && this.#meter.baudRate !== undefined) this.#meter.baudRate = speed;
    if (frame.information === reset) this.#telegram = 0;
    if (frame.type === "long" && frame.information === data && frame.data[1] === 0x7a)
      this.#meter.address = frame.data[2] ?? 0;
    return this.#ack();
  }

  #select(mask: Uint8Array): Uint8Array | undefined {
    const { id, manufacturer, version, medium } = this.#meter;
    const maker = manufacturerNumber(manufacturer);
    const own = [...fromHex(id).toReversed(), maker & 0xff, maker >> 8, version, medium];
    const isDigit = (wanted: number, digit: number): boolean => wanted === 0x0f || wanted === digit;
    this.#isSelected =
      mask.length >= 8 &&
      own.every((byte, i) => {
        const wanted = mask[i] as number;
        if (i >= 4) return wanted === 0xff || wanted === byte;
        return isDigit(wanted >> 4, byte >> 4) && isDigit(wanted & 0x0f, byte & 0x0f);
      });
    this.#lastCount = undefined;
    this.#telegram = 0;
    return this.#isSelected ? this.#ack() : undefined;
  }

  /** A toggled frame count bit asks for the next telegram, the same one for the last again. */
  #data(control: number): Uint8Array {
    const { telegrams, lies } = this.#meter;
    const count = (control & controls.frameCountBit) !== 0;
    if (this.#lastCount !== undefined && this.#lastCount !== count)
      this.#telegram = (this.#telegram + 1) % telegrams.length;
    this.#lastCount = count;
    const meter = lies === "identity" ? { ...this.#meter, id: "99999999" } : this.#meter;
    const address = lies === "address" ? (meter.address % 250) + 1 : meter.address;
    if (lies === "busy")
      return writeFrame({
        type: "long",
        control: controls.rspUd,
        address,
        information: 0x70,
        data: Uint8Array.of(8),
      });
    const { fixed } = meter;
    if (fixed !== undefined)
      return writeFrame({
        type: "long",
        control: controls.rspUd,
        address,
        information: 0x73,
        data: fromHex(fixed),
      });
    const header = headerOf(meter, this.#accessNumber++ & 0xff);
    const records = fromHex(telegrams[this.#telegram] ?? "");
    const bytes = Uint8Array.from([...header, ...records]);
    const frame = writeFrame({
      type: "long",
      control: controls.rspUd,
      address,
      information: 0x72,
      data: bytes,
    });
    return lies === "checksum"
      ? frame.map((byte, i) => (i === frame.length - 2 ? byte ^ 0xff : byte))
      : frame;
  }

  #ack(): Uint8Array {
    return writeFrame({ type: "ack" });
  }
}

function headerOf(
  { id, manufacturer, version, medium }: SimulatedMeter,
  accessNumber: number,
): readonly number[] {
  const maker = manufacturerNumber(manufacturer);
  return [...fromHex(id).toReversed(), maker & 0xff, maker >> 8, version, medium, accessNumber, 0, 0, 0];
}

/**
 * What a master hears of frames at the same time: a 0 of any slave wins. No two slaves begin in the same bit, so that their bytes
 * do not line up. Equal acknowledgements are heard as one.
 */
function collided(answers: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...others] = answers.filter(
    (answer, i) => answers.findIndex((other) => Buffer.compare(other, answer) === 0) === i,
  );
  const length = Math.max(first.length, ...others.map((answer) => answer.length));
  const later = (byte: number, bits: number): number => ((byte << bits) | (byte >> (8 - bits))) & 0xff;
  return Uint8Array.from({ length }, (_, at) =>
    others.reduce((sum, answer, i) => sum & later(answer[at] ?? 0xff, 1 + (i % 7)), first[at] ?? 0xff),
  );
}
