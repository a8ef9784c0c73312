import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { numberIn, rounded } from "./value.ts";

/** The highest level; 255 stands for the last level that was not 0. */
export const fullLevel = 99;

export const switches: readonly ValueRow[] = [
  {
    commandClass: commandClass.binarySwitch,
    property: "currentValue",
    capabilities: (_value, kind) => ["ON_OFF", kind === "lamp" ? "CONTROL_LIGHT" : "CONTROL_POWER"],
    attributes: ({ value }) => (typeof value === "boolean" ? { isOn: value } : {}),
  },
  {
    commandClass: commandClass.multilevelSwitch,
    property: "currentValue",
    capabilities: (_value, kind) =>
      kind === "cover"
        ? ["BLINDS", "LIFT", "COVER_STOP"]
        : ["ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS", "TRANSITION"],
    attributes({ value }, kind) {
      const level = numberIn(value, 0, fullLevel);
      if (level === undefined) return {};
      const share = rounded(level / fullLevel, 4);
      if (kind === "cover") return { position: share, liftPct: Math.round(share * 100) };
      return { isOn: level > 0, ...(level > 0 && { brightness: share }) };
    },
  },
  {
    commandClass: commandClass.sound,
    property: "toneId",
    capabilities: () => ["GENERATE_ALERT"],
    attributes({ value }) {
      const tone = numberIn(value, 0, 0xff);
      return tone === undefined ? {} : { isOn: tone > 0, sirenOn: tone > 0 };
    },
  },
];
