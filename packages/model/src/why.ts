import Type from "typebox";
import { orNull } from "./schema.ts";

const Named = Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() });

/** A value that a guard read. */
const WhyReading = Type.Object({
  /**
   * `state` of a device, `setting` of the rule, `times` that hold or do not, `alarm`, `change`, `kept` by the
   * machine, `now`, `price`.
   */
  of: Type.String(),
  /** Its label: the field of the template in the reader's language, or the attribute. */
  label: Type.String(),
  name: Type.String(),
  device: orNull(Named),
  value: Type.Unknown(),
  /** Whether another value would have made the guard hold. */
  decides: Type.Boolean(),
});
export type WhyReading = Type.Static<typeof WhyReading>;

/** A transition that was evaluated, and whether its guard held. */
const WhyGuard = Type.Object({
  from: Type.String(),
  on: Type.String(),
  to: orNull(Type.String()),
  held: Type.Boolean(),
  text: Type.String(),
  readings: Type.Array(WhyReading),
});
export type WhyGuard = Type.Static<typeof WhyGuard>;

/** What a machine of a rule did at an event. */
const WhyStep = Type.Object({
  rule: Type.String(),
  /** `<rule>`, or `<rule>/<device>` when each device has a machine. */
  run: Type.String(),
  /** The state before and after; null: it does not run. */
  before: orNull(Type.String()),
  after: orNull(Type.String()),
  /** Null: the home of that time is unknown, or this release would step differently. */
  guards: orNull(Type.Array(WhyGuard)),
});
export type WhyStep = Type.Static<typeof WhyStep>;

/** How a command ended. */
const WhyOutcome = Type.Object({
  outcome: Type.Enum(["confirmed", "done", "failed", "expired", "pending", "unknown"]),
  at: orNull(Type.Integer()),
  ref: orNull(Type.String()),
  message: orNull(Type.String()),
});
export type WhyOutcome = Type.Static<typeof WhyOutcome>;

/** A link of a chain of causes: an event, in words for the reader. */
const WhyLink = Type.Object({
  /** ms since the epoch. */
  at: Type.Integer(),
  ref: Type.String(),
  type: Type.String(),
  /** The event's origin; `user` when the reader may not learn which. */
  origin: Type.String(),
  text: Type.String(),
  object: orNull(Named),
  step: Type.Optional(WhyStep),
  outcome: Type.Optional(WhyOutcome),
});
export type WhyLink = Type.Static<typeof WhyLink>;

export const obstacleKinds = [
  "RULE_OFF",
  "NO_TEMPLATE",
  "NO_FEATURE",
  "FAULT",
  "NOTHING_HEARD",
  "NOT_LISTENING",
  "GUARD",
  "WAITING",
  "HELD",
  "SUPPRESSED",
  "FAILED",
  "EXPIRED",
  "PENDING",
  "ALREADY",
  "UNREACHABLE",
  "GONE",
] as const;
export type ObstacleKind = (typeof obstacleKinds)[number];

/** What keeps a rule from acting. */
const WhyObstacle = Type.Object({
  kind: Type.Enum(obstacleKinds),
  text: Type.String(),
  object: Type.Optional(Named),
  ref: Type.Optional(Type.String()),
  /** ms since the epoch. */
  until: Type.Optional(Type.Integer()),
  guard: Type.Optional(WhyGuard),
});
export type WhyObstacle = Type.Static<typeof WhyObstacle>;

/** Why a rule did not act. */
const WhyNot = Type.Object({
  rule: Type.String(),
  name: Type.String(),
  /** The machine's run: the rule's own id unless each device has a machine. */
  run: Type.String(),
  isOn: Type.Boolean(),
  /** The machine's state; null: it does not run. */
  state: orNull(Type.String()),
  text: Type.String(),
  /** The last event that reached it. */
  event: orNull(WhyLink),
  step: orNull(WhyStep),
  obstacles: Type.Array(WhyObstacle),
});
export type WhyNot = Type.Static<typeof WhyNot>;

/** Why an attribute has its value, or why rules did not act. */
export const Why = Type.Object({
  type: Type.Literal("WHY"),
  object: Named,
  attribute: orNull(Type.String()),
  value: Type.Unknown(),
  /** The time of the question, ms since the epoch. */
  at: Type.Integer(),
  /** Newest first. */
  links: Type.Array(WhyLink),
  /**
   * `root`: the last link is the origin; `limit`: there are more causes than are kept; `gone`: the cause of
   * the last link is no longer in the log; `never`: it has never changed; null for a question of why not.
   */
  end: orNull(Type.Enum(["root", "limit", "gone", "never"])),
  /** Later commands that failed, expired or are under way, newest first. */
  attempts: Type.Array(WhyLink),
  not: Type.Array(WhyNot),
  /** Whether more rules drive the device than the answer lists. */
  more: Type.Boolean(),
});
export type Why = Type.Static<typeof Why>;
