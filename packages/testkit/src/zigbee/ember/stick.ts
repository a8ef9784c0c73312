import type { Ieee } from "../air.ts";
import { ByteReader, wire } from "../bytes.ts";
import type {
  CoordinatorStick,
  CoordinatorStickOptions,
  HostLine,
  StickImage,
} from "../coordinator-stick.ts";
import { LineFaults } from "../line-faults.ts";
import type { Network } from "../network.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import { AshLink, resetCode } from "./ash-link.ts";
import type { Command, Commands, EmberParts } from "./commands.ts";
import { messageCommands } from "./commands-messages.ts";
import { networkCommands } from "./commands-network.ts";
import { securityCommands } from "./commands-security.ts";
import { settingCommands } from "./commands-settings.ts";
import { tableCommands } from "./commands-tables.ts";
import { encodeResponse, parseCommand, type EzspFrame } from "./ezsp-frame.ts";
import { ezspStatus, frameId, protocolVersion } from "./ezsp.ts";
import { EmberMemory } from "./memory.ts";
import { EmberRadio } from "./radio.ts";

const commands: Commands = {
  ...settingCommands,
  ...networkCommands,
  ...securityCommands,
  ...messageCommands,
  ...tableCommands,
};

/** `LineFaults` knows requests by subsystem and id; EZSP has no subsystems. */
const noSubsystem = 0;

/** A coordinator stick with Silicon Labs' EmberZNet 7.4 (EZSP 13 over ASH), as seen on its serial line. */
export class EmberStick implements CoordinatorStick {
  readonly kind = "ember";
  readonly faults: LineFaults;
  readonly #air: SimulatedAir;
  readonly #memory: EmberMemory;
  readonly #link: AshLink;
  #radio: EmberRadio | null = null;
  #write: ((bytes: Uint8Array) => void) | null = null;
  /** Whether the host has asked for the protocol version that it uses from then on. */
  #isVersionSet = false;
  #sequence = 0;

  constructor({ air, nvram, ieee = "0x60a423fffe000001" }: CoordinatorStickOptions) {
    this.#air = air;
    this.faults = new LineFaults(air.clock);
    this.#memory = new EmberMemory(nvram, ieee);
    this.#link = new AshLink(air.clock, {
      write: (frame) => this.#send(frame),
      received: (data) => this.#carryOut(data),
      resetWanted: () => this.#restart(resetCode.software),
    });
    this.power(true);
  }

  get ieee(): Ieee {
    return this.#memory.ieee;
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
    return this.#memory.save();
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#write = write;
    return {
      receive: (chunk) => {
        if (this.#write === write && this.#radio) this.#link.receive(this.faults.received(chunk));
      },
      close: () => {
        if (this.#write === write) this.#write = null;
      },
    };
  }

  power(isOn: boolean): void {
    this.#radio?.stop();
    this.#radio = null;
    this.#link.close();
    if (isOn) this.#restart(resetCode.powerOn);
  }

  /** Restarts by itself, like after a fault of its supply, and tells the host, which must start it again. */
  restart(): void {
    this.#restart(resetCode.powerOn);
  }

  #restart(code: number): void {
    this.#radio?.stop();
    this.#memory.start();
    this.#radio = new EmberRadio(this.#air, this.#memory, (id, parameters) => this.#tell(id, parameters));
    this.#isVersionSet = false;
    this.#link.restart(code);
  }

  #carryOut(data: Uint8Array): void {
    const radio = this.#radio;
    const frame = parsed(data);
    if (!radio || !frame) return;
    this.#sequence = frame.sequence;
    const after: (() => void)[] = [];
    const parts: EmberParts = {
      memory: this.#memory,
      radio,
      tell: (id, told) => this.#tell(id, told),
      afterwards: (work) => void after.push(work),
      reset: () => this.#restart(resetCode.software),
    };
    const answered = this.#answer(parts, frame);
    const id = typeof answered === "number" ? frameId.invalidCommand : frame.id;
    const parameters = typeof answered === "number" ? Uint8Array.of(answered) : answered;
    this.#link.send(encodeResponse({ ...frame, id, parameters }, false), false);
    for (const work of after) work();
  }

  /** Returns the parameters of the response, or the EZSP status of a wrong command. */
  #answer(parts: EmberParts, { id, isExtended, parameters }: EzspFrame): Uint8Array | number {
    const refusal = this.faults.refusalOf(noSubsystem, id);
    if (refusal !== null) return wire().u8(refusal, 0).u32(0).done();
    if (id === frameId.version) this.#isVersionSet = isExtended && parameters[0] === protocolVersion;
    else if (!this.#isVersionSet) return ezspStatus.versionNotSet;
    const command = commands[id];
    return command ? carriedOut(command, parts, parameters) : ezspStatus.invalidFrameId;
  }

  #tell(id: number, parameters: Uint8Array): void {
    const frame = { sequence: this.#sequence, id, isExtended: true, parameters };
    this.#link.send(encodeResponse(frame, true), true);
  }

  #send(frame: Uint8Array): void {
    const write = this.#write;
    if (write) this.faults.send(frame, (sent) => this.#write === write && write(sent));
  }
}

function parsed(data: Uint8Array): EzspFrame | null {
  try {
    return parseCommand(data);
  } catch {
    return null;
  }
}

function carriedOut(command: Command, parts: EmberParts, parameters: Uint8Array): Uint8Array | number {
  try {
    return command(parts, new ByteReader(parameters)).done();
  } catch (error) {
    if (error instanceof RangeError) return ezspStatus.truncated;
    throw error;
  }
}
