import type { NativeId } from "@ledge/port";
import type { Unit } from "../map/index.ts";
import { endpointOf } from "../node.ts";
import type { Node, Nodes } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import { canJoin, groupEndpointsOf, type Memberships } from "./memberships.ts";

/** How many units are asked at once, and how long each may take. */
const atOnce = 4;
const answerMs = 2000;

/** The groups of one unit on the radio, beside those of the hub. */
export interface UnitGroups {
  readonly device: NativeId;
  /** False for a unit that did not answer; then nothing is known. */
  readonly answered: boolean;
  /** Addresses of groups that it says it is in. */
  readonly groups: readonly number[];
  /** Groups of the hub that it is not in. */
  readonly missing: readonly { readonly address: number; readonly group: string }[];
  /** Addresses of groups that the hub does not have it in. */
  readonly foreign: readonly number[];
}

/** Options of `GroupAudit`. */
export interface GroupAuditOptions {
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly memberships: Memberships;
  readonly isReachable: (ieee: string) => boolean;
}

/** Compares the groups that devices are in with those of the hub (ZCL 3.6.2.3.4, Get Group Membership). */
export class GroupAudit {
  readonly #options: GroupAuditOptions;

  constructor(options: GroupAuditOptions) {
    this.#options = options;
  }

  /**
   * Asks all units that can be in groups, or one.
   * @param mends whether missing and foreign memberships are corrected afterwards
   * @throws AdapterError `unreachable` while the network is down
   */
  async read(native: NativeId | undefined, mends: boolean): Promise<readonly UnitGroups[]> {
    const { radio, nodes } = this.#options;
    radio.assertUp();
    const waiting = nodes.members().flatMap((node) =>
      node.keptUnits
        .filter((unit) => canJoin(node, unit))
        .filter((unit) => native === undefined || unit.native === native)
        .map((unit) => ({ node, unit })),
    );
    const found: UnitGroups[] = [];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        found.push(await this.#of(next.node, next.unit, mends));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return found;
  }

  async #of(node: Node, unit: Unit, mends: boolean): Promise<UnitGroups> {
    const { memberships, isReachable } = this.#options;
    const { native } = unit;
    const told = isReachable(node.ieee) ? await this.#ask(node, unit) : undefined;
    if (told === undefined) return { device: native, answered: false, groups: [], missing: [], foreign: [] };
    const wanted = memberships.wantedOf(node, native);
    if (mends) await memberships.learn(node, native, told);
    return {
      device: native,
      answered: true,
      groups: [...told],
      missing: [...wanted].flatMap(([address, group]) => (told.has(address) ? [] : [{ address, group }])),
      foreign: [...told].filter((address) => !wanted.has(address)),
    };
  }

  /** Returns the groups of all endpoints of a unit; undefined when it does not answer. */
  async #ask({ ieee }: Node, unit: Unit): Promise<ReadonlySet<number> | undefined> {
    const { radio } = this.#options;
    const told = new Set<number>();
    try {
      for (const id of groupEndpointsOf(unit)) {
        const answer = await radio.use(async () => {
          const device = radio.device(ieee);
          const payload = { groupcount: 0, grouplist: [] };
          const options = { sendPolicy: "immediate", timeout: answerMs, disableRecovery: true } as const;
          return (
            device && (await endpointOf(device, id).command("genGroups", "getMembership", payload, options))
          );
        });
        const { grouplist } = (answer ?? {}) as { readonly grouplist?: unknown };
        if (!Array.isArray(grouplist)) return undefined;
        for (const address of grouplist) if (typeof address === "number") told.add(address);
      }
      return told;
    } catch {
      return undefined;
    }
  }
}
