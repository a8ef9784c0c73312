import Type from "typebox";

const Time = Type.Integer({ description: "ms since the epoch" });
/** What a custom rule would have done lately had it been on. Open loop: recorded devices do not react. */
export const DryRun = Type.Object({
  from: Time,
  to: Time,
  firings: Type.Integer(),
  commandCount: Type.Integer(),
  /** The most commands within one minute, among the first `limits.whatIfItems`. */
  mostPerMinute: Type.Integer(),
  faults: Type.Array(Type.Object({ at: Time, rule: Type.String(), reason: Type.String() })),
  stopped: Type.Array(Type.Object({ at: Time, rule: Type.String() })),
  /** False if the time budget ended before the whole span was read. */
  isWhole: Type.Boolean(),
});
export type DryRun = Type.Static<typeof DryRun>;
