import type { Command, RuleState } from "@ledge/model";
import { alarmId, alarmLevel, alarmTextId, messageChannels } from "@ledge/model";
import type { AlarmSource, Effect } from "../machine/effect.ts";
import type { WorkingRule } from "./members.ts";
import type { Template } from "../catalogue/template.ts";

/** Returns the commands for the effects that a machine wants. */
export function commandsOf(
  effects: readonly Effect[],
  rule: WorkingRule,
  template: Template,
): readonly Command[] {
  return effects.flatMap((effect) => commandOf(effect, rule, template));
}

function commandOf(effect: Effect, rule: WorkingRule, template: Template): Command | readonly Command[] {
  switch (effect.do) {
    case "set": {
      const { device: id, attributes, class: of = template.class } = effect;
      const group = rule.groups?.get(id);
      const how = { ...(template.level && { level: true }), ...(group !== undefined && { group }) };
      return { type: "DRIVE", id, rule: rule.id, class: of, attributes, ...how } as Command;
    }
    case "scene":
      return { type: effect.on ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id: effect.scene } as Command;
    case "rule":
      return { type: effect.on ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND", id: effect.rule } as Command;
    case "raise": {
      const { alarm: kind, about, facts = {}, hidden: namesHidden = false } = effect;
      const { sourceId, name } = sourceOf(rule, about);
      const said = { rule: rule.config.name, ...facts };
      // Guests must not learn of a device that they may not see.
      const isHidden = namesHidden || about?.visible === false;
      const hidden = isHidden ? { hidden: true } : {};
      const alarm = { type: "RAISE_ALARM", kind, sourceId, name, facts: said, ...hidden };
      const text = { id: alarmTextId(kind), parameters: { name, ...said } };
      const message = {
        type: "SEND_MESSAGE",
        channels: messageChannels,
        to: [],
        level: alarmLevel(kind),
        text,
      };
      return [alarm, { ...message, sourceId: isHidden ? sourceId : rule.id } as Command];
    }
    case "close": {
      const { alarm, about } = effect;
      return { type: "CLOSE_ALARM", id: alarmId(alarm, sourceOf(rule, about).sourceId) } as Command;
    }
    case "free":
      return { type: "FREE_OUTPUT", id: effect.device, rule: rule.id } as Command;
    case "log":
      return { type: "NOTE_RULE_SAID", id: rule.id, text: effect.text } as Command;
    case "snapshot":
      return { type: "CMD_SNAPSHOT", id: effect.device } as Command;
  }
}

function sourceOf(rule: RuleState, about: AlarmSource | undefined): { sourceId: string; name: string } {
  return about === undefined
    ? { sourceId: rule.id, name: rule.config.name }
    : { sourceId: about.id, name: about.name };
}
