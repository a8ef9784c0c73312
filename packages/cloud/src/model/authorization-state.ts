/** Who has access to a hub, as a numbered list: `id` is the hub's. */
export interface HubAuthorizations {
  readonly id: string;
  /** Number of the list: grows with every change that the hub has to hear of. */
  readonly seq: number;
  /** The newest number that the hub says to have taken. */
  readonly seen: number;
  /** Who has access. Exactly one of them is the owner; nobody is there while the hub is not claimed. */
  readonly users: readonly AuthorizedUser[];
  readonly invitations: readonly Invitation[];
  /** The ownership is offered to somebody. */
  readonly transfer: Transfer | null;
  /** How the owner came to be it; null once the hub was given away. States of before do not say. */
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
  /** Number of the list by which they were given access: HubKeys from before it are refused. */
  readonly granted: number;
}

/** Somebody may have access as soon as they accept. */
export interface Invitation {
  readonly user: string;
  readonly role: number;
  /** Who has invited them; without a say any more, their invitations are withdrawn. */
  readonly by: string;
  /** Keyed digest of the code in the link that was sent. */
  readonly codeDigest: string;
  /** ms since the epoch. */
  readonly expires: number;
}

export interface Transfer {
  readonly to: string;
  readonly codeDigest: string;
  readonly expires: number;
}

/** A hub has named its owner. */
export interface Claim {
  /** ms since the epoch. */
  readonly at: number;
  /** Network address that the hub called from; null where that is not known. */
  readonly from: string | null;
}
