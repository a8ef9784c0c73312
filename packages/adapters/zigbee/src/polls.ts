import type { AdapterClock } from "@ledge/port";
import type { Chores } from "./chores.ts";
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
  readonly #cancels = new Map<string, () => void>();

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /** Starts to poll a device that is set up. */
  begin(node: Node): void {
    this.forget(node.ieee);
    if (!isMains(node.facts) || readsOf(node).length === 0) return;
    const { clock, chores } = this.#options;
    const cancel = clock.after(everyMs, () => {
      this.#cancels.delete(node.ieee);
      chores.add(`poll ${node.ieee}`, () => this.#poll(node));
    });
    this.#cancels.set(node.ieee, cancel);
  }

  forget(ieee: string): void {
    this.#cancels.get(ieee)?.();
    this.#cancels.delete(ieee);
  }

  /** The network is down. */
  stop(): void {
    for (const ieee of this.#cancels.keys()) this.forget(ieee);
  }

  async #poll(node: Node): Promise<void> {
    if (!node.isMember) return;
    // Its availability is the concern of others.
    for (const read of readsOf(node)) await this.#options.sending.once(node, read).catch(() => undefined);
    this.begin(node);
  }
}

function readsOf({ keptUnits }: Node): Node["units"][number]["setup"]["polls"] {
  return keptUnits.flatMap(({ setup }) => setup.polls);
}
