/** `id` is the hub's; `by` is the account of whoever wants it. */
export type AuthorizationCommand =
  /** A hub without an owner names one. Who had access before has none any more. */
  | { type: "CLAIM_HUB"; id: string; owner: string; from?: string }
  /** By who runs the cloud: nobody has access any more. */
  | { type: "RELEASE_HUB"; id: string }
  /** By its owner: nobody has access any more. */
  | { type: "DISOWN_HUB"; id: string; by: string }
  /** A further one takes the place of the one before. */
  | { type: "INVITE"; id: string; by: string; user: string; role: number; codeDigest: string }
  /** @param codeDigest of the code that was given; left out where the account names the hub */
  | { type: "ACCEPT_INVITATION"; id: string; user: string; codeDigest?: string }
  /** Of somebody who has access, or who is invited. */
  | { type: "SET_ROLE"; id: string; by: string; user: string; role: number }
  /** Takes access away, or an invitation back; from oneself too, unless one is the owner. */
  | { type: "REVOKE"; id: string; by: string; user: string }
  /** What the owner has revoked at the hub itself. Who has no access is passed over. */
  | { type: "REVOKE_AT_HUB"; id: string; users: readonly string[] }
  | { type: "OFFER_OWNERSHIP"; id: string; by: string; to: string; codeDigest: string }
  /** By the owner, or by whom it is offered to. */
  | { type: "WITHDRAW_OFFER"; id: string; by: string }
  | { type: "ACCEPT_OWNERSHIP"; id: string; user: string; codeDigest?: string }
  /** After a restore: no number that was given since the backup is given again. */
  | { type: "RENUMBER_LIST"; id: string; above: number }
  /** The hub has taken the list of this number. */
  | { type: "NOTE_SEEN"; id: string; seq: number };
