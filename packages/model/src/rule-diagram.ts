import Type from "typebox";
import { orNull } from "./schema.ts";

/** A state of a rule's machine. */
const DiagramState = Type.Object({
  /** Its names from the outermost state on, joined by dots, such as `on.lit.dim`. */
  id: Type.String(),
  name: Type.String(),
  /** Id of the state around it; null: none. */
  parent: orNull(Type.String()),
  /** The machine enters it together with the state around it. */
  initial: Type.Boolean(),
  /** All states in it are active at once. */
  parallel: Type.Boolean(),
  /** A machine of the rule stands in it, and in none of the states within it. */
  current: Type.Boolean(),
});

/** What leads from a state to another. Without `on` and `after` the machine checks it after every event. */
const DiagramTransition = Type.Object({
  from: Type.String(),
  /** Equals `from` where the machine stays in its state. */
  to: Type.String(),
  /** Name of the event, such as `in.motion`. */
  on: orNull(Type.String()),
  /** Time in the state: a number is ms, a text names a delay, such as `cfg.timeout`. */
  after: orNull(Type.Union([Type.Integer(), Type.String()])),
  /** Condition in words; `…` for one that is code. */
  guard: orNull(Type.String()),
});

/** The machine of a rule or of a template. Each state stands behind the state around it. */
export const RuleDiagram = Type.Object({
  type: Type.Literal("RULE_DIAGRAM"),
  configType: Type.String(),
  states: Type.Array(DiagramState),
  transitions: Type.Array(DiagramTransition),
});
export type RuleDiagram = Type.Static<typeof RuleDiagram>;
