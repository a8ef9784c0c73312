import type { Ieee } from "../air.ts";
import { ByteReader } from "../bytes.ts";
import type {
  CoordinatorStick,
  CoordinatorStickOptions,
  HostLine,
  StickImage,
} from "../coordinator-stick.ts";
import { LineFaults } from "../line-faults.ts";
import type { Network } from "../network.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import { commands, type Answer, type DeconzParts } from "./commands.ts";
import { encodeFrame, parseFrame, type DeconzFrame } from "./frame.ts";
import { Parameters } from "./parameters.ts";
import { command, commandStatus } from "./protocol.ts";
import { DeconzRadio } from "./radio.ts";
import { encodeSlip, SlipReader } from "./slip.ts";

/** `LineFaults` knows requests by subsystem and id; this protocol has no subsystems. */
const noSubsystem = 0;

/** A ConBee II by dresden elektronik, as seen on its serial line. It resumes its network without a host. */
export class DeconzStick implements CoordinatorStick {
  readonly kind = "deconz";
  readonly faults: LineFaults;
  readonly #air: SimulatedAir;
  readonly #parameters: Parameters;
  readonly #reader = new SlipReader();
  #radio: DeconzRadio | null = null;
  #write: ((bytes: Uint8Array) => void) | null = null;
  #cancelWatchdog: () => void = () => {};
  /** Number of the last message that the host has not asked for. */
  #sequence = 0;
  /** The device state that the host knows. */
  #toldState: number | null = null;

  constructor({ air, nvram, ieee = "0x00212effff000001" }: CoordinatorStickOptions) {
    this.#air = air;
    this.faults = new LineFaults(air.clock);
    this.#parameters = new Parameters(nvram, ieee);
    this.power(true);
  }

  get ieee(): Ieee {
    return this.#parameters.ieee;
  }

  get network(): Network | null {
    return this.#radio?.network ?? null;
  }

  get txPower(): number | null {
    return this.#radio?.txPower ?? null;
  }

  get isOpen(): boolean {
    return this.#radio?.isOpen ?? false;
  }

  save(): StickImage {
    return this.#parameters.save();
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#reader.reset();
    this.#write = write;
    return {
      receive: (chunk) => {
        if (this.#write !== write) return;
        for (const content of this.#reader.push(this.faults.received(chunk))) {
          const frame = parseFrame(content);
          if (frame) this.#carryOut(frame);
        }
      },
      close: () => {
        if (this.#write === write) this.#write = null;
      },
    };
  }

  power(isOn: boolean): void {
    this.#cancelWatchdog();
    this.#radio?.stop();
    this.#radio = null;
    if (isOn) this.restart();
  }

  /** Restarts the firmware. */
  restart(): void {
    this.#cancelWatchdog();
    this.#radio?.stop();
    this.#toldState = null;
    const radio = new DeconzRadio(this.#air, this.#parameters, () => this.#tellState());
    this.#radio = radio;
    const network = this.#parameters.network();
    if (network) radio.start(network);
  }

  #carryOut(frame: DeconzFrame): void {
    const radio = this.#radio;
    if (!radio) return;
    const after: (() => void)[] = [];
    const parts: DeconzParts = {
      radio,
      afterwards: (work) => void after.push(work),
      watch: (seconds) => this.#watch(seconds),
    };
    const [status, payload] = this.#answer(parts, frame);
    this.#toldState = radio.deviceState;
    this.#send({ ...frame, status, payload });
    for (const work of after) work();
  }

  #answer(parts: DeconzParts, { command: id, payload }: DeconzFrame): readonly [number, Uint8Array] {
    const refusal = this.faults.refusalOf(noSubsystem, id);
    const carryOut = commands[id];
    if (refusal !== null) return [refusal, payload];
    if (!carryOut) return [commandStatus.unsupported, new Uint8Array()];
    try {
      const [status, answer]: Answer = carryOut(parts, new ByteReader(payload));
      return [status, answer.done()];
    } catch (error) {
      if (error instanceof RangeError) return [commandStatus.invalidValue, new Uint8Array()];
      throw error;
    }
  }

  #watch(seconds: number): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.#air.clock.after(seconds * 1000, () => this.restart());
  }

  /** Tells the host that the device state has changed. */
  #tellState(): void {
    const state = this.#radio?.deviceState ?? 0;
    if (state === this.#toldState) return;
    this.#toldState = state;
    this.#sequence = (this.#sequence + 1) & 0xff;
    this.#send({
      command: command.deviceStateChanged,
      sequence: this.#sequence,
      status: commandStatus.success,
      payload: Uint8Array.of(state, 0),
    });
  }

  #send(frame: DeconzFrame): void {
    const write = this.#write;
    if (!write) return;
    this.faults.send(encodeSlip(encodeFrame(frame)), (sent) => this.#write === write && write(sent));
  }
}
