import type { Clock, Kernel } from "@ledge/kernel";
import { verifyAuthorizationList } from "@ledge/link";
import type { Command, ListedUser } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import { CloudError } from "./cloud-client.ts";

export interface AuthorizationSyncOptions {
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Calls the cloud as this hub. @throws CloudError */
  readonly call: (method: "GET" | "POST", path: string, body?: object) => Promise<string>;
  /** @returns the reason for a refusal; undefined when it is done */
  readonly submit: (command: Command & Readonly<Record<string, unknown>>) => Promise<string | undefined>;
  /** The trusted keys, and the number of the newest list that was taken over. */
  readonly trusted: () => Omit<Parameters<typeof verifyAuthorizationList>[1], "hubId">;
  /** Ends the synchronisation. */
  readonly signal: AbortSignal;
}

/** Takes over the cloud's list of users, and tells the cloud which users the hub has revoked. */
export class AuthorizationSync {
  /** While a claim is under way, the list must not set the owner, because the claim does. */
  isHeld = false;
  readonly #options: AuthorizationSyncOptions;
  #syncing: Promise<void> | undefined;
  #isStale = false;
  #failures = 0;
  #cancelNext: () => void = () => {};

  constructor(options: AuthorizationSyncOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#cancelNext());
  }

  /** Schedules a synchronisation soon. Further calls until then are covered by it. */
  sync(): void {
    this.#isStale = true;
    if (this.#syncing !== undefined || this.#options.signal.aborted) return;
    this.#cancelNext();
    this.#syncing = this.#syncUntilFresh().finally(() => {
      this.#syncing = undefined;
      if (this.#isStale) this.sync();
    });
  }

  /** Resolves when no synchronisation is under way. */
  async settled(): Promise<void> {
    await this.#syncing;
  }

  async #syncUntilFresh(): Promise<void> {
    const { clock, logger, random, signal } = this.#options;
    let restMs: number = limits.authorizationsReadMs;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#takeList();
      }
      this.#failures = 0;
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted)
        logger.warn({ problem: message }, "the cloud's list of users could not be taken over");
      const backoff = limits.tunnelBackoffMinMs * 2 ** Math.min(this.#failures++, 10);
      restMs = Math.min(backoff, limits.authorizationsReadMs) * (0.5 + random());
    }
    if (!signal.aborted) this.#cancelNext = clock.after(restMs, () => this.sync());
  }

  async #takeList(): Promise<void> {
    const { hubId, kernel, call, submit } = this.#options;
    await this.#tellRevoked();
    // This is read before the list: a claim that ends meanwhile is in the next list.
    const { state, owner } = kernel.get("hub", hubId) ?? {};
    const isClaimed = state === "claimed" && !this.isHeld;
    let list = await this.#list();
    const address = kernel.get("user", owner ?? "")?.user_info.user.email ?? "";
    // The hub was claimed without this cloud, so the hub tells the cloud who its owner is. An owner who gave no address
    // is nobody whom the cloud could know.
    if (list.seq === 0 && isClaimed && address !== "") {
      await call("POST", "/hub/claim", { email: address });
      list = await this.#list();
    }
    // A claim under way sets the owner itself, with the claimant as its origin.
    if (this.isHeld || list.seq === 0) return;
    const users = list.users.map(({ user_id: id, email, nickname, role, granted }): ListedUser => {
      return { id, email, nickname, role, granted };
    });
    const refused = await submit({ type: "TAKE_AUTHORIZATIONS", id: hubId, seq: list.seq, users });
    if (refused !== undefined) throw new Error(refused);
    await call("POST", "/hub/authorizations/seen", { seq: list.seq });
  }

  async #list() {
    const { hubId, call, trusted } = this.#options;
    const text = await call("GET", "/hub/authorizations");
    const { list, problem } = await verifyAuthorizationList(text, { ...trusted(), hubId });
    if (list === undefined) throw new CloudError(`the cloud's list of users is not good: ${problem}`);
    return list;
  }

  /** Reports revoked users to the cloud, so that the relay refuses them too. */
  async #tellRevoked(): Promise<void> {
    const { kernel, call } = this.#options;
    const revoked = [...kernel.all("user")]
      .filter(([, user]) => user.revoked && user.listed !== null)
      .map(([id]) => id);
    if (revoked.length > 0) await call("POST", "/hub/revocations", { users: revoked });
  }
}
