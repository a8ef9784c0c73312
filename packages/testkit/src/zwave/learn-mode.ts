/** Modes of learn mode (INS13954): off; to be removed from the network, in direct range or from anywhere. */
const off: ReadonlySet<number> = new Set([0x00, 0x80]);
const exclusions: ReadonlySet<number> = new Set([0x82, 0x83]);
const status = { started: 0x01, done: 0x06, failed: 0x07 } as const;

/** Tells the host how far learn mode is. */
type Tell = (status: number, nodeId: number) => Promise<void>;

/** The stick in the network of another controller. */
export interface Membership {
  /** Its id there; undefined when it has a network of its own. */
  readonly nodeId: () => number | undefined;
  /** It has a network of its own from now on. */
  readonly leave: () => void;
}

/**
 * Learn mode of a stick in the network of another controller, which can remove it while it is on. A stick with a network
 * of its own refuses it; none joins a network.
 */
export class LearnMode {
  readonly #membership: Membership;
  #tell: Tell | undefined;

  constructor(membership: Membership) {
    this.#membership = membership;
  }

  get isOn(): boolean {
    return this.#tell !== undefined;
  }

  /** Takes a mode. Returns what follows the response; undefined when the stick refuses the mode. */
  set(mode: number, tell: Tell): (() => Promise<void>) | undefined {
    if (off.has(mode)) {
      const told = this.#tell;
      this.#tell = undefined;
      // Sticks call that a failure.
      return async () => await told?.(status.failed, 0);
    }
    if (!exclusions.has(mode) || this.#membership.nodeId() === undefined) return undefined;
    this.#tell = tell;
    return async () => {};
  }

  /** The other controller removes the stick, if learn mode is on. */
  async remove(): Promise<void> {
    const tell = this.#tell;
    if (tell === undefined) return;
    await tell(status.started, this.#membership.nodeId() ?? 0);
    if (this.#tell !== tell) return;
    this.#tell = undefined;
    this.#membership.leave();
    await tell(status.done, 0);
  }

  /** The other controller begins to remove the stick, and cannot. */
  async fail(): Promise<void> {
    const tell = this.#tell;
    this.#tell = undefined;
    await tell?.(status.started, this.#membership.nodeId() ?? 0);
    await tell?.(status.failed, 0);
  }

  /** A stick that starts anew is not in learn mode. */
  reset(): void {
    this.#tell = undefined;
  }
}
