import { existsSync } from "node:fs";
import type { PortedStick, StickWanted, Sticks as StickPort } from "@ledge/api";
import { invalid, Refused } from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import type { Command, Stick } from "@ledge/model";
import type { KnownStick, NetworkStick, RadioDriver, RadioProtocol, SerialPort } from "@ledge/serial";
import { drivers, listPorts, matchStick } from "@ledge/serial";
import { isAdapterOn } from "../adapters/adapter-features.ts";
import type { NetworkSticks } from "./network-sticks.ts";
import { portKey, portsIn, schemeOf } from "./ports-in.ts";

/** Protocols whose adapters use a stick as their radio. */
export const radioProtocols = Object.keys(drivers) as readonly RadioProtocol[];

export interface SticksHost {
  readonly kernel: Kernel;
  /** The settings of adapters by protocol, of those too that are off. */
  readonly adapters: Readonly<Record<string, unknown>>;
  /** The folder with /dev and /sys. */
  readonly systemRoot: string;
  readonly network: Pick<NetworkSticks, "list" | "at">;
}

/** Knows which adapter uses which stick: by the choice in the log, else by the profile. */
export class Sticks implements StickPort {
  readonly #host: SticksHost;

  constructor(host: SticksHost) {
    this.#host = host;
  }

  /** Returns the settings of an adapter with its chosen radio; undefined when the profile lacks the adapter. */
  settingsOf(protocol: string): unknown {
    const settings = this.#host.adapters[protocol];
    if (settings === undefined) return undefined;
    const taken = this.#host.kernel.get("stick", protocol);
    return taken === undefined ? settings : { ...(settings as object), radio: radioOf(taken) };
  }

  /** Returns the settings of all adapters, by protocol, of those too that are off. */
  settings(): Record<string, unknown> {
    const { adapters } = this.#host;
    return Object.fromEntries(Object.keys(adapters).map((protocol) => [protocol, this.settingsOf(protocol)]));
  }

