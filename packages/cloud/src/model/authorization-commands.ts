/** Commands about access to a hub. `id` is the hub's; `by` is the acting account. */
export type AuthorizationCommand =
  /** A hub without an owner names one. Everybody who had access loses it. */
  | { type: "CLAIM_HUB"; id: string; owner: string; from?: string }
  /** By the operator: everybody loses access. */
  | { type: "RELEASE_HUB"; id: string }
  /** By the owner: everybody loses access. */
  | { type: "DISOWN_HUB"; id: string; by: string }
  /** Replaces an earlier invitation of the same user. */
  | { type: "INVITE"; id: string; by: string; user: string; role: number; codeDigest: string }
  /** `codeDigest`: of the code in the link; left out when the invited user accepts by hub id. */
  | { type: "ACCEPT_INVITATION"; id: string; user: string; codeDigest?: string }
  /** Of a user with access, or an invited one. */
  | { type: "SET_ROLE"; id: string; by: string; user: string; role: number }
  /** Revokes access or withdraws an invitation; also one's own, unless one is the owner. */
  | { type: "REVOKE"; id: string; by: string; user: string }
  /** Users whom the owner has revoked at the hub itself. Skips users without access. */
  | { type: "REVOKE_AT_HUB"; id: string; users: readonly string[] }
  | { type: "OFFER_OWNERSHIP"; id: string; by: string; to: string; codeDigest: string }
  /** By the owner, or by the recipient of the offer. */
  | { type: "WITHDRAW_OFFER"; id: string; by: string }
  | { type: "ACCEPT_OWNERSHIP"; id: string; user: string; codeDigest?: string }
  /** After a restore: skips all list numbers that were used since the backup. */
  | { type: "RENUMBER_LIST"; id: string; above: number }
  /** The hub has the list with this number. */
  | { type: "NOTE_SEEN"; id: string; seq: number };
