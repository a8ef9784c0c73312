import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type AdapterStore,
  type DeviceCommand,
  type NativeId,
  type Pairing,
  type RequestTable,
} from "@ledge/port";
import { browse, readQueue } from "./player.ts";
import { connect, descriptionOf, type Known, Renderer, type Surroundings, type Which } from "./renderer.ts";
import { readSettings, type Settings } from "./settings.ts";
import { discover, type Located } from "./ssdp.ts";

/**
 * Makes the adapter for media renderers that speak UPnP AV.
 * @param random 0..1, spreads attempts to reach renderers
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new UpnpAdapter(random);
}

interface Running {
  readonly host: AdapterHost;
  readonly settings: Settings;
  readonly around: Surroundings;
  readonly renderers: Map<NativeId, Renderer>;
  /** Renderers that a search has found, or of the profile that were removed. */
  readonly found: Map<NativeId, Which>;
}

const pairedKey = "paired";
const pairedMax = 64;
const knownKey = (native: NativeId): string => `known/${native}`;
const searchEveryMs = 5000;
const listenMs = 2000;

class UpnpAdapter implements Adapter {
  readonly protocol = "upnp";
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;
  #search: AbortController | undefined;
  #cancelClose: () => void = () => {};

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    const { reach, pollEveryMs } = settings;
    const keep: Surroundings["keep"] = (native, known) =>
      void host.store
        .put(knownKey(native), known)
        .catch((error: unknown) => host.log("warn", "not stored", { reason: (error as Error).message }));
    const around = { host, reach, pollEveryMs, random: this.#random, keep };
    const renderers = new Map<NativeId, Renderer>();
    this.#running = { host, settings, around, renderers, found: new Map() };
    const named = settings.renderers.map(({ id, ...where }) => ({ ...where, native: id, udn: undefined }));
    for (const which of [...named, ...pairedIn(host.store)])
      renderers.set(
        which.native,
        new Renderer({ ...which, known: knownIn(host.store, which.native) }, around),
      );
    await Promise.all([...renderers.values()].map(({ tried }) => tried));
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#close();
    await Promise.all([...(running?.renderers.values() ?? [])].map((renderer) => renderer.stop()));
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const renderer = this.#renderer(native);
    if (signal.aborted) throw new AdapterError("cancelled", "nobody waits");
    if (command.type === "refresh") await renderer.refresh(signal);
    else if (command.type === "set") await renderer.set(command.attributes, signal);
    else throw new AdapterError("unsupported", `a renderer knows no ${command.type}`);
  }

  async forget(native: NativeId): Promise<void> {
    const running = this.#running;
    const renderer = running?.renderers.get(native);
    if (running === undefined || renderer === undefined) return;
    running.renderers.delete(native);
    const { host, settings, found } = running;
    if (settings.renderers.some(({ id }) => id === native))
      found.set(native, { ...renderer.which, known: renderer.known });
    await renderer.stop();
    await host.store.put(
      pairedKey,
      pairedIn(host.store).filter((each) => each.native !== native),
    );
  }

  readonly pairing: Pairing = {
    open: async (windowMs) => {
      const running = this.#now();
      this.#cancelClose();
      this.#cancelClose = running.host.clock.after(windowMs, () => this.#close());
      for (const which of running.found.values()) tell(running, which);
      if (this.#search !== undefined) return;
      this.#search = new AbortController();
      this.#round(running, this.#search.signal, new Set());
    },
    close: async () => this.#close(),
    keep: async (native) => {
      const running = this.#now();
      const { host, renderers, found, settings, around } = running;
      const present = renderers.get(native);
      const which = found.get(native);
      if (present !== undefined) return present.announce();
      if (which === undefined) throw new AdapterError("refused", `no renderer ${native}`);
      if (!settings.renderers.some(({ id }) => id === native)) await pair(host.store, which);
      found.delete(native);
      if (this.#running === running) renderers.set(native, new Renderer(which, around));
    },
    discard: async (native) => {
      this.#running?.found.delete(native);
    },
  };

  readonly requests: RequestTable = {
    GET_CD: async ({ native, objectId = "0", start = 0, count = 100 }, signal) => {
      const folder = { objectId: String(objectId), start: Number(start), count: Number(count) };
      return await this.#renderer(String(native)).ask(
        (control, ends) => browse(control, folder, ends),
        signal,
      );
    },
    GET_QUEUE: async ({ native }, signal) => await this.#renderer(String(native)).ask(readQueue, signal),
  };

  #close(): void {
    this.#cancelClose();
    this.#search?.abort();
    this.#search = undefined;
  }

  #round(running: Running, signal: AbortSignal, seen: Set<string>): void {
    const { host, settings } = running;
    if (signal.aborted || settings.discovery === undefined) return;
    const enough = new AbortController();
    const cancel = host.clock.after(listenMs, () => enough.abort());
    const consider = (located: Located): void => void this.#consider(running, located, signal, seen);
    void discover(
      settings.discovery,
      settings.reach,
      consider,
      AbortSignal.any([signal, enough.signal]),
    ).then(cancel);
    const cancelNext = host.clock.after(searchEveryMs, () => this.#round(running, signal, seen));
    signal.addEventListener("abort", cancelNext, { once: true });
  }

  async #consider(
    running: Running,
    { place, path }: Located,
    signal: AbortSignal,
    seen: Set<string>,
  ): Promise<void> {
    const key = `${place.address} ${place.port} ${path}`;
    if (seen.has(key)) return;
    seen.add(key);
    try {
      const { described, known } = await connect(place, path, signal);
      const { udn, name } = described;
      const isPresent = [...running.renderers.values()].some((each) => each.known?.udn === udn);
      if (signal.aborted || isPresent) return;
      const which = { native: udn, name, host: place.address, port: place.port, path, udn, known };
      running.found.set(udn, which);
      tell(running, which);
    } catch (error) {
      running.host.log("debug", "a device is no renderer", { reason: (error as Error).message });
    }
  }

  #renderer(native: NativeId): Renderer {
    const renderer = this.#now().renderers.get(native);
    if (renderer === undefined) throw new AdapterError("refused", `no renderer ${native}`);
    return renderer;
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }
}

function tell({ host }: Running, { native, name, known }: Which): void {
  if (known === undefined) return;
  const description = descriptionOf(native, name, known);
  host.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
}

function pairedIn(store: AdapterStore): readonly Omit<Which, "known">[] {
  const paired = store.get(pairedKey);
  return Array.isArray(paired) ? (paired as Which[]) : [];
}

function knownIn(store: AdapterStore, native: NativeId): Known | undefined {
  return (store.get(knownKey(native)) as Known | null | undefined) ?? undefined;
}

/** @throws AdapterError */
async function pair(store: AdapterStore, { known, ...which }: Which): Promise<void> {
  const paired = pairedIn(store).filter(({ native }) => native !== which.native);
  if (paired.length >= pairedMax) throw new AdapterError("refused", `more than ${pairedMax} renderers`);
  try {
    await store.put(knownKey(which.native), known ?? null);
    await store.put(pairedKey, [...paired, which]);
  } catch (cause) {
    throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
  }
}
