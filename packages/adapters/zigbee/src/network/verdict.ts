/** What the library is about to do with a stick. */
export type Step =
  /** Resume the network that the stick carries. */
  | "resume"
  /** Write the network to the stick from its backup. */
  | "restore"
  /** Form a new network on it. */
  | "form";

/** What could be lost. */
export interface Stake {
  /** Whether a stick has carried the network before. */
  readonly isKnown: boolean;
  /** Whether a user has confirmed that a new network replaces whatever there was. */
  readonly isConfirmed: boolean;
  /** Why the network cannot be restored onto the stick; undefined when it can. */
  readonly unrestorable: string | undefined;
}

/** The stick must not be used as it is: a user has to decide. */
export class RefusedStick extends Error {
  override readonly name = "RefusedStick";
}

/**
 * Refuses a step that would silently lose the hub's network or somebody else's. Restoring over another
 * network is allowed: a user who plugs a stick into a hub means to use it there.
 * @param holdsOther the stick holds another network.
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
    `${held}, and the hub's own cannot be put onto it: ${unrestorable ?? "it cannot be restored"}`,
  );
}
