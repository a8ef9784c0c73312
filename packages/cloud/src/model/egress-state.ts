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

/** A program outside that gets the events of a site. */
export interface EgressTarget {
  readonly id: string;
  readonly settings: EgressSettings;
  readonly isEnabled: boolean;
  /** `whsec_` and base64, as Standard Webhooks has it. */
  readonly secret: string;
  readonly former: FormerSecret | null;
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
