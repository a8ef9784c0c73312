/** What the library is about to do with the stick that it has found. */
export type Step =
  /** The stick carries the network. */
  | "resume"
  /** The network is written to it from its backup. */
  | "restore"
  /** A new network is formed on it. */
  | "form";

/** What there is to lose. */
export interface Stake {
  /** A stick has carried the network before. */
  readonly isKnown: boolean;
  /** Somebody has said that a new network is to be formed whatever there was. */
  readonly isConfirmed: boolean;
  /** Why the network cannot be put onto the stick; undefined: it can. */
  readonly unrestorable: string | undefined;
}

/** The stick may not be used as it is: somebody has to decide. */
export class RefusedStick extends Error {
  override readonly name = "RefusedStick";
}

/**
 * Whether the library may go on. Our network is never given up without a word, and none is formed over somebody else's
 * without one. Ours is put over another where it can be: whoever plugs a stick into a hub is taken at their word.
 * @param holdsOther the stick holds a network that is not ours.
 * @throws RefusedStick
 */
export function judge(step: Step, holdsOther: boolean, stake: Stake): void {
  const { isKnown, isConfirmed, unrestorable } = stake;
  if (isConfirmed || step === "resume") return;
  const held = holdsOther ? "the stick holds another network" : "the stick holds no network";
  if (!isKnown && holdsOther) throw new RefusedStick(`${held}, which is lost when a new one is formed on it`);
  if (!isKnown) return;
  if (step === "restore" && unrestorable === undefined) return;
  throw new RefusedStick(
    `${held}, and the hub's own is not to be put onto it: ${unrestorable ?? "it does not take it"}`,
  );
}
