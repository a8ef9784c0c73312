import type { JSX } from "preact";
import { turnRule } from "../api/rules.ts";
import { act } from "../store/commands.ts";
import { sync } from "../store/home.ts";
import { isAtLeast } from "../store/roles.ts";
import type { Rule } from "../store/wire.ts";
import { followsScenes } from "./follows-scenes.ts";
import { switchButton } from "./switch-button.tsx";

/** Turns a rule on and off by hand. Scenes that do so themselves leave nothing to press. */
export function RuleSwitch({ rule }: { readonly rule: Rule }): JSX.Element {
  const { id, is_on: isOn, config } = rule;
  const isBlocked = sync.connection.value !== "live" || !isAtLeast("IDENTIFIED_USER");
  return switchButton({
    label: config.name,
    isOn,
    blocked: isBlocked || followsScenes(rule) ? "" : undefined,
    flip: () => void act(turnRule(id, !isOn)),
  });
}
