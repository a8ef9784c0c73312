import { type AttributeValues, kept, remembered } from "@ledge/exposes";
import type { At, ClusterMap } from "../cluster.ts";
import { has } from "../cluster.ts";
import { integer } from "../values.ts";
import { levelSettings } from "./level-settings.ts";
import { evenIfOff, tenths } from "./transition.ts";

/** Level 1, the lowest at which a lamp is on, is brightness 0.0. */
const levelOf = (brightness: number): number => 1 + Math.round(brightness * 253);
const brightnessOf = (level: number): number => (Math.max(1, level) - 1) / 253;

export const levelControl: ClusterMap = {
  cluster: "genLevelCtrl",
  id: 0x0008,
  capabilities: (endpoint) =>
    // Without an on/off cluster it is the level of something else, such as a speaker or fan.
    endpoint.input.includes(0x0006) ? ["BRIGHTNESS", "TRANSITION"] : [],
  state: () => ["currentLevel"],
  // Without a minimum, a fade would be reported several times a second.
  reporting: () => [{ attribute: "currentLevel", minSeconds: 1, maxSeconds: 3600, change: 2 }],
  attributesOf(values, at) {
    const current = integer(values, "currentLevel", 0, 254);
    if (current === undefined) return {};
    return { brightness: kept(remembered(at, "brightness"), current, levelOf, brightnessOf) };
  },
  framesFor(wanted, at) {
    const { brightness, isOn } = wanted;
    const transtime = tenths(wanted);
    if (doesLevel(wanted, at)) {
      const level = levelOf(shareOf(brightness) ?? shareOf(at.before["brightness"]) ?? 1);
      return [{ kind: "command", name: "moveToLevelWithOnOff", payload: { level, transtime } }];
    }
    const share = shareOf(brightness);
    if (share === undefined) return [];
    const isOff = isOn === false || at.before["isOn"] === false;
    const payload = { level: levelOf(share), transtime, ...(isOff ? evenIfOff : {}) };
    return [{ kind: "command", name: "moveToLevel", payload }];
  },
  settings: levelSettings,
};

/** Whether a move to a level switches the lamp on: one frame, without a flash at the previous level. */
export function doesLevel(wanted: AttributeValues, { endpoint, before, unit }: At): boolean {
  if (wanted["isOn"] !== true || !has(endpoint, levelControl)) return false;
  if (!unit.capabilities.includes("BRIGHTNESS")) return false;
  if (shareOf(wanted["brightness"]) !== undefined) return true;
  return tenths(wanted) > 0 && shareOf(before["brightness"]) !== undefined;
}

function shareOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
}
