import Type from "typebox";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/**
 * The state of a rule's machine: one for each rule, or one for each of its devices if the template says so.
 * The id is the rule's, or `<rule>/<device>`.
 */
export interface RuleRun {
  readonly id: string;
  readonly rule: string;
  /** The version of the machine's template. */
  readonly templateVersion: number;
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  /** Failed steps in a row. */
  readonly faults: number;
}

declare module "./states.ts" {
  interface States {
    ruleRun: RuleRun;
  }
}

export type RuleRunCommand =
  | {
      type: "NOTE_STEPPED";
      id: string;
      rule: string;
      templateVersion: number;
      value: unknown;
      context: Readonly<Record<string, unknown>>;
    }
  | { type: "NOTE_FAULT"; id: string; rule: string; reason: string }
  /** A custom rule writes to its log. */
  | { type: "NOTE_RULE_SAID"; id: string; text: string }
  | { type: "END_RUN"; id: string };

const RuleStepped = telemetry(
  defineEvent("RuleStepped", 1, {
    rule: Type.String(),
    templateVersion: Type.Integer(),
    value: Type.Unknown(),
    context: Type.Record(Type.String(), Type.Unknown()),
  }),
  () => ["value", "faults"],
);
/** A step failed: the machine keeps its state. */
const RuleFaulted = telemetry(
  defineEvent("RuleFaulted", 1, { rule: Type.String(), reason: Type.String(), faults: Type.Integer() }),
  () => ["faults"],
);
/** A line of a custom rule in its log. */
const RuleSaid = telemetry(defineEvent("RuleSaid", 1, { text: Type.String() }));
const RuleRunEnded = telemetry(defineEvent("RuleRunEnded", 1, {}));

export type RuleRunEvent =
  | EventOf<typeof RuleStepped>
  | EventOf<typeof RuleFaulted>
  | EventOf<typeof RuleSaid>
  | EventOf<typeof RuleRunEnded>;

/** A replay copies the state from `RuleStepped` and never runs the rules again. */
export const ruleRun: Decider<RuleRun, RuleRunCommand, RuleRunEvent> = {
  kind: "ruleRun",
  commands: ["NOTE_STEPPED", "NOTE_FAULT", "NOTE_RULE_SAID", "END_RUN"],
  events: [RuleStepped, RuleFaulted, RuleSaid, RuleRunEnded],

  target: ({ id }) => id,

  decide(command, state) {
    const { id } = command;
    switch (command.type) {
      case "NOTE_STEPPED": {
        const { rule, templateVersion, value, context } = command;
        return [{ type: "RuleStepped", id, rule, templateVersion, value, context } satisfies RuleRunEvent];
      }
      case "NOTE_FAULT": {
        const { rule, reason } = command;
        const faults = (state?.faults ?? 0) + 1;
        return [{ type: "RuleFaulted", id, rule, reason, faults } satisfies RuleRunEvent];
      }
      case "NOTE_RULE_SAID":
        return [{ type: "RuleSaid", id, text: command.text } satisfies RuleRunEvent];
      case "END_RUN":
        return state === undefined ? [] : [{ type: "RuleRunEnded", id } satisfies RuleRunEvent];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case "RuleStepped": {
        const { id, rule, templateVersion, value, context } = event;
        return { id, rule, templateVersion, value, context, faults: 0 };
      }
      case "RuleFaulted":
        return state && { ...state, faults: event.faults };
      case "RuleSaid":
        return state;
      case "RuleRunEnded":
        return undefined;
    }
  },
};
