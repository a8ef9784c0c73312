import type { Kernel } from "@ledge/kernel";
import { foldedEmail } from "@ledge/model";
import { authorizationEvents } from "../model/authorization-events.ts";
import type { Account } from "../model/account.ts";
import type { CloudStates } from "../model/states.ts";
import { InvertedIndex } from "../process/inverted-index.ts";

const listing: ReadonlySet<string> = new Set(authorizationEvents.map(({ type }) => type));

/**
 * Indexes of accounts by address and of hubs by account, which would otherwise need a search through all
 * states.
 */
export class Directory {
  readonly #kernel: Kernel<CloudStates>;
  readonly #accounts = new Map<string, string>();
  readonly #folded = new Map<string, string>();
  readonly #hubs = new InvertedIndex();
  readonly #end: () => void;

  constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    for (const [id, account] of kernel.all("account")) this.#putAccount(id, account);
    for (const [id] of kernel.all("authorizations")) this.#putHub(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) {
          if (type === "AccountAdded" || type === "AccountForgotten")
            this.#putAccount(id, kernel.get("account", id));
          else if (listing.has(type)) this.#putHub(id);
        }
      },
    });
  }

  /** Returns the account of an address, in any spelling. */
  accountOf(email: string): Account | undefined {
    const id = this.#accounts.get(foldedEmail(email));
    return id === undefined ? undefined : this.#kernel.get("account", id);
  }

  /** Returns the hubs that an account has access to, is invited to, or is offered. */
  hubsOf(account: string): Iterable<string> {
    return this.#hubs.under(account);
  }

  stop(): void {
    this.#end();
  }

  #putAccount(id: string, account: Account | undefined): void {
    const before = this.#folded.get(id);
    if (before !== undefined) {
      this.#accounts.delete(before);
      this.#folded.delete(id);
    }
    if (account === undefined || account.forgotten) return;
    const folded = foldedEmail(account.email);
    this.#accounts.set(folded, id);
    this.#folded.set(id, folded);
  }

  #putHub(hub: string): void {
    const state = this.#kernel.get("authorizations", hub);
    const named = [...(state?.users ?? []), ...(state?.invitations ?? [])].map(({ user }) => user);
    this.#hubs.put(hub, state?.transfer ? [...named, state.transfer.to] : named);
  }
}
