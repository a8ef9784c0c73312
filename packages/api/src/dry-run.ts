import Type from "typebox";

const Time = Type.Integer({ description: "ms since the epoch" });
/** What a custom rule would have done lately, as if it had been on: open loop, devices do not hear of it. */
export const DryRun = Type.Object({
  from: Time,
  to: Time,
  firings: Type.Integer(),
  commandCount: Type.Integer(),
  /** Commands within one minute, of the first `limits.whatIfItems`. */
  mostPerMinute: Type.Integer(),
  faults: Type.Array(Type.Object({ at: Time, rule: Type.String(), reason: Type.String() })),
  stopped: Type.Array(Type.Object({ at: Time, rule: Type.String() })),
  /** False: there was no time for all of it. */
  isWhole: Type.Boolean(),
});
export type DryRun = Type.Static<typeof DryRun>;
