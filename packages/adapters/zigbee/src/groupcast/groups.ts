import type { AirGroup, Groupcast } from "@ledge/port";
import type { Node } from "../nodes.ts";
import type { CastsOptions } from "./casts.ts";
import { Casts } from "./casts.ts";
import type { MembershipsOptions } from "./memberships.ts";
import { Memberships } from "./memberships.ts";

/** The hub's groups on the air of one network. */
export class Groups implements Pick<Groupcast, "keep" | "cast"> {
  readonly #memberships: Memberships;
  readonly #casts: Casts;

  constructor(options: MembershipsOptions & Omit<CastsOptions, "memberships">) {
    this.#memberships = new Memberships(options);
    this.#casts = new Casts({ ...options, memberships: this.#memberships });
  }

  keep(groups: readonly AirGroup[]): Promise<void> {
    this.#memberships.keep(groups);
    return Promise.resolve();
  }

  cast(...cast: Parameters<Groupcast["cast"]>): Promise<void> {
    return this.#casts.cast(...cast);
  }

  /** The network is up, and its devices are known. */
  opened(): void {
    this.#memberships.catchUp();
  }

  /** A device has joined, perhaps again, and may have lost what it was told. */
  joined(node: Node): void {
    this.#memberships.doubt(node);
  }

  /** A device is of the network no more. */
  forget(ieee: string): void {
    this.#memberships.forget(ieee);
  }

  /** Takes what is stored of a device that the hub does not have. */
  erase(ieee: string): Promise<void> {
    return this.#memberships.erase(ieee);
  }
}
