/** Who has access to a hub, as a numbered list. `id` is the hub's. */
export interface HubAuthorizations {
  readonly id: string;
  /** Number of the list: grows with every change that the hub must learn. */
  readonly seq: number;
  /** The newest list number that the hub has acknowledged. */
  readonly seen: number;
  /** Users with access: exactly one is the owner. Empty while the hub is unclaimed. */
  readonly users: readonly AuthorizedUser[];
  readonly invitations: readonly Invitation[];
  /** Offer of ownership that is still open. */
  readonly transfer: Transfer | null;
  /** How the hub named its owner; null once the hub was given away. Older states lack it. */
  readonly claim?: Claim | null;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    authorizations: HubAuthorizations;
  }
}

export interface AuthorizedUser {
  /** An account. */
  readonly user: string;
  /** One role bit of hub-api 5.3; the owner's is `OWNER_ADMIN`. */
  readonly role: number;
  /** Since when (ms). */
  readonly since: number;
  /** Number of the list that gave access: HubKeys of older lists are refused. */
  readonly granted: number;
}

/** Offer of access, which the invited user must accept. */
export interface Invitation {
  readonly user: string;
  readonly role: number;
  /** The inviter. The invitation is withdrawn when the inviter may no longer manage access. */
  readonly by: string;
  /** Keyed digest of the code in the mailed link. */
  readonly codeDigest: string;
  /** ms since the epoch. */
  readonly expires: number;
}

export interface Transfer {
  readonly to: string;
  readonly codeDigest: string;
  readonly expires: number;
}

/** How a hub named its owner. */
export interface Claim {
  /** ms since the epoch. */
  readonly at: number;
  /** Network address that the hub called from; null if unknown. */
  readonly from: string | null;
}
