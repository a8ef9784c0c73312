import type { Authentication, Credential } from "./auth.ts";
import { isOwnHost } from "./host.ts";

/** What the requests of a connection led to: one most often says of host and token what the one before it said. */
export class Connection {
  #host: string | undefined;
  #names: readonly string[] | undefined;
  #isOwn = false;
  #header: string | undefined;
  #credential: Credential | undefined;
  /** Whose key was last shown on it. */
  user: string | undefined;

  /** As `isOwnHost`. */
  isOwnHost(header: string | undefined, names: readonly string[]): boolean {
    if (header === undefined || header !== this.#host || names !== this.#names) {
      this.#isOwn = isOwnHost(header, names);
      this.#host = header;
      this.#names = names;
    }
    return this.#isOwn;
  }

  /** What the header with the token last verified as, while that holds still. */
  held(header: string | undefined, auth: Authentication): Credential | undefined {
    const credential = this.#credential;
    if (credential === undefined || header === undefined || header !== this.#header) return undefined;
    if (auth.isCurrent(credential)) return credential;
    this.hold(undefined, undefined);
    return undefined;
  }

  /** The header lives no longer than its connection, of which node:http keeps the request anyway. */
  hold(header: string | undefined, credential: Credential | undefined): void {
    this.#header = header;
    this.#credential = credential;
  }
}
