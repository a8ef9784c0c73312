import type { AdapterHost } from "@ledge/port";
import type { DeviceEntries } from "./device-entries.ts";
import type { Kept } from "./kept-network.ts";

/** Options of `Adopting`. */
export interface AdoptingOptions {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly entries: DeviceEntries;
}

/** Takes a network over from a file: stores it whole, then puts it in place of the present one before a stick is opened. */
export class Adopting {
  readonly #options: AdoptingOptions;
  /** Called when a stick carries the adopted network. */
  #isUp: () => void = () => {};

  constructor(options: AdoptingOptions) {
    this.#options = options;
  }

  /** Idempotent, so that it can be repeated after a stop in the middle. */
  async takeUp(): Promise<void> {
    const { host, kept, entries } = this.#options;
    const { adoption } = kept;
    if (adoption === undefined) return;
    const { network, backup, database, members = [] } = adoption;
    if (database !== undefined) await entries.copy(database);
    await entries.add(members);
    if (backup === undefined) await kept.dropBackup();
    else await kept.setBackup(backup);
    const formedAt = host.clock.now();
    await kept.setNetwork({ ...network, formedAt, isChannelChosen: true, isConfirmed: false });
    await kept.setAdoption(undefined);
    host.log("info", "a Zigbee network is taken over from a file");
  }

  /** A stick carries the network. */
  opened(): void {
    if (this.#options.kept.adoption === undefined) this.#isUp();
  }

  /** Resolves with true when a stick carries the network that was adopted last; with false after `atMostMs`. */
  async whenUp(atMostMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#isUp = () => resolve(true);
    const cancel = this.#options.host.clock.after(atMostMs, () => resolve(false));
    const isUp = await promise;
    cancel();
    return isUp;
  }
}
