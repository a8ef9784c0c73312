import type { AdapterHost } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { StickKind, ZigbeeSettings } from "../settings.ts";
import type { DeviceEntries } from "./device-entries.ts";
import type { Kept, KeptNetwork } from "./kept-network.ts";
import type { NetworkParameters, RandomBytes } from "./parameters.ts";
import { newPanId, newParameters } from "./parameters.ts";

/** Kinds of stick whose network the library cannot move to another channel. */
const unmovable: ReadonlySet<StickKind> = new Set<StickKind>(["zboss", "zigate"]);

/** Options of `OwnNetwork`. */
export interface OwnNetworkOptions {
  readonly host: AdapterHost;
  readonly settings: ZigbeeSettings;
  readonly kept: Kept;
  readonly entries: DeviceEntries;
  /** A cryptographic source for keys. */
  readonly random: RandomBytes;
}

/** The parameters of the hub's network: chosen at random, stored before a stick gets them, and changed by users. */
export class OwnNetwork {
  readonly #options: OwnNetworkOptions;

  constructor(options: OwnNetworkOptions) {
    this.#options = options;
  }

  /** Whether a stick has carried it. */
  get isKnown(): boolean {
    const { network } = this.#options.kept;
    return network !== undefined && network.formedAt !== null;
  }

  /** Returns the stored network; stores a new one before it is formed. */
  async stored(): Promise<KeptNetwork> {
    const { network } = this.#options.kept;
    return network ?? (await this.#renew(false));
  }

  /**
   * Stores that a stick carries it.
   * @param network what the stick was opened with
   * @param channel the one of the stick
   * @throws Error when another network was requested meanwhile
   */
  async noteCarried(network: KeptNetwork, channel: number): Promise<void> {
    const { host, kept } = this.#options;
    const formedAt = network.formedAt ?? host.clock.now();
    // A user may have chosen another channel meanwhile.
    const wanted = kept.network ?? network;
    // Or asked for another network, whose key is already stored.
    if (wanted.networkKey !== network.networkKey) throw new Error("another network was requested meanwhile");
    const isNews = network.channel !== channel || network.carriedOn !== channel;
    if (network.formedAt !== null && !network.isConfirmed && !isNews) return;
    const now = wanted.channel === network.channel ? channel : wanted.channel;
    await kept.setNetwork({ ...wanted, channel: now, carriedOn: channel, formedAt, isConfirmed: false });
  }

  /** Picks a new PAN id when another network nearby has the same. */
  async mend(error: unknown): Promise<void> {
    const { host, kept, random } = this.#options;
    const { network } = kept;
    if (network === undefined || network.formedAt !== null || !/collision|same panId/i.test(String(error)))
      return;
    try {
      await kept.setNetwork({ ...network, panId: newPanId(random) });
    } catch (failure) {
      host.log("warn", "could not store another PAN id", { reason: (failure as Error).message });
    }
  }

  /**
   * Stores the channel with which it opens from now on.
   * @throws AdapterError `unsupported` when the library would form a new network instead
   */
  async setChannel(channel: number): Promise<void> {
    const { settings, kept } = this.#options;
    const kind = settings.radio?.stick;
    if (kind !== undefined && unmovable.has(kind) && this.isKnown)
      throw new AdapterError(
        "unsupported",
        `channel: the network of a ${kind} stick cannot change its channel`,
      );
    await kept.setNetwork({ ...(await this.stored()), channel, isChannelChosen: true });
  }

  /** Replaces it by a new one, as a user has confirmed. Its devices and backup are erased. */
  async replace(): Promise<void> {
    const { host, kept, entries } = this.#options;
    host.log("warn", "a new Zigbee network is formed as requested: all devices must be paired again");
    await this.#renew(true);
    await kept.dropBackup();
    await entries.clear();
  }

  async #renew(isConfirmed: boolean): Promise<KeptNetwork> {
    const { settings, kept, random } = this.#options;
    const { channel } = settings;
    const fresh: NetworkParameters = newParameters(random, channel);
    const made = { ...fresh, formedAt: null, isChannelChosen: channel !== undefined, isConfirmed };
    await kept.setNetwork(made);
    return made;
  }
}
