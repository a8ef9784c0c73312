import Type from "typebox";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/**
 * Where the machine of a rule stands: one for each rule, or for each of its devices where its template says so.
 * The id is the rule's, or `<rule>/<device>`.
 */
export interface RuleRun {
  readonly id: string;
  readonly rule: string;
  /** The version of the template whose machine it is. */
  readonly templateVersion: number;
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  /** Steps that threw, one after the other. */
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
  /** A custom rule has something to say in its log. */
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
/** A step threw: the machine stays where it was. */
const RuleFaulted = telemetry(
  defineEvent("RuleFaulted", 1, { rule: Type.String(), reason: Type.String(), faults: Type.Integer() }),
  () => ["faults"],
);
/** What a custom rule has to say, to be found in its log. */
const RuleSaid = telemetry(defineEvent("RuleSaid", 1, { text: Type.String() }));
const RuleRunEnded = telemetry(defineEvent("RuleRunEnded", 1, {}));

export type RuleRunEvent =
  | EventOf<typeof RuleStepped>
  | EventOf<typeof RuleFaulted>
  | EventOf<typeof RuleSaid>
  | EventOf<typeof RuleRunEnded>;

/** What happens in a rule is told of, never worked out again: a rebuild copies `RuleStepped`. */
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
