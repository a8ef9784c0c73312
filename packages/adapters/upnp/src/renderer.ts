import {
  AdapterError,
  type AdapterHost,
  type DeviceDescription,
  type NativeId,
  pause,
  reopenDelay,
} from "@ledge/port";
import { addressOf, type Place, type Reach } from "@ledge/soap";
import { type Described, readDescription } from "./answers.ts";
import { adapterErrorOfDevice, Control, fetchText } from "./control.ts";
import { type Abilities, abilitiesOf, capabilitiesOf, command, readPlayer } from "./player.ts";

/** What all renderers of an adapter share. */
export interface Surroundings {
  readonly host: AdapterHost;
  readonly reach: Reach;
  readonly pollEveryMs: number;
  /** 0..1, spreads attempts to reach a renderer. */
  readonly random: () => number;
  readonly keep: (native: NativeId, known: Known) => void;
}

/** What a renderer is, without what its state is. Plain data. */
export interface Known {
  readonly udn: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly abilities: Abilities;
}

/** Which renderer it is. `udn`: of the device, if it may be no other. */
export interface Which {
  readonly native: NativeId;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly udn: string | undefined;
  readonly known: Known | undefined;
}

interface Connection {
  readonly control: Control;
  readonly abilities: Abilities;
}

export function descriptionOf(native: NativeId, name: string, known: Known): DeviceDescription {
  const { manufacturer, model, abilities } = known;
  const capabilities = capabilitiesOf(abilities);
  return { native, radio: native, class: "MEDIA_RENDERER", name, manufacturer, model, capabilities };
}

/** Asks a device at a place what it is and can do. @throws AdapterError */
export async function connect(
  place: Place,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly control: Control; readonly described: Described; readonly known: Known }> {
  const described = rendererIn(await fetchText(place, path, signal));
  const control = new Control(place, described);
  const abilities = await abilitiesOf(control, place, signal);
  const { udn, manufacturer, model } = described;
  return { control, described, known: { udn, manufacturer, model, abilities } };
}

function rendererIn(text: string): Described {
  let described: Described | undefined;
  try {
    described = readDescription(text);
  } catch (error) {
    throw adapterErrorOfDevice(error);
  }
  if (described?.services.AVTransport === undefined)
    throw new AdapterError("refused", "no renderer that can be controlled");
  return described;
}

/** One renderer: asks it what it plays, and again when it was lost. */
export class Renderer {
  readonly which: Which;
  readonly #around: Surroundings;
  readonly #stop = new AbortController();
  #known: Known | undefined;
  #connection: Connection | undefined;
  readonly #done: Promise<void>;
  readonly #tried = Promise.withResolvers<void>();

  constructor(which: Which, around: Surroundings) {
    this.which = which;
    this.#around = around;
    this.#known = which.known;
    this.announce();
    this.#done = this.#run();
  }

  /** Resolves when it is connected, or the first attempt has failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  get known(): Known | undefined {
    return this.#known;
  }

  announce(): void {
    const { native, name } = this.which;
    if (this.#known !== undefined) this.#around.host.announce(descriptionOf(native, name, this.#known));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Asks it something. @throws AdapterError */
  async ask<T>(
    question: (control: Control, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { control } = this.#connected();
    try {
      return await question(control, AbortSignal.any([signal, this.#stop.signal]));
    } catch (error) {
      if (this.#stop.signal.aborted) throw new AdapterError("stopped", "the adapter has stopped");
      throw error;
    }
  }

  /** Carries out a command, and reports what has come of it. @throws AdapterError */
  async set(attributes: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const { abilities } = this.#connected();
    await this.ask((control, ends) => command(control, abilities, attributes, ends), signal);
    await this.refresh(signal);
  }

  /** @throws AdapterError */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.ask(() => this.#report(AbortSignal.any([signal, this.#stop.signal])), signal);
  }

  async #run(): Promise<void> {
    const { host, random, pollEveryMs } = this.#around;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await this.#connect(signal);
        attempt = 0;
        for (;;) {
          await this.#report(signal);
          this.#tried.resolve();
          await pause(host.clock, pollEveryMs, signal);
          if (signal.aborted) break;
        }
      } catch (error) {
        if (!signal.aborted) this.#lost(error as Error, attempt === 0 || this.#connection !== undefined);
      }
      this.#connection = undefined;
      this.#tried.resolve();
      if (!signal.aborted) await pause(host.clock, reopenDelay(attempt, random()), signal);
    }
    host.log("debug", "renderer stopped", { renderer: this.which.native });
  }

  #lost(error: Error, isNews: boolean): void {
    const { host } = this.#around;
    const { native } = this.which;
    if (this.#known !== undefined) host.report({ native, attributes: { reachable: false, isOn: false } });
    if (isNews) host.log("warn", "renderer lost", { renderer: native, reason: error.message });
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { native, host, port, path, udn } = this.which;
    const place = { address: await addressOf(host, this.#around.reach), port };
    const { control, known } = await connect(place, path, signal);
    const expected = udn ?? this.#known?.udn;
    if (expected !== undefined && expected !== known.udn)
      throw new AdapterError("refused", "another renderer answers at this address");
    if (JSON.stringify(known) !== JSON.stringify(this.#known)) this.#around.keep(native, known);
    this.#known = known;
    this.announce();
    this.#connection = { control, abilities: known.abilities };
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { control, abilities } = this.#connected();
    const attributes = await readPlayer(control, abilities, signal);
    this.#around.host.report({ native: this.which.native, attributes: { reachable: true, ...attributes } });
  }

  #connected(): Connection {
    if (this.#connection === undefined)
      throw new AdapterError("unreachable", "the renderer is not connected");
    return this.#connection;
  }
}