  #used(): [protocol: string, settings: unknown][] {
    return Object.entries(this.settings()).filter(([protocol]) => isAdapterOn(protocol, this.#host.kernel));
  }

  /** Returns the adapters that are on, need a radio and have none. */
  withoutRadio(): readonly RadioProtocol[] {
    return radioProtocols.filter((protocol) => {
      if (!isAdapterOn(protocol, this.#host.kernel)) return false;
      const settings = this.settingsOf(protocol) as { readonly radio?: unknown } | null | undefined;
      return settings !== undefined && settings?.radio === undefined;
    });
  }

  /** Maps ports, by `portKey`, to the adapters that use them. */
  users(): ReadonlyMap<string, string> {
    const users = new Map<string, string>();
    for (const [protocol, settings] of this.#used())
      for (const port of portsIn(settings)) if (!users.has(portKey(port))) users.set(portKey(port), protocol);
    return users;
  }

  async list(): Promise<readonly PortedStick[]> {
    const ports = await listPorts(this.#host.systemRoot);
    const users = this.users();
    const there = ports.map((port) => portedStick(port, users.get(portKey(port.path)) ?? null));
    const remote = this.#host.network.list();
    const reached = remote.map((stick) => remoteStick(stick, users.get(portKey(stick.port)) ?? null));
    const keys = new Set([...ports.map(({ path }) => portKey(path)), ...remote.map(({ port }) => port)]);
    const elsewhere = this.#used().flatMap(([protocol, settings]) =>
      portsIn(settings)
        .filter((port) => !keys.has(portKey(port)))
        .map((port) => absentStick(port, protocol)),
    );
    return [...there, ...reached, ...elsewhere];
  }

  async taking(wanted: StickWanted): Promise<Command | Refused> {
    const { port, protocol } = wanted;
    if (!isRadioProtocol(protocol))
      return invalid([{ field: "protocol", message: `must be one of ${radioProtocols.join(", ")}` }]);
    if (!Object.hasOwn(this.#host.adapters, protocol))
      return new Refused(422, `the profile of this hub has no ${protocol} adapter`);
    if (!isAdapterOn(protocol, this.#host.kernel))
      return new Refused(
        422,
        `the ${protocol} adapter is off: this hub does not have its feature, or it is switched off`,
      );
    const scheme = schemeOf(port);
    if (scheme !== undefined) {
      if (!isRemote(port, scheme))
        return invalid([{ field: "port", message: `must be ${scheme}://host:port` }]);
      if (scheme === "esphome" && protocol !== "zwave")
        return invalid([{ field: "port", message: "reaches only Z-Wave sticks" }]);
      return this.#command(wanted, protocol, port, this.#host.network.at(port));
    }
    const ports = await listPorts(this.#host.systemRoot);
    const found = ports.find(
      ({ path, node }) => [path, node].includes(port) || portKey(path) === portKey(port),
    );
    if (found === undefined) return invalid([{ field: "port", message: "is no serial port of this hub" }]);
    const match = matchStick(found);
    return this.#command(
      wanted,
      protocol,
      found.path,
      match?.certainty === "unsure" ? undefined : match?.stick,
    );
  }

  #command(
    wanted: StickWanted,
    protocol: RadioProtocol,
    port: string,
    known: Recognised | undefined,
  ): Command | Refused {
    const user = this.users().get(portKey(port));
    if (user !== undefined && user !== protocol) return new Refused(422, `${port} is in use by ${user}`);
    const driver = wanted.driver ?? known?.driver;
    const choice = `one of ${drivers[protocol].join(", ")}`;
    if (driver === undefined)
      return invalid([
        { field: "driver", message: `must be given, as nobody knows what is there: ${choice}` },
      ]);
    if (wanted.driver === undefined && known?.protocol !== protocol)
      return invalid([{ field: "port", message: `is a ${known?.name}, which is for ${known?.protocol}` }]);
    if (!(drivers[protocol] as readonly string[]).includes(driver))
      return invalid([{ field: "driver", message: `must be ${choice}` }]);
    const fitting = known?.driver === driver ? known : undefined;
    const { baudRate = fitting?.baudRate ?? null, rtscts = fitting?.rtscts ?? null } = wanted;
    return { type: "TAKE_STICK", id: protocol, port, driver, baudRate, rtscts } as Command;
  }
}

/** What the hub knows of a stick that it has recognised. */
type Recognised = Pick<KnownStick, "name" | "protocol" | "baudRate" | "rtscts"> & {
  readonly driver?: RadioDriver | undefined;
};

function radioOf({ port, driver, baudRate, rtscts }: Stick): object {
  return {
    path: port,
    stick: driver,
    ...(baudRate !== null && { baudRate }),
    ...(rtscts !== null && { rtscts }),
  };
}

function isRadioProtocol(protocol: string): protocol is RadioProtocol {
  return Object.hasOwn(drivers, protocol);
}

function isRemote(text: string, scheme: string): boolean {
  const url = URL.parse(text);
  const isBare = url !== null && text === `${scheme}://${url.host}`;
  return isBare && url.hostname !== "" && url.port !== "" && url.port !== "0";
}

function portedStick(port: SerialPort, usedBy: string | null): PortedStick {
  const match = matchStick(port);
  const { path, node, vendorId, productId, manufacturer, product, serialNumber } = port;
  return {
    port: path,
    node,
    isThere: true,
    model: match?.stick.name ?? null,
    certainty: match?.certainty ?? null,
    protocol: match?.stick.protocol ?? null,
    driver: match?.stick.driver ?? null,
    vendorId,
    productId,
    manufacturer,
    product,
    serialNumber,
    usedBy,
  };
}

/** Describes a coordinator on the network. It says itself what it is. */
function remoteStick({ port, name, protocol, driver }: NetworkStick, usedBy: string | null): PortedStick {
  const certainty = driver === undefined ? "unsure" : "likely";
  const known = { isThere: true, model: name, certainty, protocol, driver: driver ?? null } as const;
  return { ...unknownStick(port), ...known, usedBy };
}

/** Describes a port in use that the machine does not list: unplugged, remote, or no hardware port. */
function absentStick(port: string, usedBy: string): PortedStick {
  return { ...unknownStick(port), isThere: schemeOf(port) === undefined ? existsSync(port) : null, usedBy };
}

function unknownStick(port: string): PortedStick {
  return {
    port,
    node: null,
    isThere: null,
    model: null,
    certainty: null,
    protocol: null,
    driver: null,
    vendorId: null,
    productId: null,
    manufacturer: null,
    product: null,
    serialNumber: null,
    usedBy: null,
  };
}
