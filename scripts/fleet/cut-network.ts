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
    const bridge = this.#bridge;
    ip([
      `link add ${bridge} type bridge`,
      `address add ${this.here}/28 dev ${bridge}`,
      `link set ${bridge} up`,
    ]);
  }

  /** The address of this machine at the bridge. */
  get here(): string {
    return `${this.#net}.1`;
  }

  /** The network of the wires to clients. */
  get clients(): string {
    return `${this.#net}.16/28`;
  }

  /** Makes a place. @param hasClients whether it has a wire to its clients too; one place may */
  place({ hasClients = false } = {}): Place {
    const at = this.#places.length;
    const name = `${this.#bridge}-${at}`;
    const [wire, forClients] = [`${this.#bridge}s${at}`, `${this.#bridge}c${at}`];
    const address = `${this.#net}.${2 + at}`;
    const clients = hasClients ? `${this.#net}.18` : undefined;
    const outside = [
      `netns add ${name}`,
      `link add ${wire} type veth peer name to-all netns ${name}`,
      `link set ${wire} master ${this.#bridge} up`,
    ];
    const inside = ["link set lo up", `address add ${address}/28 dev to-all`, "link set to-all up"];
    if (clients !== undefined) {
      outside.push(
        `link add ${forClients} type veth peer name to-clients netns ${name}`,
        `address add ${this.#net}.17/28 dev ${forClients}`,
        `link set ${forClients} up`,
      );
      inside.push(`address add ${clients}/28 dev to-clients`, "link set to-clients up");
    }
    ip(outside);
    ip(inside, name);
    const place = new Place(name, wire, address, clients);
    this.#places.push(place);
    return place;
  }

  remove(): void {
    ip([...this.#places.map(({ name }) => `netns delete ${name}`), `link delete ${this.#bridge}`]);
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
    ip([`link set ${this.#wire} down`]);
  }

  heal(): void {
    ip([`link set ${this.#wire} up`]);
  }
}

/** Carries out lines of iproute2, here or in a namespace. */
function ip(lines: readonly string[], namespace?: string): void {
  const where = namespace === undefined ? [] : ["-n", namespace];
  execFileSync("ip", [...where, "-batch", "-"], { input: lines.join("\n"), stdio: "pipe" });
}
