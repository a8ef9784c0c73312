/** What people set of an egress target (platform-api 2.4), but for whether it is enabled. */
export interface EgressSettings {
  readonly url: string;
  readonly method: "POST" | "PUT";
  /** Headers that it adds. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: `limits.egressTimeoutUsualS`. */
  readonly requestTimeoutSeconds: number | null;
  readonly fetchMaxEvents: number;
  readonly fetchWaitMaxMs: number;
}

/** A signing secret that another one has replaced. */
export interface FormerSecret {
  readonly secret: string;
  /** Until when it signs as well (ms since the epoch). */
  readonly until: number;
}

/** A batch that its receiver has refused, and that was left out. */
export interface DeadLetter {
  readonly batchId: string;
  /** The positions of its first and last event in the outbox of the site. */
  readonly first: number;
  readonly last: number;
  /** How many events it has. */
  readonly events: number;
  /** What the receiver answered. */
  readonly reason: string;
  /** ms since the epoch. */
  readonly at: number;
  /** Whether it is to be sent again. */
  readonly isReplayed: boolean;
}

/** Why the cloud sends nothing to a target any more. */
export interface EgressStop {
  /** `gone`: the receiver answered 410. `failing`: nothing was accepted for `limits.egressVainMs`. */
  readonly reason: "gone" | "failing";
  /** Whether the owners of the tenant know. */
  readonly isTold: boolean;
}

/** A program outside that gets the events of a site. */
export interface EgressTarget {
  readonly id: string;
  readonly settings: EgressSettings;
  readonly isEnabled: boolean;
  /** `whsec_` and base64, as Standard Webhooks has it. */
  readonly secret: string;
  readonly former: FormerSecret | null;
  /** Set when the cloud has disabled it. */
  readonly stop: EgressStop | null;
  /** Since when nothing was accepted (ms since the epoch); null while it works. */
  readonly failingSince: number | null;
  /** Oldest first. */
  readonly deadLetters: readonly DeadLetter[];
  /** It gets events from then on (ms since the epoch). */
  readonly since: number;
}

/** The egress targets of a site; the id is the site's. */
export interface Egress {
  readonly id: string;
  /** By `keyOf` of the id. */
  readonly targets: Readonly<Record<string, EgressTarget>>;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    egress: Egress;
  }
}
