import type { Authentication, Credential } from "./auth.ts";
import { isOwnHost } from "./host.ts";

/** Caches host and token of a connection's last request, as the next one most often repeats them. */
export class Connection {
  #host: string | undefined;
  #names: readonly string[] | undefined;
  #isOwn = false;
  #header: string | undefined;
  #credential: Credential | undefined;
  /** The user whose key the connection last carried. */
  user: string | undefined;

  /** Like the function `isOwnHost`, with the last answer cached. */
  isOwnHost(header: string | undefined, names: readonly string[]): boolean {
    if (header === undefined || header !== this.#host || names !== this.#names) {
      this.#isOwn = isOwnHost(header, names);
      this.#host = header;
      this.#names = names;
    }
    return this.#isOwn;
  }

  /** Returns the credential of the last header, if the header is the same and the credential is still valid. */
  held(header: string | undefined, auth: Authentication): Credential | undefined {
    const credential = this.#credential;
    if (credential === undefined || header === undefined || header !== this.#header) return undefined;
    if (auth.isCurrent(credential)) {
      // The request holds this copy while it is pending; the one before can go.
      this.#header = header;
      return credential;
    }
    this.hold(undefined, undefined);
    return undefined;
  }

  /** Caches a header, for no longer than its connection lives; node:http keeps the request that long anyway. */
  hold(header: string | undefined, credential: Credential | undefined): void {
    this.#header = header;
    this.#credential = credential;
  }
}
