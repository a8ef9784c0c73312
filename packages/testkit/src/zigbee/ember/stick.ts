import type { Ieee } from "../air.ts";
import { ByteReader, unlessTooShort, wire } from "../bytes.ts";
import type { CoordinatorStickOptions, StickImage } from "../coordinator-stick.ts";
import { noSubsystem } from "../../serial/line-faults.ts";
import { SimulatedStick } from "../simulated-stick.ts";
import { AshLink, resetCode } from "./ash-link.ts";
import type { Commands, EmberParts } from "./commands.ts";
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

/**
 * A coordinator stick with Silicon Labs' EmberZNet 7.4 (EZSP 13 over ASH), as seen on its serial line. It tells the
 * host when it has restarted, and waits until the host starts it again.
 */
export class EmberStick extends SimulatedStick<EmberRadio> {
  readonly kind = "ember";
  readonly #memory: EmberMemory;
  readonly #link: AshLink;
  /** Whether the host has asked for the protocol version that it uses from then on. */
  #isVersionSet = false;
  #sequence = 0;

  constructor(options: CoordinatorStickOptions) {
    super(options);
    this.#memory = new EmberMemory(options.nvram, options.ieee ?? "0x60a423fffe000001");
    this.#link = new AshLink(this.air.clock, {
      write: (frame) => this.send(frame),
      received: (data) => this.#carryOut(data),
      resetWanted: () => this.#reset(),
    });
    this.power(true);
  }

  get ieee(): Ieee {
    return this.#memory.ieee;
  }

  save(): StickImage {
    return this.#memory.save();
  }

  protected override received(bytes: Uint8Array): void {
    if (this.radio) this.#link.receive(bytes);
  }

  protected override boot(): void {
    this.#start(resetCode.powerOn);
  }

  protected override stop(): void {
    super.stop();
    this.#link.close();
  }

  #reset(): void {
    this.stop();
    this.#start(resetCode.software);
  }

  #start(code: number): void {
    this.#memory.start();
    this.radio = new EmberRadio(this.air, this.#memory, (id, parameters) => this.#tell(id, parameters));
    this.#isVersionSet = false;
    this.#link.restart(code);
  }

  #carryOut(data: Uint8Array): void {
    const radio = this.radio;
    const frame = unlessTooShort(() => parseCommand(data), null);
    if (!radio || !frame) return;
    this.#sequence = frame.sequence;
    const after: (() => void)[] = [];
    const parts: EmberParts = {
      memory: this.#memory,
      radio,
      tell: (id, told) => this.#tell(id, told),
      afterwards: (work) => void after.push(work),
      reset: () => this.#reset(),
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
    if (!command) return ezspStatus.invalidFrameId;
    return unlessTooShort(() => command(parts, new ByteReader(parameters)).done(), ezspStatus.truncated);
  }

  #tell(id: number, parameters: Uint8Array): void {
    const frame = { sequence: this.#sequence, id, isExtended: true, parameters };
    this.#link.send(encodeResponse(frame, true), true);
  }
}
