import { setImmediate } from "node:timers/promises";
import type { Clock, Kernel } from "@ledge/kernel";
import type { KeySet } from "@ledge/link";
import { keySetFrom } from "@ledge/link";
import type { Command, PublicKey, TrustedCloud } from "@ledge/model";
import { featureEvents, hasFeature, Id, limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import type { Logger } from "@ledge/host/logger";
import type { Fetch } from "@ledge/host/server";
import type { Notes } from "../notes/notes.ts";
import type { IdentityKey } from "../secrets/identity-key.ts";
import { AuthorizationSync } from "./authorization-sync.ts";
import { Changes } from "./changes.ts";
import { CloneWatch } from "./clone-watch.ts";
import { CloudClient, readAnswer } from "./cloud-client.ts";
import { CloudSession, type HubFacts } from "./cloud-session.ts";
import { Dialler } from "./dialler.ts";

export interface CloudLinkOptions {
  /** Address of the cloud. */
  readonly url: string;
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly identity: IdentityKey;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The id of this run of the hub's process; it is unique. */
  readonly instance: string;
  readonly notes: Notes;
  /** The version of the hub (hub-api 2.1). */
  readonly version: string;
  /** Serves the API of the listener `remote`. */
  readonly fetch: Fetch;
  /** The hub's addresses in its own network. */
  readonly lanAddresses: () => readonly string[];
}

const claimShape = lazyValidator(Type.Object({ userId: Id }));

/** Events after which the cloud needs new facts about the hub. */
const toldEvents: ReadonlySet<string> = new Set(["HubRenamed", "GenerationOpened", ...featureEvents]);
/** Events after which the cloud may list users whom the hub refuses, or not know who owns the hub. */
const userEvents: ReadonlySet<string> = new Set(["UserRevoked", "HubClaimed", "OwnershipTransferred"]);

/**
 * The hub's relation to its cloud: trusted keys, the list of users, and the tunnel. Nothing on the local
 * network waits for the cloud, except a claim.
 */
export class CloudLink {
  readonly #options: CloudLinkOptions;
  readonly #session: CloudSession;
  readonly #dialler: Dialler;
  readonly #authorizations: AuthorizationSync;
  readonly #clones: CloneWatch;
  readonly #changes: Changes;
  readonly #stop = new AbortController();
  #keys: KeySet = new Map();
  #issuer: string | undefined;
  #generation = 0;
  #unsubscribe: () => void = () => {};

  constructor(options: CloudLinkOptions) {
    this.#options = options;
    const { url, identity, clock, logger, random, fetch } = options;
    const trusted = this.#trusted();
    if (trusted !== undefined) this.#believe(trusted.issuer, trusted.keys);
    this.#session = new CloudSession({
      client: new CloudClient(url),
      identity,
      clock,
      facts: () => this.#facts(),
      issuer: () => this.#trusted()?.issuer,
      trust: (issuer, keys) => this.#trust(issuer, keys),
    });
    this.#authorizations = new AuthorizationSync({
      ...options,
      call: (method, path, body) =>
        this.#session.call({ method, path, ...(body && { body }), signal: this.#stop.signal }),
      submit: (command) => this.#submit(command),
      trusted: () => ({ keys: this.#keys, issuers: [this.#issuer ?? ""], seq: this.seq }),
      signal: this.#stop.signal,
    });
    this.#clones = new CloneWatch(options);
    this.#changes = new Changes({
      ...options,
      pause: () => setImmediate(),
      leftOut: (kind, id) => logger.warn({ kind, id }, "the object is too long to be shared with the cloud"),
    });
    this.#dialler = new Dialler({
      url,
      token: (refused, signal) => this.#session.token(refused, signal),
      fetch,
      changes: this.#changes,
      announced: (seq) => {
        if (seq > this.seq) this.#authorizations.sync();
      },
      cloned: (kind) => this.#clones.heard(kind),
      refused: (refusal) => this.#clones.refused(refusal),
      changed: (isConnected) => {
        this.#clones.connected(isConnected);
        if (isConnected) this.#authorizations.sync();
        // The hub may have a new address, which the cloud passes on to clients in the hub's network.
        else this.#session.renew();
      },
      clock,
      random,
      logger,
    });
  }

  get url(): string {
    return this.#options.url;
  }

  /** Whether the tunnel is open. */
  get connected(): boolean {
    return this.#dialler.connected;
  }

  /** The cloud's name as issuer; undefined before the first contact. */
  get issuer(): string | undefined {
    return this.#issuer;
  }

  /** The newest known signing keys of the cloud. */
  get keys(): KeySet {
    return this.#keys;
  }

  /** Grows whenever `keys` changes. */
  get generation(): number {
    return this.#generation;
  }

  /** Another hub with this hub's identity, as reported by the cloud. */
  get clones(): Pick<CloneWatch, "seen" | "newest"> {
    return this.#clones;
  }

  /** The number of the newest list of users that was taken over. */
  get seq(): number {
    return this.#trusted()?.seq ?? 0;
  }

  start(): void {
    this.#unsubscribe = this.#options.kernel.subscribe({
      published: ({ events }) => {
        for (const { type } of events) {
          if (toldEvents.has(type)) this.#tell();
          if (type === "GenerationOpened") this.#dialler.hasten();
          if (userEvents.has(type)) this.#authorizations.sync();
        }
      },
    });
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    this.#clones.stop();
    this.#changes.stop();
    await Promise.all([this.#dialler.stop(), this.#authorizations.settled()]);
  }

  /**
   * Makes the cloud establish who owns this hub.
   * @param make makes the account with that id the owner; other claims are refused meanwhile
   * @returns the result of `make`; undefined while another claim is under way
   * @throws CloudError
   */
  async claim<T>(email: string, make: (userId: string) => Promise<T>): Promise<T | undefined> {
    if (this.#authorizations.isHeld) return undefined;
    this.#authorizations.isHeld = true;
    try {
      const body = { email };
      const text = await this.#session.call({
        method: "POST",
        path: "/hub/claim",
        body,
        signal: this.#stop.signal,
      });
      return await make(readAnswer(claimShape, text).userId);
    } finally {
      this.#authorizations.isHeld = false;
      this.#authorizations.sync();
    }
  }

  /** Returns the stored issuer and keys of the cloud at this address. */
  #trusted(): TrustedCloud | undefined {
    const { kernel, hubId, url } = this.#options;
    const cloud = kernel.get("hub", hubId)?.cloud;
    return cloud?.url === url ? cloud : undefined;
  }

  #facts(): HubFacts {
    const { kernel, hubId, instance, version, lanAddresses } = this.#options;
    const { name = "", features = [], generation = 0 } = kernel.get("hub", hubId) ?? {};
    const addresses = lanAddresses().slice(0, limits.lanAddressesPerHub);
    return { hubId, name, version, features, generation, instance, lanAddresses: addresses };
  }

  /** Tells the cloud a new name or features. Opens or closes the tunnel as the features say. */
  #tell(): void {
    this.#session.renew();
    if (hasFeature("SERVER_CONNECTION", this.#options.kernel)) this.#dialler.start();
    else void this.#dialler.stop();
    this.#authorizations.sync();
  }

  async #trust(issuer: string, keys: readonly PublicKey[]): Promise<void> {
    const { hubId: id, url, logger } = this.#options;
    this.#believe(issuer, keys);
    const refused = await this.#submit({ type: "TRUST_CLOUD", id, url, issuer, keys });
    if (refused !== undefined) logger.warn({ refused }, "the cloud's keys could not be stored");
  }

  #believe(issuer: string, keys: readonly PublicKey[]): void {
    const next = keySetFrom({ keys: keys.map((key) => ({ kty: "OKP", crv: "Ed25519", ...key })) });
    if (next === undefined) return;
    const isSame = JSON.stringify([...next]) === JSON.stringify([...this.#keys]);
    if (isSame && issuer === this.#issuer) return;
    this.#keys = next;
    this.#issuer = issuer;
    this.#generation += 1;
  }

  /** @returns the reason for a refusal; undefined when it is done */
  async #submit(command: Command & Readonly<Record<string, unknown>>): Promise<string | undefined> {
    try {
      const outcome = await this.#options.kernel.submit({ commands: [command], origin: "system" });
      return outcome.accepted ? undefined : outcome.rejection.message;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
