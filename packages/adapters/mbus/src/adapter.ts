import type { Identity } from "@ledge/mbus";
import type { Capability, ExtraDescription } from "@ledge/model";
import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type DeviceCommand,
  type DeviceDescription,
  type NativeId,
  type Pairing,
  type RequestTable,
} from "@ledge/port";
import { lineSource, serialRequests } from "@ledge/serial";
import { Kept, type Known, type Paired } from "./kept.ts";
import type { Reading } from "./meter-map.ts";
import type { Place, PlaceEvents } from "./place.ts";
import { Receiver } from "./receiver.ts";
import {
  baudRates,
  type MeterSettings,
  type PortSettings,
  readSettings,
  type ReceiverSettings,
  type SerialFormat,
  serialPorts,
} from "./settings.ts";
import { Station } from "./station.ts";

/**
 * Makes the adapter for meters on M-Bus (EN 13757-2 to -4): wired, at level converters and gateways, and wireless, at receivers. Its devices are the meters
 * of its settings and those that a search found. A meter's native id is `<port name>/<meter id>`; its radio is the port name.
 * @param random 0..1, spreads reconnections
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new MbusAdapter(random);
}

/** A meter that is a device. */
interface Attached {
  readonly place: Place;
  readonly settings: MeterSettings;
  known: Known | undefined;
}

interface Running {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly ports: readonly PortSettings[];
  readonly places: readonly Place[];
  readonly meters: Map<NativeId, Attached>;
  /** Forgotten meters of the settings, which a window finds again. */
  readonly forgotten: Map<NativeId, Attached>;
  /** What a search found and nobody has kept yet. */
  readonly found: Map<NativeId, { readonly paired: Paired; readonly known: Known }>;
}

