import Type from "typebox";
import { orNull } from "./schema.ts";

const Named = Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() });

/** Something that a guard looked at. */
const WhyReading = Type.Object({
  /** `state` of a device, `setting` of the rule, `times` that hold or do not, `alarm`, `change`, `kept` by the machine, `now`, `price`. */
  of: Type.String(),
  /** What it is called: the field of the template in the reader's language, or the attribute. */
  label: Type.String(),
  name: Type.String(),
  device: orNull(Named),
  value: Type.Unknown(),
  /** Whether another value of it would have made the guard hold. */
  decides: Type.Boolean(),
});
export type WhyReading = Type.Static<typeof WhyReading>;

/** A transition that was looked at, and whether its guard held. */
const WhyGuard = Type.Object({
  from: Type.String(),
  on: Type.String(),
  to: orNull(Type.String()),
  held: Type.Boolean(),
  text: Type.String(),
  readings: Type.Array(WhyReading),
});
export type WhyGuard = Type.Static<typeof WhyGuard>;

/** What a machine of a rule did with an event. */
const WhyStep = Type.Object({
  rule: Type.String(),
  /** `<rule>`, or `<rule>/<device>` where each device has a machine. */
  run: Type.String(),
  /** States that it stood in and stands in; null: it does not run. */
  before: orNull(Type.String()),
  after: orNull(Type.String()),
  /** Null: what the home was like then is gone, or this release would step otherwise. */
  guards: orNull(Type.Array(WhyGuard)),
});
export type WhyStep = Type.Static<typeof WhyStep>;

/** What became of a command. */
const WhyOutcome = Type.Object({
  outcome: Type.Enum(["confirmed", "done", "failed", "expired", "pending", "unknown"]),
  at: orNull(Type.Integer()),
  ref: orNull(Type.String()),
  message: orNull(Type.String()),
});
export type WhyOutcome = Type.Static<typeof WhyOutcome>;

/** A link of a chain of causes: an event, and what a reader understands of it. */
const WhyLink = Type.Object({
  /** ms since the epoch. */
  at: Type.Integer(),
  ref: Type.String(),
  type: Type.String(),
  /** As of the event; `user` where the reader may not know which. */
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

/** What keeps a rule from doing anything. */
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
  /** Of the machine; the rule's own id unless each device has one. */
  run: Type.String(),
  isOn: Type.Boolean(),
  /** States that it stands in; null: it does not run. */
  state: orNull(Type.String()),
  text: Type.String(),
  /** The last event that reached it. */
  event: orNull(WhyLink),
  step: orNull(WhyStep),
  obstacles: Type.Array(WhyObstacle),
});
export type WhyNot = Type.Static<typeof WhyNot>;

/** Why an attribute of an object is as it is, or why rules did not act. */
export const Why = Type.Object({
  type: Type.Literal("WHY"),
  object: Named,
  attribute: orNull(Type.String()),
  value: Type.Unknown(),
  /** The moment that it is about, ms since the epoch. */
  at: Type.Integer(),
  /** The newest first. */
  links: Type.Array(WhyLink),
  /**
   * `root`: the last link is where it began; `limit`: there are more causes than are kept; `gone`: the cause of the
   * last link is not in the log any more; `never`: nothing has changed it; null where why not was asked.
   */
  end: orNull(Type.Enum(["root", "limit", "gone", "never"])),
  /** Commands that came after that and failed, were given up or are under way, the newest first. */
  attempts: Type.Array(WhyLink),
  not: Type.Array(WhyNot),
  /** Whether more rules drive the device than are told of. */
  more: Type.Boolean(),
});
export type Why = Type.Static<typeof Why>;
