import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type AdapterRequest,
  type DeviceCommand,
  type NativeId,
  type Pairing,
  type RequestTable,
} from "@ledge/port";
import { lineSource } from "@ledge/serial";
import { Attached } from "./attached.ts";
import { catalogue, newCode, wayOf } from "./catalogue.ts";
import { type Coded, heardBy, nativeOf } from "./device.ts";
import { Finds } from "./finds.ts";
import { Gateway } from "./gateway.ts";
import { Kept } from "./kept.ts";
import { MqttSource } from "./mqtt-source.ts";
import { orderFor } from "./orders.ts";
import type { Place, PlaceEvents } from "./place.ts";
import { ProgramSource } from "./program-source.ts";
import { Receiver } from "./receiver.ts";
import { readSettings, type ReceiverSettings, type Settings } from "./settings.ts";
import type { Signal } from "./signal.ts";

/**
 * Makes the adapter for what speaks on 433 MHz: sockets, remotes, detectors and sensors, heard and commanded by an RFLink gateway, and heard
 * by rtl_433. A device's native id is `<place>/<protocol>.<address>[.<unit>]`, or `<place>/<id>` of one that the settings name;
 * its radio is the name of the gateway or receiver.
 * @param random 0..1, spreads attempts to open, and makes up codes
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new Rf433Adapter(random);
}

interface Running {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly settings: Settings;
  readonly places: readonly Place[];
  readonly upPlaces: Set<string>;
  readonly devices: Map<NativeId, Attached>;
  /** Removed devices of the settings, which a search finds again. */
  readonly forgotten: Map<NativeId, Attached>;
  readonly finds: Finds;
}

/** How often silence is looked for. */
const lookMs = 30_000;
/** How long somebody has for pressing a key. */
const listenMs = 60_000;

