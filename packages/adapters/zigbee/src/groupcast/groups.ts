import type { AirGroup, Groupcast } from "@ledge/port";
import type { Node } from "../nodes.ts";
import { GroupAudit } from "./audit.ts";
import type { CastsOptions } from "./casts.ts";
import { Casts } from "./casts.ts";
import type { MembershipsOptions } from "./memberships.ts";
import { Memberships } from "./memberships.ts";

/** The hub's groups on the radio of one network. */
export class Groups implements Pick<Groupcast, "keep" | "cast"> {
  readonly #memberships: Memberships;
  readonly #casts: Casts;
  readonly audit: GroupAudit;

  constructor(options: MembershipsOptions & Omit<CastsOptions, "memberships">) {
    this.#memberships = new Memberships(options);
    this.audit = new GroupAudit({ ...options, memberships: this.#memberships });
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

  /** A device has joined, perhaps again, and may have lost its groups. */
  joined(node: Node): void {
    this.#memberships.doubt(node);
  }

  /** A device has left the network for good. */
  forget(ieee: string): void {
    this.#memberships.forget(ieee);
  }

  /** Erases the stored groups of a device that the hub does not have. */
  erase(ieee: string): Promise<void> {
    return this.#memberships.erase(ieee);
  }
}
