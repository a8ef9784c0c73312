import { execFileSync } from "node:child_process";

/**
 * Networks between this machine and places in namespaces of their own, each with a wire that can be cut. Needs root.
 * A bridge joins all places with this machine; a place may have another wire for its clients alone.
 */
export class CutNetwork {
  readonly #net = `10.${128 + ((process.pid >> 8) & 127)}.${process.pid & 255}`;
  readonly #bridge = `lg${process.pid}`;
  readonly #places: Place[] = [];

  constructor() {
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("address", "add", `${this.here}/28`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
  }

  /** The address of this machine at the bridge. */
  get here(): string {
    return `${this.#net}.1`;
  }

  /** The network of the wires to clients. */
  get clients(): string {
    return `${this.#net}.16/28`;
  }

  /** Makes a place. @param hasClients whether it has a wire to its clients too, at the next address of theirs */
  place({ hasClients = false } = {}): Place {
    const at = this.#places.length;
    const name = `${this.#bridge}-${at}`;
    ip("netns", "add", name);
    ip("-n", name, "link", "set", "lo", "up");
    const wire = `${this.#bridge}s${at}`;
    const address = `${this.#net}.${2 + at}`;
    this.#lay(name, wire, address);
    ip("link", "set", wire, "master", this.#bridge);
    const clients = `${this.#net}.18`;
    if (hasClients) {
      this.#lay(name, `${this.#bridge}c${at}`, clients);
      ip("address", "add", `${this.#net}.17/28`, "dev", `${this.#bridge}c${at}`);
    }
    const place = new Place(name, wire, address, hasClients ? clients : undefined);
    this.#places.push(place);
    return place;
  }

  remove(): void {
    for (const { name } of this.#places) ip("netns", "delete", name);
    ip("link", "delete", this.#bridge);
  }

  #lay(name: string, wire: string, address: string): void {
    ip("link", "add", wire, "type", "veth", "peer", "name", "wire", "netns", name);
    ip("-n", name, "link", "set", "wire", "name", `to-${wire.slice(this.#bridge.length)}`);
    const inside = `to-${wire.slice(this.#bridge.length)}`;
    ip("link", "set", wire, "up");
    ip("-n", name, "address", "add", `${address}/28`, "dev", inside);
    ip("-n", name, "link", "set", inside, "up");
  }
}

/** A namespace. */
export class Place {
  readonly name: string;
  readonly #wire: string;
  /** At the bridge. */
  readonly address: string;
  /** For its clients on this machine. */
  readonly clients: string | undefined;

  constructor(name: string, wire: string, address: string, clients: string | undefined) {
    this.name = name;
    this.#wire = wire;
    this.address = address;
    this.clients = clients;
  }

  /** What runs a program there. */
  get command(): readonly string[] {
    return ["ip", "netns", "exec", this.name];
  }

  /** Loses everything between the place and the bridge, silently. */
  cut(): void {
    ip("link", "set", this.#wire, "down");
  }

  heal(): void {
    ip("link", "set", this.#wire, "up");
  }
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: "pipe" });
}
