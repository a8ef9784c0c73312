import type { Ieee } from "../air.ts";
import { ByteReader, unlessTooShort, wire } from "../bytes.ts";
import type { CoordinatorStickOptions, StickImage } from "../coordinator-stick.ts";
import type { HostLine } from "../../serial/serve.ts";
import { noSubsystem } from "../../serial/line-faults.ts";
import { SimulatedStick } from "../simulated-stick.ts";
import { commands, type Answer, type DeconzParts } from "./commands.ts";
import { encodeFrame, parseFrame, type DeconzFrame } from "./frame.ts";
import { Parameters } from "./parameters.ts";
import { command, commandStatus } from "./protocol.ts";
import { DeconzRadio } from "./radio.ts";
import { encodeSlip, SlipReader } from "./slip.ts";

/** A ConBee II by dresden elektronik, as seen on its serial line. It resumes its network without a host. */
export class DeconzStick extends SimulatedStick<DeconzRadio> {
  readonly kind = "deconz";
  readonly #parameters: Parameters;
  readonly #reader = new SlipReader();
  #cancelWatchdog: () => void = () => {};
  /** Number of the last message that the host has not asked for. */
  #sequence = 0;
  /** The device state that the host knows. */
  #toldState: number | null = null;

  constructor(options: CoordinatorStickOptions) {
    super(options);
    this.#parameters = new Parameters(options.nvram, options.ieee ?? "0x00212effff000001");
    this.power(true);
  }

  get ieee(): Ieee {
    return this.#parameters.ieee;
  }

  save(): StickImage {
    return this.#parameters.save();
  }

  override connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#reader.reset();
    return super.connect(write);
  }

  protected override received(bytes: Uint8Array): void {
    for (const content of this.#reader.push(bytes)) {
      const frame = parseFrame(content);
      if (frame) this.#carryOut(frame);
    }
  }

  protected override boot(): void {
    this.#toldState = null;
    const radio = new DeconzRadio(this.air, this.#parameters, () => this.#tellState());
    this.radio = radio;
    const network = this.#parameters.network();
    if (network) radio.start(network);
  }

  protected override stop(): void {
    this.#cancelWatchdog();
    super.stop();
  }

  #carryOut(frame: DeconzFrame): void {
    const radio = this.radio;
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
    const tooShort: Answer = [commandStatus.invalidValue, wire()];
    const [status, answer] = unlessTooShort(() => carryOut(parts, new ByteReader(payload)), tooShort);
    return [status, answer.done()];
  }

  #watch(seconds: number): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.air.clock.after(seconds * 1000, () => this.restart());
  }

  /** Tells the host that the device state has changed. */
  #tellState(): void {
    const state = this.radio?.deviceState ?? 0;
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
    this.send(encodeSlip(encodeFrame(frame)));
  }
}
