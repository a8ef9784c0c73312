import { rounded } from "../house.ts";
import type { Behaviour } from "./behaviour.ts";
import { part } from "./behaviour.ts";

/** The abilities of a lamp. `white`: its colour temperatures from the warmest to the coldest, in K. */
export interface LightKind {
  readonly dims: boolean;
  readonly colours?: boolean;
  readonly white?: readonly [warmest: number, coldest: number];
}

type Channel = "brightness" | "hue" | "saturation" | "temperature";
type Channels = Readonly<Record<Channel, number>>;

interface LightState {
  readonly isOn: boolean;
  readonly colorMode: "hs" | "ct";
  /** The start and end values of a transition, and its times (ms). */
  readonly from: Channels;
  readonly goal: Channels;
  readonly startedAt: number;
  readonly endsAt: number;
  readonly now: number;
}

const channels: readonly Channel[] = ["brightness", "hue", "saturation", "temperature"];
const resolution: Channels = { brightness: 0.001, hue: 0.001, saturation: 0.001, temperature: 1 };

/**
 * A lamp. In mode `hs` its temperature reads -1; in mode `ct` its hue and saturation do (wire-facts 1.2).
 * Commanded values read back exactly once their transition has ended.
 */
export const light = (kind: LightKind) =>
  part<LightState>({
    begin(random) {
      const [warmest, coldest] = kind.white ?? [2700, 2700];
      const goal = {
        brightness: rounded(0.3 + 0.7 * random(), 0.01),
        hue: 0.5,
        saturation: 1,
        temperature: warmest,
      };
      goal.temperature = Math.round(warmest + (coldest - warmest) * 0.2);
      return { isOn: false, colorMode: "ct", from: goal, goal, startedAt: 0, endsAt: 0, now: 0 };
    },

    step: (state, { house }) => ({ ...state, now: house.now }),

    show(state) {
      const { brightness, hue, saturation, temperature } = present(state);
      const isWhite = state.colorMode === "ct";
      const [minTemperature, maxTemperature] = kind.white ?? [];
      return {
        isOn: state.isOn,
        ...(kind.dims && { brightness }),
        ...((kind.colours || kind.white) && {
          colorMode: state.colorMode,
          hue: isWhite ? -1 : hue,
          saturation: isWhite ? -1 : saturation,
          temperature: isWhite ? temperature : -1,
        }),
        ...(kind.white && { minTemperature, maxTemperature }),
      };
    },

    set(state, wanted, now) {
      const told = (channel: Channel): number | undefined => {
        const value = wanted[channel];
        return typeof value === "number" && value !== -1 ? value : undefined;
      };
      const goal = { ...state.goal };
      for (const channel of channels) goal[channel] = told(channel) ?? goal[channel];
      const colorMode = modeOf(state, wanted["colorMode"], told);
      const at = { ...state, now };
      // No path leads from white to colour: only the brightness fades.
      const from =
        colorMode === state.colorMode ? present(at) : { ...goal, brightness: present(at).brightness };
      const ms = wanted["transitionMsec"];
      const endsAt = now + (typeof ms === "number" ? ms : 0);
      const isOn = typeof wanted["isOn"] === "boolean" ? wanted["isOn"] : state.isOn;
      return { isOn, colorMode, from, goal, startedAt: now, endsAt, now };
    },
  } satisfies Behaviour<LightState>);

function modeOf(
  state: LightState,
  wanted: unknown,
  told: (channel: Channel) => number | undefined,
): LightState["colorMode"] {
  if (wanted === "hs" || wanted === "ct") return wanted;
  if (told("temperature") !== undefined) return "ct";
  return told("hue") !== undefined || told("saturation") !== undefined ? "hs" : state.colorMode;
}

function present({ from, goal, startedAt, endsAt, now }: LightState): Channels {
  if (now >= endsAt) return goal;
  const share = (now - startedAt) / (endsAt - startedAt);
  const at = (channel: Channel): number =>
    rounded(from[channel] + (goal[channel] - from[channel]) * share, resolution[channel]);
  return {
    brightness: at("brightness"),
    hue: at("hue"),
    saturation: at("saturation"),
    temperature: at("temperature"),
  };
}
