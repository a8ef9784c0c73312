import type { Clock, Kernel } from "@ledge/kernel";
import type { Command, Group, LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AirGroup } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";

/** The parts of the hub that this class uses. */
export interface AirGroupsHost {
  readonly kernel: Pick<Kernel, "get" | "all">;
  readonly clock: Pick<Clock, "after">;
  readonly notes: Pick<Notes, "note">;
  readonly logger: Logger;
}

/**
 * The pause before groups that the adapter did not take are sent again. It doubles each time, up to the
 * maximum.
 */
const againMs = 15_000;
const againMostMs = 900_000;

/** Events that may change the members of a group on a radio. */
const telling: ReadonlySet<string> = new Set([
  "GroupCreated",
  "GroupMembersChanged",
  "GroupAddressed",
  "GroupRemoved",
  "DeviceBound",
  "DeviceUnbound",
]);

/**
 * Makes one adapter keep the hub's groups on the air, on radios that can cast. It follows the log and sends all
 * groups after each change and after each start of the adapter, so that missed changes are made up for.
 */
export class AirGroups {
  readonly #protocol: string;
  readonly #host: AirGroupsHost;
  readonly #adapter: Pick<SupervisedAdapter, "status" | "offers" | "keepGroups">;
  /** The groups that the adapter received last, as JSON. */
  #told: string | undefined;
  #isDue = false;
  /** How often in a row the adapter did not take them. */
  #failures = 0;
  #cancelRetry = (): void => {};
  #isStopped = false;

  constructor(
    protocol: string,
    host: AirGroupsHost,
    adapter: Pick<SupervisedAdapter, "status" | "offers" | "keepGroups">,
  ) {
    this.#protocol = protocol;
    this.#host = host;
    this.#adapter = adapter;
  }

  follow(event: LoggedEvent): void {
    if (!telling.has(event.type) || this.#isDue) return;
    this.#isDue = true;
    // Runs once for all events of a commit.
    queueMicrotask(() => {
      this.#isDue = false;
      void this.#tell();
    });
  }

  /** Sends all groups to a started or restarted adapter. */
  running(): void {
    this.#told = undefined;
    this.#failures = 0;
    void this.#tell();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry();
  }

  async #tell(): Promise<void> {
    const { status, offers } = this.#adapter;
    if (status.state !== "running" || offers.groupcast.length === 0) return;
    const groups = this.#groups();
    const content = JSON.stringify(groups);
    if (content === this.#told) return;
    this.#told = content;
    this.#cancelRetry();
    try {
      await this.#adapter.keepGroups(groups, limits.requestMs);
      this.#failures = 0;
    } catch (error) {
      // After this, any next change sends all groups again.
      this.#told = undefined;
      const { code, message } = adapterErrorOf(error);
      this.#host.logger.warn({ adapter: this.#protocol, code, reason: message }, "groups were not taken");
      this.#tellAgain();
    }
  }

  #tellAgain(): void {
    if (this.#isStopped) return;
    const pauseMs = Math.min(againMs * 2 ** this.#failures, againMostMs);
    this.#failures += 1;
    this.#cancelRetry();
    this.#cancelRetry = this.#host.clock.after(pauseMs, () => void this.#tell());
  }

  /** Returns the groups with two or more members on one radio. Groups without an address get one. */
  #groups(): AirGroup[] {
    const { kernel, notes } = this.#host;
    const groups: AirGroup[] = [];
    for (const [id, group] of kernel.all("group")) {
      const members = this.#members(group);
      const { group_address: address } = group;
      if (members.length === 0) continue;
      if (address === undefined) void notes.note({ type: "ADDRESS_GROUP", id } as Command);
      else groups.push({ id, address, members });
    }
    return groups;
  }

  #members({ members }: Group): string[] {
    const byRadio = new Map(this.#adapter.offers.groupcast.map((radio): [string, string[]] => [radio, []]));
    for (const member of members) {
      const binding = this.#host.kernel.get("binding", member);
      if (binding?.protocol === this.#protocol && !binding.removed)
        byRadio.get(binding.radio)?.push(binding.native);
    }
    return [...byRadio.values()].filter(({ length }) => length > 1).flat();
  }
}
