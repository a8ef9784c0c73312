import { isIP } from "node:net";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { NetworkService } from "@ledge/serial";
import type { Answer } from "dns-packet";

/** What a record says. */
interface Heard<Value> {
  readonly value: Value;
  /** When it expires (elapsed ms). */
  readonly until: number;
}

interface Instance {
  readonly type: string;
  server?: Heard<{ readonly host: string; readonly port: number }>;
  text?: Heard<ReadonlyMap<string, string>>;
}

/**
 * Collects what answers of multicast DNS say about services of some types (RFC 6762, RFC 6763). Anybody on the
 * network may answer, so it keeps a bounded number of them, and only for as long as they say.
 */
export class ServiceBrowser {
  readonly #types: ReadonlySet<string>;
  readonly #clock: Pick<Clock, "monotonic">;
  /** By the full name in lower case. */
  readonly #instances = new Map<string, Instance & { readonly pointer: Heard<string> }>();
  readonly #addresses = new Map<string, Map<string, number>>();

  /** @param types such as `_slzb-06._tcp.local` */
  constructor(types: readonly string[], clock: Pick<Clock, "monotonic">) {
    this.#types = new Set(types);
    this.#clock = clock;
  }

  /** Takes the records of a response. Returns whether they may have changed the services. */
  heard(records: readonly Answer[]): boolean {
    // Pointers first: the other records of a packet may stand before them.
    const pointers = records.filter((record) => record.type === "PTR");
    const heard = [...pointers, ...records.filter((record) => record.type !== "PTR")];
    return heard.filter((record) => this.#take(record)).length > 0;
  }

  /** Returns the services that are complete and have not expired. */
  services(): readonly NetworkService[] {
    const now = this.#clock.monotonic();
    return [...this.#instances.values()].flatMap(({ type, pointer, server, text }) => {
      if (pointer.until <= now || server === undefined || server.until <= now) return [];
      const { host, port } = server.value;
      const found = this.#addresses.get(host) ?? new Map<string, number>();
      const addresses = [...found].filter(([, until]) => until > now).map(([address]) => address);
      addresses.sort((one, other) => isIP(one) - isIP(other) || (one < other ? -1 : 1));
      const facts = text === undefined || text.until <= now ? new Map<string, string>() : text.value;
      return [{ type, instance: instanceOf(pointer.value, type), port, addresses, text: facts }];
    });
  }

  #take(record: Answer): boolean {
    const name = record.name.toLowerCase();
    const until = this.#clock.monotonic() + Math.max(0, Number("ttl" in record ? record.ttl : 0)) * 1000;
    if (record.type === "PTR") return this.#point(name, record.data, until);
    if (record.type === "A" || record.type === "AAAA") return this.#address(name, record.data, until);
    const instance = this.#instances.get(name);
    if (instance === undefined) return false;
    if (record.type === "SRV") {
      const { target, port } = record.data;
      instance.server = { value: { host: target.toLowerCase(), port }, until };
      return true;
    }
    if (record.type !== "TXT") return false;
    instance.text = { value: factsIn(record.data), until };
    return true;
  }

  #point(type: string, instance: string, until: number): boolean {
    if (!this.#types.has(type) || !instance.toLowerCase().endsWith(`.${type}`)) return false;
    const key = instance.toLowerCase();
    const known = this.#instances.get(key);
    if (known === undefined) this.#makeRoom(this.#instances, ({ pointer }) => pointer.until);
    this.#instances.set(key, { ...known, type, pointer: { value: instance, until } });
    return true;
  }

  /** Keeps the addresses of hosts before their services are known, since these may come later. */
  #address(host: string, address: string, until: number): boolean {
    if (isIP(address) === 0) return false;
    const known = this.#addresses.get(host);
    if (known === undefined) this.#makeRoom(this.#addresses, (times) => Math.max(...times.values()));
    const times = known ?? new Map<string, number>();
    if (!times.has(address) && times.size >= limits.mdnsAddressesPerLink) return false;
    this.#addresses.set(host, times.set(address, until));
    return [...this.#instances.values()].some(({ server }) => server?.value.host === host);
  }

  /** Drops what has expired, and the oldest if that is not enough. */
  #makeRoom<Kept>(map: Map<string, Kept>, untilOf: (kept: Kept) => number): void {
    if (map.size < limits.mdnsServices) return;
    const now = this.#clock.monotonic();
    for (const [key, kept] of map) if (untilOf(kept) <= now) map.delete(key);
    for (const key of map.keys()) {
      if (map.size < limits.mdnsServices) return;
      map.delete(key);
    }
  }
}

/** Returns the name of an instance without its type, shortened, without control characters. */
function instanceOf(name: string, type: string): string {
  const instance = name.slice(0, -type.length - 1);
  return instance.replaceAll(/\p{C}/gu, "").slice(0, limits.nameChars);
}

function factsIn(data: unknown): ReadonlyMap<string, string> {
  const parts = (Array.isArray(data) ? data : [data]).slice(0, limits.mdnsServices);
  return new Map(
    parts.flatMap((part): [string, string][] => {
      const text = String(part);
      const at = text.indexOf("=");
      return at < 1 ? [] : [[text.slice(0, at).toLowerCase(), text.slice(at + 1)]];
    }),
  );
}
