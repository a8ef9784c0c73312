import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Digests } from "../keys/digests.ts";
import { Expiring } from "./expiring.ts";
import type { HubProcess } from "./hub-process.ts";

/** A hub's process, with the key that it has proven: the hub's id may pass to another key. */
export type ProvenProcess = HubProcess & { readonly x: string };

/** What tells challenges and sessions of hubs from what others make up. */
export interface HubSessions {
  /** Returns a nonce for a hub, from a fresh code. */
  challenge(hubId: string, code: string): string;
  /** Whether a nonce is an open challenge of a hub; it is not any more afterwards. */
  take(nonce: string, hubId: string): boolean;
  /** Returns the token of a new session, from a fresh code. */
  begin(process: ProvenProcess, code: string): string;
  /** Returns whose session a token is; undefined when it is unknown or has expired. */
  find(token: string): ProvenProcess | undefined;
}

/** Remembers them in this process, with which they end; elapsed time counts. */
export class KeptSessions implements HubSessions {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #digests: Digests;
  readonly #challenges = new Expiring<string>(limits.challengeMs, limits.challenges);
  /** By the digest of the token. */
  readonly #sessions = new Expiring<ProvenProcess>(limits.hubSessionMs, limits.hubs);

  constructor(clock: Pick<Clock, "monotonic">, digests: Digests) {
    this.#clock = clock;
    this.#digests = digests;
  }

  challenge(hubId: string, code: string): string {
    this.#challenges.put(code, hubId, this.#clock.monotonic());
    return code;
  }

  take(nonce: string, hubId: string): boolean {
    return this.#challenges.take(nonce, this.#clock.monotonic()) === hubId;
  }

  begin(process: ProvenProcess, code: string): string {
    this.#sessions.put(this.#digests.of("hub-session", code), process, this.#clock.monotonic());
    return code;
  }

  find(token: string): ProvenProcess | undefined {
    return this.#sessions.get(this.#digests.of("hub-session", token), this.#clock.monotonic());
  }
}

/**
 * Signs them with the cloud's digest key, so that every process of the cloud knows them. A nonce is valid once at each
 * process.
 */
export class SignedSessions implements HubSessions {
  readonly #now: () => number;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #digests: Digests;
  readonly #used = new Expiring<true>(limits.challengeMs, limits.challenges);

  /** @param now ms since the epoch */
  constructor(now: () => number, clock: Pick<Clock, "monotonic">, digests: Digests) {
    this.#now = now;
    this.#clock = clock;
    this.#digests = digests;
  }

  challenge(hubId: string, code: string): string {
    const said = `${code}.${this.#now() + limits.challengeMs}`;
    return `${said}.${this.#digests.of("hub-challenge", said, hubId)}`;
  }

  take(nonce: string, hubId: string): boolean {
    const [code = "", until = "", digest = ""] = nonce.split(".");
    const isSigned = this.#digests.isOf(digest, "hub-challenge", `${code}.${until}`, hubId);
    if (!isSigned || Number(until) <= this.#now()) return false;
    const now = this.#clock.monotonic();
    if (this.#used.get(nonce, now) === true) return false;
    this.#used.put(nonce, true, now);
    return true;
  }

  begin({ hubId, generation, instance, x }: ProvenProcess, code: string): string {
    const said = [hubId, generation, instance, x, this.#now() + limits.hubSessionMs, code];
    const text = Buffer.from(JSON.stringify(said)).toString("base64url");
    return `${text}.${this.#digests.of("hub-session", text)}`;
  }

  find(token: string): ProvenProcess | undefined {
    const [text = "", digest = ""] = token.split(".");
    if (!this.#digests.isOf(digest, "hub-session", text)) return undefined;
    const [hubId, generation, instance, x, until] = JSON.parse(Buffer.from(text, "base64url").toString()) as [
      string,
      number,
      string,
      string,
      number,
    ];
    return until > this.#now() ? { hubId, generation, instance, x } : undefined;
  }
}
