import type { Ieee } from "./air.ts";
import type { CoordinatorRadio } from "./coordinator-radio.ts";
import type {
  CoordinatorStick,
  CoordinatorStickOptions,
  SimulatedKind,
  StickImage,
} from "./coordinator-stick.ts";
import { LineFaults } from "../serial/line-faults.ts";
import { LineSpeed } from "../serial/line-speed.ts";
import type { HostLine } from "../serial/serve.ts";
import type { Network } from "./network.ts";
import type { SimulatedAir } from "./simulated-air.ts";

/** What all kinds of sticks have in common: power, a radio, and the end of a serial line with faults and speed. */
export abstract class SimulatedStick<Radio extends CoordinatorRadio> implements CoordinatorStick {
  /** Called with bytes as soon as the host has written them. */
  onRequest: ((chunk: Uint8Array) => void) | null = null;
  /** Called with each frame for the host, before the line's faults and speed. */
  onAnswer: ((frame: Uint8Array) => void) | null = null;
  readonly faults: LineFaults;
  protected readonly air: SimulatedAir;
  /** Null without power. */
  protected radio: Radio | null = null;
  readonly #line: LineSpeed;
  #write: ((bytes: Uint8Array) => void) | null = null;

  constructor({ air, baudRate = Infinity }: CoordinatorStickOptions) {
    this.air = air;
    this.faults = new LineFaults(air.clock);
    this.#line = new LineSpeed(air.clock, baudRate);
  }

  abstract readonly kind: SimulatedKind;
  abstract readonly ieee: Ieee;
  abstract save(): StickImage;
  /** Starts the firmware because power has come: makes the radio. */
  protected abstract boot(): void;
  /** Called with bytes that have arrived from the host. */
  protected abstract received(bytes: Uint8Array): void;

  get network(): Network | null {
    return this.radio?.network ?? null;
  }

  get txPower(): number | null {
    return this.radio?.txPower ?? null;
  }

  get isOpen(): boolean {
    return this.radio?.isOpen ?? false;
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#write = write;
    const hasPort = (): boolean => this.#write === write;
    return {
      receive: (chunk) => {
        if (!hasPort()) return;
        this.onRequest?.(chunk);
        this.#line.carry("in", chunk.length, () => {
          if (hasPort()) this.received(this.faults.received(chunk));
        });
      },
      close: () => {
        if (hasPort()) this.#write = null;
      },
    };
  }

  power(isOn: boolean): void {
    this.stop();
    if (isOn) this.boot();
  }

  /** Restarts by itself, like after a fault of its supply. */
  restart(): void {
    this.power(true);
  }

  /** Stops the firmware, and with it the radio. */
  protected stop(): void {
    this.radio?.dropHeld();
    this.radio?.stop();
    this.radio = null;
  }

  /** Sends a frame to the host that has the port. */
  protected send(frame: Uint8Array): void {
    const write = this.#write;
    if (!write) return;
    this.onAnswer?.(frame);
    this.faults.send(frame, (sent) =>
      this.#line.carry("out", sent.length, () => this.#write === write && write(sent)),
    );
  }
}
