import type { CloudProcess } from "@ledge/cloud/process";
import { TellingHub } from "@ledge/cloud/telling-hub";
import { asked } from "../writer.ts";
import { nameOf, serialOf } from "./rows.ts";
import { msOf } from "./searches.ts";

interface Asked {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface OwnerFound {
  readonly page: Asked;
  readonly search: Asked;
}

/** Somebody whose hub has a register, which they list over HTTP. */
export class Owner {
  /** The register's id, which is the hub's. */
  readonly register: string;
  readonly devices: number;
  readonly #token: string;

  private constructor({ hub, token }: TellingHub, devices: number) {
    this.register = hub.id;
    this.devices = devices;
    this.#token = token;
  }

  static async of(cloud: CloudProcess, devices: number): Promise<Owner> {
    return new Owner(await TellingHub.claimed(cloud, `owner-of-${devices}@example.org`, 1), devices);
  }

  get source(): string {
    return this.register;
  }

  /** Asks for pages and searches, somewhere else each time; one account may ask 600 times a minute. */
  async ask(cloud: CloudProcess, times: number): Promise<OwnerFound> {
    const found: [page: number[], search: number[]] = [[], []];
    for (let count = 0; count < times; count++) {
      const { search } = this.#queryAt(count);
      for (const [at, query] of [{ orderBy: "name" }, { search }].entries()) {
        const began = performance.now();
        await this.#list(cloud, query);
        found[at]?.push(performance.now() - began);
      }
    }
    const [page, search] = found.map((taken) => ({ p50Ms: msOf(taken, 0.5), p99Ms: msOf(taken, 0.99) }));
    return { page, search } as OwnerFound;
  }

  /** Returns what some lists say, to be compared. */
  async answers(cloud: CloudProcess): Promise<string> {
    const lists = [{}, { orderBy: "name", descending: true }, this.#queryAt(3), { search: "sauna valve" }];
    const all = await Promise.all(lists.map((query) => this.#list(cloud, { ...query, pageSize: 200 })));
    return JSON.stringify(all);
  }

  #queryAt(count: number): { readonly search: string } {
    const index = (count * 7877) % this.devices;
    return { search: count % 2 === 0 ? serialOf(index) : nameOf(index) };
  }

  /** @returns the devices of a page */
  async #list(cloud: CloudProcess, fields: object): Promise<unknown> {
    const query = { type: "ListDevicesDeviceRegisterQuery", deviceRegisterId: this.register, ...fields };
    const { data, error } = await asked(cloud, this.#token, "query", query);
    if (!Array.isArray(data) || data.length === 0)
      throw new Error(`no devices: ${JSON.stringify(error ?? fields)}`);
    return data;
  }
}
