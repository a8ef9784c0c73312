import { seededRandom } from "../../random.ts";
import type { Ieee } from "../air.ts";
import { ByteReader, unlessTooShort } from "../bytes.ts";
import type { CoordinatorStickOptions, StickImage } from "../coordinator-stick.ts";
import type { HostLine } from "../../serial/serve.ts";
import { SimulatedStick } from "../simulated-stick.ts";
import type { Commands, StickParts } from "./commands.ts";
import { afCommands } from "./commands-af.ts";
import { sysCommands, version } from "./commands-sys.ts";
import { appConfigCommands, utilCommands } from "./commands-device.ts";
import { zdoCommands } from "./commands-zdo.ts";
import { StickMemory } from "./stick-memory.ts";
import { StickRadio, type Indicate } from "./stick-radio.ts";
import { encodeFrame, FrameReader, frameType, type UnpiFrame } from "./unpi.ts";
import { rpcError, subsystem } from "./znp.ts";

export interface StickOptions extends CoordinatorStickOptions {
  readonly seed?: number;
  /** How many devices the tables of addresses and keys have room for. */
  readonly tableSize?: number;
  /** Frames to single addresses that it holds until they are sent; Z-Stack has 12 (NWK_MAX_DATABUFS_TOTAL). */
  readonly buffers?: number;
}

const commands: Readonly<Record<number, Commands>> = {
  [subsystem.sys]: sysCommands,
  [subsystem.af]: afCommands,
  [subsystem.zdo]: zdoCommands,
  [subsystem.util]: utilCommands,
  [subsystem.appConfig]: appConfigCommands,
};

const resetIndication = 0x80;
const resetReason = { powerOn: 0, requested: 2 } as const;

/**
 * A coordinator stick with Texas Instruments' Z-Stack 3.x.0, as seen on its serial line. When power returns it
 * waits until the host starts it.
 */
export class Stick extends SimulatedStick<StickRadio> {
  readonly kind = "zstack";
  readonly #memory: StickMemory;
  readonly #reader = new FrameReader();
  readonly #buffers: number;
  /** During a request, the indications to send after its response. */
  #held: UnpiFrame[] | null = null;

  constructor(options: StickOptions) {
    super(options);
    const { nvram, ieee = "0x00124b0000000001", seed = 1, tableSize = 32, buffers = Infinity } = options;
    this.#buffers = buffers;
    this.#memory = new StickMemory(nvram, ieee, tableSize, seededRandom(seed));
    this.power(true);
  }

  /** Drops a device from its tables, as sticks do that have run full. */
  forget(ieee: Ieee): void {
    this.#memory.forget(ieee);
  }

  get ieee(): Ieee {
    return this.#memory.ieee;
  }

  save(): StickImage {
    return this.#memory.nvram.save();
  }

  override connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#reader.reset();
    return super.connect(write);
  }

  protected override received(bytes: Uint8Array): void {
    for (const frame of this.#reader.push(bytes)) this.#carryOut(frame);
  }

  protected override boot(): void {
    this.#start(resetReason.powerOn);
  }

  #reset(): void {
    this.stop();
    this.#start(resetReason.requested);
  }

  #start(reason: number): void {
    this.#memory.reset();
    const indicate: Indicate = (system, id, data) => this.#indicate(system, id, data);
    this.radio = new StickRadio(this.air, this.#memory, indicate, this.#buffers);
    const [transport, product, major, minor] = version.head;
    this.#indicate(
      subsystem.sys,
      resetIndication,
      Uint8Array.of(reason, transport, product, major, minor, 1),
    );
  }

  #carryOut({ type, subsystem: system, id, data }: UnpiFrame): void {
    const radio = this.radio;
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
    const response = command
      ? unlessTooShort(() => command(parts, new ByteReader(data))?.done() ?? null, rpcError.length)
      : unknown(system);
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

  #sendError(error: number, kind: number, id: number): void {
    this.#send({
      type: frameType.srsp,
      subsystem: subsystem.rpc,
      id: 0,
      data: Uint8Array.of(error, kind, id),
    });
  }

  #send(frame: UnpiFrame): void {
    this.send(encodeFrame(frame));
  }
}

function unknown(system: number): number {
  return commands[system] ? rpcError.id : rpcError.subsystem;
}