class MbusAdapter implements Adapter {
  readonly protocol = "mbus";
  /** A bus carries one request at a time. */
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;
  /** The search of the open window. */
  #search: AbortController | undefined;
  #stopTimer: () => void = () => {};
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const kept = new Kept(host.store);
    const { ports, receivers } = kept.merged(readSettings(host.settings));
    const stations = ports.map((port) => this.#station(port, host));
    const places = [...stations, ...receivers.map((receiver) => this.#receiver(receiver, host))];
    const collections = { meters: new Map(), forgotten: new Map(), found: new Map() };
    this.#running = { host, kept, ports, places, ...collections };
    for (const [index, { meters }] of [...ports, ...receivers].entries())
      for (const settings of meters) attach(this.#running, places[index] as Place, settings);
    for (const place of places) place.start();
  }

  async stop(): Promise<void> {
    const { places = [] } = this.#running ?? {};
    this.#running = undefined;
    this.#endSearch();
    if (places.length > 0) this.#stopped = Promise.all(places.map((place) => place.stop()));
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const meter = this.#now().meters.get(native);
    if (meter === undefined) throw new AdapterError("refused", `no meter ${native}`);
    if (command.type !== "refresh") throw new AdapterError("unsupported", `a meter knows no ${command.type}`);
    await meter.place.read(native, signal);
  }

  /** Deletes a meter that was found for good; a window can find a meter of the settings again. */
  async forget(native: NativeId): Promise<void> {
    const meter = this.#running?.meters.get(native);
    if (this.#running === undefined || meter === undefined) return;
    const { meters, forgotten, kept } = this.#running;
    meters.delete(native);
    meter.place.forget(native);
    const wasPaired = await kept.unpair(meter.place.name, meter.settings.id);
    if (!wasPaired) forgotten.set(native, meter);
  }

  readonly pairing: Pairing = {
    open: async (windowMs) => {
      const running = this.#now();
      const { host, places, forgotten } = running;
      const isOpen = this.#search !== undefined;
      const search = (this.#search ??= new AbortController());
      this.#stopTimer();
      this.#stopTimer = host.clock.after(windowMs, () => this.#endSearch());
      for (const [native, { known, place, settings }] of forgotten)
        if (known !== undefined) tellFound(host, descriptionOf(native, place.name, settings.name, known));
      // A search takes longer than the time between two calls of a client that watches it.
      if (isOpen) return;
      for (const place of places) void this.#searchAt(running, place, search.signal);
    },
    close: async () => this.#endSearch(),
    keep: async (native) => {
      const running = this.#now();
      const { forgotten, found, meters, kept, host, places } = running;
      const old = forgotten.get(native);
      const fresh = found.get(native);
      const present = meters.get(native);
      if (present?.known !== undefined)
        host.announce(descriptionOf(native, present.place.name, present.settings.name, present.known));
      else if (old !== undefined) {
        forgotten.delete(native);
        attach(running, old.place, old.settings);
      } else if (fresh !== undefined) {
        const { port, id, name, address } = fresh.paired;
        const place = places.find((each) => each.name === port) as Place;
        await kept.pair(fresh.paired);
        await kept.setKnown(native, fresh.known);
        found.delete(native);
        attach(running, place, { id, name, address });
      } else throw new AdapterError("refused", `no meter ${native}`);
    },
    discard: async (native) => {
      this.#running?.found.delete(native);
    },
  };

  readonly requests: RequestTable = {
    ...serialRequests({
      controllerType: "SERIAL_MBUS_CONTROLLER",
      baudRates,
      ports: () => serialPorts(this.#now().ports),
      change: (name, format) => this.#setFormat(name, format),
    }),
  };

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  async #setFormat(port: string, format: SerialFormat): Promise<void> {
    const { host, kept } = this.#now();
    await kept.setSerial(port, format);
    // A port gets its format when it is opened.
    await this.stop();
    await this.start(host);
  }

  #endSearch(): void {
    this.#stopTimer();
    this.#search?.abort();
    this.#search = undefined;
  }

  #station(port: PortSettings, host: AdapterHost): Station {
    return new Station({ port, host, random: this.#random, ...this.#events(host) });
  }

  #receiver(settings: ReceiverSettings, host: AdapterHost): Receiver {
    const source = lineSource(settings.source, host.clock, this.#random);
    return new Receiver({ settings, source, host, ...this.#events(host) });
  }

  #events(host: AdapterHost): PlaceEvents {
    return {
      onReading: (native, reading) => this.#tell(native, reading),
      onUnreachable: (native) => {
        if (this.#running?.meters.get(native)?.known !== undefined)
          host.report({ native, attributes: { reachable: false } });
      },
    };
  }

  /** Reports a reading. The first one says what the meter is; later ones may add to that. */
  #tell(native: NativeId, { attributes, ...told }: Reading): void {
    const running = this.#running;
    const meter = running?.meters.get(native);
    if (running === undefined || meter === undefined) return;
    const { host, kept } = running;
    const known = grown(meter.known, told);
    if (known !== meter.known) {
      meter.known = known;
      host.announce(descriptionOf(native, meter.place.name, meter.settings.name, known));
      kept
        .setKnown(native, known)
        .catch((error: unknown) => host.log("warn", "not stored", { reason: String(error) }));
    }
    host.report({ native, attributes: { reachable: true, ...attributes } });
  }

  async #searchAt(running: Running, place: Place, signal: AbortSignal): Promise<void> {
    const { host } = running;
    try {
      await place.search(signal, (meter, reading) => findIn(running, place, meter, reading));
    } catch (error) {
      if (error instanceof AdapterError && ["cancelled", "stopped"].includes(error.code)) return;
      host.log("warn", "the search has failed", {
        place: place.name,
        reason: (error as Error).message,
      });
    }
  }
}

/** Adds a meter: announces it if it is known, and reads it when it is due. */
function attach({ host, kept, meters }: Running, place: Place, settings: MeterSettings): void {
  const native = nativeOf(place.name, settings.id);
  const known = kept.knownOf(native);
  meters.set(native, { place, settings, known });
  if (known !== undefined) host.announce(descriptionOf(native, place.name, settings.name, known));
  place.add(native, settings);
}

/** Tells of a meter that a search found, unless it is a device already. */
function findIn(
  running: Running,
  { name: place }: Place,
  meter: Identity,
  reading: Reading | undefined,
): void {
  const { host, meters, found, forgotten } = running;
  const { manufacturer, version, medium } = meter;
  const here = [...meters.values(), ...forgotten.values()].filter(
    (attached) => attached.place.name === place,
  );
  if (here.some((attached) => isOne(attached, meter))) return;
  const id = `${meter.id}.${manufacturer}.${version}.${medium}`;
  const native = nativeOf(place, id);
  if (reading === undefined) {
    host.found({ native, description: null, status: "CONNECTING", actionRequired: false, help: null });
    return;
  }
  const { attributes: _, ...known } = reading;
  const name = `${known.model ?? manufacturer} ${meter.id}`;
  found.set(native, { paired: { port: place, id, name, address: { ...meter } }, known });
  tellFound(host, descriptionOf(native, place, name, known));
}

/** Whether a device is this meter: by what it said of itself, or by its serial. */
function isOne({ settings: { address }, known }: Attached, meter: Identity): boolean {
  if (known?.meter !== undefined) {
    const { id, manufacturer, version, medium } = known.meter;
    return (
      id === meter.id &&
      manufacturer === meter.manufacturer &&
      version === meter.version &&
      medium === meter.medium
    );
  }
  if (typeof address === "number") return false;
  return address.id === meter.id && (address.manufacturer ?? meter.manufacturer) === meter.manufacturer;
}

function tellFound(host: AdapterHost, description: DeviceDescription): void {
  const { native } = description;
  host.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
}

function nativeOf(port: string, id: string): NativeId {
  return `${port}/${id}`;
}

function descriptionOf(native: NativeId, radio: string, name: string, known: Known): DeviceDescription {
  const { capabilities, extras, manufacturer, model } = known;
  const shown = { native, radio, class: "MULTI_SENSOR", name, manufacturer, model, capabilities } as const;
  return extras.length === 0 ? shown : { ...shown, stateExtras: extras };
}

/** What is known of a meter after a further reading: nothing goes, because a meter leaves out what it has no value for. */
function grown(known: Known | undefined, told: Known): Known {
  if (known === undefined) return told;
  const capabilities: readonly Capability[] = [...new Set([...known.capabilities, ...told.capabilities])];
  const fresh = told.extras.filter(({ name }) => !known.extras.some((extra) => extra.name === name));
  const extras: readonly ExtraDescription[] = [...known.extras, ...fresh];
  const isSame = capabilities.length === known.capabilities.length && fresh.length === 0;
  return isSame ? known : { ...known, capabilities, extras };
}
