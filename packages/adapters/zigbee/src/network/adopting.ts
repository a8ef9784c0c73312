import type { AdapterHost } from "@ledge/port";
import type { DeviceEntries } from "./device-entries.ts";
import type { Adoption, Kept } from "./kept-network.ts";

/** Options of `Adopting`. */
export interface AdoptingOptions {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly entries: DeviceEntries;
}

/** Takes a network over from a file: stores it whole, then puts it in place of the present one before a stick is opened. */
export class Adopting {
  readonly #options: AdoptingOptions;
  /** Ends the wait for the stick. */
  #settle: (isUp: boolean) => void = () => {};
  /** How many networks were stored. */
  #stored = 0;
  /** Resolves when the latest change of the stored network has ended. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: AdoptingOptions) {
    this.#options = options;
  }

  /** Stores a network that is to be taken over. Resolves when it is durable. */
  async store(adoption: Adoption): Promise<void> {
    await this.#inTurn(async () => {
      await this.#options.kept.setAdoption(adoption);
      this.#stored += 1;
    });
  }

  /** Puts a stored network in place of the present one. Idempotent, so that it can be repeated after a stop in the middle. */
  async takeUp(): Promise<void> {
    const { host, kept, entries } = this.#options;
    const { adoption } = kept;
    const stored = this.#stored;
    if (adoption === undefined) return;
    const { network, backup, database, members = [] } = adoption;
    if (database !== undefined) await entries.copy(database);
    await entries.add(members);
    if (backup === undefined) await kept.dropBackup();
    else await kept.setBackup(backup);
    const formedAt = host.clock.now();
    await kept.setNetwork({ ...network, formedAt, isChannelChosen: true, isConfirmed: false });
    await this.#inTurn(async () => {
      // Another one that was stored meanwhile is still to be taken over.
      if (stored === this.#stored) await kept.setAdoption(undefined);
    });
    host.log("info", "a Zigbee network is taken over from a file");
  }

  /** A stick carries the network. */
  opened(): void {
    if (this.#options.kept.adoption === undefined) this.#settle(true);
  }

  /**
   * Resolves with true when a stick carries the network that was adopted last; with false after `atMostMs`, or when another
   * wait begins.
   */
  async whenUp(atMostMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#settle(false);
    this.#settle = resolve;
    const cancel = this.#options.host.clock.after(atMostMs, () => resolve(false));
    const isUp = await promise;
    cancel();
    return isUp;
  }

  /** Makes one change after the other: a text that is being removed must not mix with one that is being stored. */
  async #inTurn(change: () => Promise<void>): Promise<void> {
    const earlier = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await earlier;
    try {
      await change();
    } finally {
      resolve();
    }
  }
}