class Rf433Adapter implements Adapter {
  readonly protocol = "rf433";
  /** A gateway sends one code at a time. */
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;
  #stopLooking: () => void = () => {};
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    const { gateways, receivers } = settings;
    const places = [
      ...gateways.map(
        (gateway) =>
          new Gateway({ settings: gateway, host, random: this.#random, ...this.#events(gateway.name) }),
      ),
      ...receivers.map((receiver) => this.#receiver(receiver, host)),
    ];
    const kept = new Kept(host.store);
    const collections = { devices: new Map(), forgotten: new Map(), upPlaces: new Set<string>() };
    const running = { host, kept, settings, places, finds: new Finds(host), ...collections };
    this.#running = running;
    for (const [index, { devices }] of [...gateways, ...receivers].entries()) {
      const place = places[index] as Place;
      for (const device of devices) attach(running, place, withKnown(kept, place.name, device));
      for (const device of kept.pairedAt(place.name)) attach(running, place, device);
    }
    for (const place of places) place.start();
    this.#look(running);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#stopLooking();
    if (running !== undefined) {
      running.finds.stop();
      for (const device of running.devices.values()) device.stop();
      this.#stopped = Promise.all(running.places.map((place) => place.stop()));
    }
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { devices, upPlaces } = this.#now();
    const attached = devices.get(native);
    if (attached === undefined) throw new AdapterError("refused", `no device ${native}`);
    const { place, device } = attached;
    if (command.type === "refresh") {
      if (!upPlaces.has(place.name)) throw new AdapterError("unreachable", `${place.name} is not there`);
      return attached.repeat();
    }
    if (command.type !== "set" || place.send === undefined)
      throw new AdapterError("unsupported", `a ${device.kind} takes no ${command.type}`);
    const { order, shows } = orderFor(device.kind, command.attributes);
    const { protocol, address, unit = "0" } = device;
    await place.send({ protocol, address, unit, order }, signal);
    // Nothing answers: what was sent counts as what is.
    attached.show(shows);
  }

  /** Deletes a paired device for good; a search finds a device of the settings again. */
  async forget(native: NativeId): Promise<void> {
    const attached = this.#running?.devices.get(native);
    if (this.#running === undefined || attached === undefined) return;
    const { devices, forgotten, kept } = this.#running;
    devices.delete(native);
    attached.stop();
    if (!(await kept.unpair(native))) forgotten.set(native, attached);
  }

  readonly pairing: Pairing = {
    open: async (windowMs) => {
      const { finds, forgotten } = this.#now();
      finds.open(windowMs);
      for (const { place, device } of forgotten.values()) finds.offer(place, device);
    },
    close: async () => this.#running?.finds.close(),
    keep: async (native) => {
      const running = this.#now();
      const present = running.devices.get(native);
      if (present !== undefined) return present.announce();
      const find = running.finds.take(native);
      if (find === undefined) throw new AdapterError("refused", `no device ${native}`);
      if (!running.forgotten.delete(native)) await running.kept.pair(find.place.name, native, find.device);
      attach(running, find.place, find.device);
      // It may have been heard again meanwhile.
      running.finds.take(native);
    },
    discard: async (native) => {
      this.#running?.finds.take(native);
    },
  };

  readonly requests: RequestTable = {
    GET_433_DEVICES: async () => {
      const { places } = this.#now();
      return places.length === 0 ? [] : catalogue(places.some((place) => place.teach !== undefined));
    },
    PAIR_433: (request, signal) => this.#pair(request, signal),
  };

  async #pair({ id }: AdapterRequest, signal: AbortSignal): Promise<true> {
    const running = this.#now();
    const { finds, places, upPlaces } = running;
    const way = wayOf(String(id));
    if (way === undefined) throw new AdapterError("refused", `id: no kind ${String(id)}`);
    const keep = ({ place, device }: { readonly place: Place; readonly device: Coded }): void =>
      void this.#keep(running, place, device).catch((error: unknown) =>
        running.host.log("warn", "a device was not kept", { reason: (error as Error).message }),
      );
    if (way.by === "listening") {
      finds.await(way.kind, listenMs, keep);
      return true;
    }
    const gateway = places.find((place) => place.teach !== undefined && upPlaces.has(place.name));
    if (gateway?.teach === undefined) throw new AdapterError("unreachable", "no gateway is there");
    const device = newCode(way, this.#random);
    await gateway.teach(way.lesson(device.address, way.unit), signal);
    if (finds.isOpen) finds.offer(gateway, device);
    else await this.#keep(running, gateway, device);
    return true;
  }

  /** Makes a device of a code that no search shows. */
  async #keep(running: Running, place: Place, device: Coded): Promise<void> {
    await running.kept.pair(place.name, nativeOf(place.name, device), device);
    if (this.#running === running) attach(running, place, device);
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  #receiver({ name, source }: ReceiverSettings, host: AdapterHost): Receiver {
    const { clock } = host;
    const lines =
      source.type === "program"
        ? new ProgramSource(source, clock, this.#random)
        : source.type === "mqtt"
          ? new MqttSource(source, clock)
          : lineSource(source, clock, this.#random);
    return new Receiver({ name, source: lines, host, ...this.#events(name) });
  }

  #events(name: string): PlaceEvents {
    return {
      onSignal: (signal) => this.#hear(name, signal),
      onChange: (isUp) => {
        const { devices, upPlaces } = this.#running ?? {};
        if (isUp) upPlaces?.add(name);
        else upPlaces?.delete(name);
        for (const device of devices?.values() ?? [])
          if (device.place.name === name) device.placeChanged(isUp);
      },
    };
  }

  #hear(name: string, signal: Signal): void {
    const running = this.#running;
    const place = running?.places.find((each) => each.name === name);
    if (running === undefined || place === undefined) return;
    const { devices, finds } = running;
    let isKnown = false;
    for (const device of devices.values()) {
      const heard = device.place === place ? heardBy(device.device, signal) : undefined;
      if (heard === undefined) continue;
      isKnown = true;
      device.take(heard);
    }
    finds.hear(place, signal, isKnown, (native) => devices.has(native));
  }

  #look(running: Running): void {
    const { host, devices, settings } = running;
    const now = host.clock.now();
    for (const { name, silentAfterMs } of [...settings.gateways, ...settings.receivers])
      for (const device of devices.values()) if (device.place.name === name) device.look(now, silentAfterMs);
    const shortest = Math.min(
      lookMs,
      ...[...settings.gateways, ...settings.receivers].map(({ silentAfterMs }) => silentAfterMs),
    );
    this.#stopLooking = host.clock.after(shortest, () => this.#look(running));
  }
}

function attach(running: Running, place: Place, device: Coded): void {
  const { host, kept, devices, upPlaces } = running;
  const native = nativeOf(place.name, device);
  if (devices.has(native)) return;
  const onGrown = (grown: Coded): void =>
    void kept
      .know(native, grown)
      .catch((error: unknown) => host.log("warn", "not stored", { reason: String(error) }));
  const attached = new Attached({ host, native, place, device, onGrown });
  devices.set(native, attached);
  if (upPlaces.has(place.name)) attached.placeChanged(true);
}

/** Returns a device of the settings with what it has shown of itself in earlier runs. */
function withKnown(kept: Kept, place: string, device: Coded): Coded {
  const known = kept.known(nativeOf(place, device));
  if (known?.kind !== device.kind) return device;
  return { ...known, ...device };
}
