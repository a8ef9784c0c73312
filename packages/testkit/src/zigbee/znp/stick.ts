import { seededRandom } from "../../random.ts";
import type { Ieee } from "../air.ts";
import type { CoordinatorStick, HostLine } from "../coordinator-stick.ts";
import { ByteReader } from "../bytes.ts";
import type { Command, Commands, StickParts } from "./commands.ts";
import { afCommands } from "./commands-af.ts";
import { sysCommands, version } from "./commands-sys.ts";
import { appConfigCommands, utilCommands } from "./commands-device.ts";
import { zdoCommands } from "./commands-zdo.ts";
import { LineFaults } from "../line-faults.ts";
import { LineSpeed } from "../line-speed.ts";
import type { Network } from "../network.ts";
import type { NvramImage } from "./nvram.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import { StickMemory } from "./stick-memory.ts";
import { StickRadio, type Indicate } from "./stick-radio.ts";
import { encodeFrame, FrameReader, frameType, type UnpiFrame } from "./unpi.ts";
import { rpcError, subsystem } from "./znp.ts";

export interface StickOptions {
  readonly air: SimulatedAir;
  /** An image from `save`; by default the stick is in factory state. */
  readonly nvram?: NvramImage;
  /** The maker's address of a stick in factory state. */
  readonly ieee?: Ieee;
  readonly seed?: number;
  /** How many devices the tables of addresses and keys have room for. */
  readonly tableSize?: number;
  /** Frames to single addresses that it holds until they are sent; Z-Stack has 12 (NWK_MAX_DATABUFS_TOTAL). */
  readonly buffers?: number;
  /** The speed of its serial line, such as 115200; by default bytes take no time. */
  readonly baudRate?: number;
}

const commands: Readonly<Record<number, Commands>> = {
  [subsystem.sys]: sysCommands,
  [subsystem.af]: afCommands,
  [subsystem.zdo]: zdoCommands,
  [subsystem.util]: utilCommands,
  [subsystem.appConfig]: appConfigCommands,
};

const resetIndication = 0x80;

/** A coordinator stick with Texas Instruments' Z-Stack 3.x.0, as seen on its serial line. */
export class Stick implements CoordinatorStick {
  readonly kind = "zstack";
  /** Called with bytes as soon as the host has written them. */
  onRequest: ((chunk: Uint8Array) => void) | null = null;
  /** Faults of its serial line. */
  readonly faults: LineFaults;
  readonly #air: SimulatedAir;
  readonly #memory: StickMemory;
  readonly #reader = new FrameReader();
  readonly #buffers: number;
  readonly #line: LineSpeed;
  #radio: StickRadio | null = null;
  #write: ((bytes: Uint8Array) => void) | null = null;
  /** During a request, the indications to send after its response. */
  #held: UnpiFrame[] | null = null;

  constructor(options: StickOptions) {
    const { air, nvram, ieee = "0x00124b0000000001", seed = 1, tableSize = 32 } = options;
    this.#air = air;
    this.faults = new LineFaults(air.clock);
    this.#buffers = options.buffers ?? Infinity;
    this.#line = new LineSpeed(air.clock, options.baudRate ?? Infinity);
    this.#memory = new StickMemory(nvram, ieee, tableSize, seededRandom(seed));
    this.power(true);
  }

  get ieee(): Ieee {
    return this.#memory.ieee;
  }

  /** The running network, or null. */
  get network(): Network | null {
    return this.#radio?.network ?? null;
  }

  /** Transmit power in dBm; null without power. */
  get txPower(): number | null {
    return this.#radio?.txPower ?? null;
  }

  /** Whether devices may join it. */
  get isOpen(): boolean {
    return this.#radio?.isOpen ?? false;
  }

  /** Returns the content of its memory, for another stick or for the same after a power cycle. */
  save(): NvramImage {
    return this.#memory.nvram.save();
  }

  /** Opens the port for a host. Only one host has it; an earlier one hears nothing more. */
  connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#reader.reset();
    this.#write = write;
    return {
      receive: (chunk) => {
        if (this.#write !== write) return;
        this.onRequest?.(chunk);
        this.#line.carry("in", chunk.length, () => {
          if (this.#write !== write) return;
          for (const frame of this.#reader.push(this.faults.received(chunk))) this.#carryOut(frame);
        });
      },
      close: () => {
        if (this.#write === write) this.#write = null;
      },
    };
  }

  /**
   * Switches the power. Without it the stick is silent and keeps only its memory. When power returns it waits
   * until the host starts it.
   */
  power(isOn: boolean): void {
    this.#radio?.stop();
    this.#radio = isOn ? this.#boot() : null;
    if (isOn) this.#tellReset(0);
  }

  #boot(): StickRadio {
    this.#memory.reset();
    const indicate: Indicate = (system, id, data) => this.#indicate(system, id, data);
    return new StickRadio(this.#air, this.#memory, indicate, this.#buffers);
  }

  #carryOut({ type, subsystem: system, id, data }: UnpiFrame): void {
    const radio = this.#radio;
    if (!radio || this.faults.isSilent) return;
    const refusal = this.faults.refusalOf(system, id);
    if (refusal !== null) {
      this.#send({ type: frameType.srsp, subsystem: system, id, data: Uint8Array.of(refusal) });
      return;
    }
    const parts: StickParts = {
      memory: this.#memory,
      radio,
      indicate: (otherSystem, other, told) => this.#indicate(otherSystem, other, told),
      reset: () => this.#reset(),
    };
    this.#held = [];
    const command = commands[system]?.[id];
    const response = command ? answered(command, parts, data) : unknown(system);
    if (type === frameType.sreq) {
      if (typeof response === "number") this.#sendError(response, (type << 5) | system, id);
      else if (response) this.#send({ type: frameType.srsp, subsystem: system, id, data: response });
    }
    const held = this.#held;
    this.#held = null;
    for (const frame of held) this.#send(frame);
  }

  #indicate(system: number, id: number, data: Uint8Array): void {
    const frame = { type: frameType.areq, subsystem: system, id, data };
    if (this.#held) this.#held.push(frame);
    else this.#send(frame);
  }

  #reset(): void {
    this.#radio?.stop();
    this.#radio = this.#boot();
    this.#tellReset(2);
  }

  /** @param reason 0: power on, 2: requested by the host. */
  #tellReset(reason: number): void {
    const [transport, product, major, minor] = version.head;
    const data = Uint8Array.of(reason, transport, product, major, minor, 1);
    this.#indicate(subsystem.sys, resetIndication, data);
  }

  #sendError(error: number, kind: number, id: number): void {
    this.#send({
      type: frameType.srsp,
      subsystem: subsystem.rpc,
      id: 0,
      data: Uint8Array.of(error, kind, id),
    });
  }

  #send(frame: UnpiFrame): void {
    const write = this.#write;
    if (!write) return;
    this.faults.send(encodeFrame(frame), (sent) =>
      this.#line.carry("out", sent.length, () => this.#write === write && write(sent)),
    );
  }
}

/** Returns the response, a Z-Stack error, or null when a request has none. */
function answered(command: Command, parts: StickParts, data: Uint8Array): Uint8Array | number | null {
  try {
    return command(parts, new ByteReader(data))?.done() ?? null;
  } catch (error) {
    if (error instanceof RangeError) return rpcError.length;
    throw error;
  }
}

function unknown(system: number): number {
  return commands[system] ? rpcError.id : rpcError.subsystem;
}
