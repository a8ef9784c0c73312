import type { AdapterClock } from "@ledge/port";
import type { Chores } from "./chores.ts";
import { Courses } from "./courses.ts";
import { isMains } from "./node.ts";
import type { Node } from "./nodes.ts";
import type { Sending } from "./sending.ts";

/** How often values are read that devices do not report, ms: they change slowly. */
const everyMs = 600_000;

/** Options of `Polls`. */
export interface PollsOptions {
  readonly clock: AdapterClock;
  readonly chores: Chores;
  readonly sending: Pick<Sending, "once">;
}

/** Reads the values again and again that the standard does not let devices report. A sleeping device is left alone. */
export class Polls {
  readonly #options: PollsOptions;
  readonly #courses = new Courses();

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /** Starts to poll a device that is set up. Ends an earlier course. */
  begin(node: Node): void {
    this.forget(node.ieee);
    if (!isMains(node.facts) || readsOf(node).length === 0) return;
    const { clock, chores } = this.#options;
    const cancel = clock.after(everyMs, () => {
      chores.add(`poll ${node.ieee}`, () => this.#poll(node));
    });
    this.#courses.begin(node.ieee, { cancel });
  }

  forget(ieee: string): void {
    this.#courses.end(ieee);
  }

  /** The network is down. */
  stop(): void {
    this.#courses.endAll();
  }

  async #poll(node: Node): Promise<void> {
    const course = this.#courses.get(node.ieee);
    if (course === undefined || !node.isMember) return;
    for (const read of readsOf(node)) {
      // Its availability is the concern of others.
      await this.#options.sending.once(node, read).catch(() => undefined);
      if (!this.#courses.isCurrent(node.ieee, course)) return;
    }
    this.begin(node);
  }
}

function readsOf({ keptUnits }: Node): Node["units"][number]["setup"]["polls"] {
  return keptUnits.flatMap(({ setup }) => setup.polls);
}
