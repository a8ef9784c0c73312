import type { Device, Rejection, RuleConfig } from "@ledge/model";
import { isSettable, reject } from "@ledge/model";
import type { Arguments, StateNode } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { set, turn } from "../machine/effect.ts";
import { devices, number, option, scenes } from "../catalogue/field.ts";
import type { Press } from "./parts/press.ts";
import { pressOf } from "./parts/press.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The index in `scenes` of the scene that comes next. */
  readonly next: number;
  /** The remote control whose key is held, and until when that counts (ms). */
  readonly held: string;
  readonly until: number;
  /** The level that the rule set last; the lights may still be on their way to it. */
  readonly level: number;
}

const repeatMs = 400;
const longestHoldMs = 5000;
const dimmest = 0.01;

/** Returns the press; a signal that changes counts as the key on or off. */
function pressed(view: View): Press | undefined {
  const { change } = view;
  if (change?.attribute !== "isOn") return pressOf(view);
  if (!change.isNews || change.value === change.before) return undefined;
  const key = change.value === true ? "on" : "off";
  return { device: change.device, button: 0, key, how: "press", isFull: false };
}

function lit(view: View): readonly Device[] {
  return view.devices("lights").filter((light) => view.reading("lights", light) === true);
}

/** Returns whether the press is for the next scene. */
function isForScene(view: View): boolean {
  const key = pressed(view)?.key;
  return view.text("mode") === "CYCLE_SCENES" && (key === "on" || key === "toggle");
}

/** Returns the level of the brightest dimmable light, 1 if it shows none; 0 when all are off. */
function brightest(view: View): number {
  const dimmable = lit(view).filter((light) => isSettable(light, "brightness"));
  return Math.max(0, ...dimmable.map(({ state }) => Number(state["brightness"] ?? 1)));
}

function stepped(level: number, by: number): number {
  return Math.round(Math.min(1, Math.max(dimmest, level + by)) * 1000) / 1000;
}

/** Sets the level of the lights that are on, or turns all on at it when none is. */
function dim(view: View, brightness: number): readonly Effect[] {
  const on = lit(view);
  if (on.length > 0) return set(on, { brightness });
  const all = view.devices("lights").filter((light) => view.reading("lights", light) === false);
  return set(all, { isOn: true, brightness });
}

function act(view: View, { next }: Context): readonly Effect[] {
  const press = pressed(view);
  const step = view.number("step");
  const lights = view.devices("lights");
  if (isForScene(view)) {
    const scene = view.texts("scenes")[next];
    return scene === undefined ? [] : [{ do: "scene", scene, on: true }];
  }
  switch (press?.key) {
    case "on":
      return press.isFull ? set(lights, { isOn: true, brightness: 1 }) : turn(lights, true);
    case "off":
      return turn(lights, false);
    case "toggle":
      return turn(lights, lit(view).length === 0);
    case "up":
      return dim(view, stepped(brightest(view), step));
    case "down":
      return brightest(view) === 0 ? [] : dim(view, stepped(brightest(view), -step));
    case undefined:
      return [];
  }
}

function nextScene(view: View, next: number): number {
  if (isForScene(view)) return (next + 1) % Math.max(1, view.texts("scenes").length);
  return pressed(view)?.key === "off" ? 0 : next;
}

/** A dimming key is pressed and held. */
function isHeld(view: View, key: "up" | "down"): boolean {
  const press = pressed(view);
  return press?.how === "hold" && press.key === key && (key === "up" || brightest(view) > 0);
}

/** The press comes from the remote control whose key is held. */
function isOfHeld(view: View, { held, until }: Context): boolean {
  return pressed(view)?.device.id === held && view.now < until;
}

const presses: NonNullable<StateNode<Context>["on"]>[string] = [
  { guard: ({ event: { view } }) => pressed(view)?.how === "release" },
  ...(["up", "down"] as const).map((key) => ({
    guard: ({ event: { view } }: Arguments<Context>) => isHeld(view, key),
    target: key,
    reenter: true as const,
    actions: [
      keep<Context>(({ event: { view } }) => ({
        held: pressed(view)?.device.id ?? "",
        until: view.now + longestHoldMs,
        level: brightest(view),
      })),
    ],
  })),
  {
    guard: ({ event: { view } }) => pressed(view)?.key !== undefined,
    target: "resting",
    actions: [
      out(({ context, event: { view } }) => act(view, context)),
      keep(({ context, event: { view } }) => ({ next: nextScene(view, context.next) })),
    ],
  },
];

function whileHeld(key: "up" | "down"): StateNode<Context> {
  const sign = key === "up" ? 1 : -1;
  const own: typeof presses = [
    {
      guard: ({ context, event: { view } }) => pressed(view)?.how === "release" && isOfHeld(view, context),
      target: "resting",
    },
    // Some remote controls repeat that the key is held.
    { guard: ({ context, event: { view } }) => isHeld(view, key) && isOfHeld(view, context) },
  ];
  return {
    entry: [
      keep(({ context, event: { view } }) => ({ level: stepped(context.level, sign * view.number("step")) })),
      out(({ context, event: { view } }) => dim(view, context.level)),
    ],
    on: { "in.remote": [...own, ...[presses].flat()] },
    after: {
      repeat: [
        {
          guard: ({ context, event: { view } }) => view.now < context.until,
          target: key,
          reenter: true,
        },
        { target: "resting" },
      ],
    },
  };
}

function sceneProblem({ extras }: RuleConfig): Rejection | undefined {
  const [mode] = extras["mode"] ?? [];
  if ((mode as { readonly value?: unknown } | undefined)?.value !== "CYCLE_SCENES") return undefined;
  return (extras["scenes"] ?? []).length > 0
    ? undefined
    : reject("invalid", "there are no scenes to go through", "extras.scenes");
}

/** Switches and dims lights, or cycles through scenes, with the keys of remote controls. */
export const remoteControl = template<Context>({
  configType: "REMOTE_CONTROL",
  version: 1,
  priority: 85,
  class: "MANUAL",
  byHand: true,
  icon: "remote",
  inputs: { remote: devices(["REMOTE_CONTROL", "DIMMER_CONTROL", "SIGNAL"], 1, 8) },
  outputs: { lights: devices(["ON_OFF", "CONTROL_LIGHT"], 1, 32) },
  extras: {
    mode: option(["ON_OFF", "CYCLE_SCENES"]),
    step: number("PERCENT", 0.2, dimmest, 1),
    scenes: scenes(0, 16),
  },
  late: { late: "skip", lateMaxMs: 2000 },
  // Enough for a key that is held all the time.
  atMostPerMinute: 60_000 / repeatMs,
  check: sceneProblem,
  chart: {
    context: { next: 0, held: "", until: 0, level: 0 },
    initial: "resting",
    delays: { repeat: () => repeatMs },
    states: {
      resting: { idle: true, on: { "in.remote": presses } },
      up: whileHeld("up"),
      down: whileHeld("down"),
    },
  },
  texts: {
    en: {
      name: "Remote control of lights",
      summary: "The keys of a remote control switch and dim lights",
      description:
        "On turns the lights on and off turns them off; a remote control with a single key does both in turn. The keys for brighter and darker go one step from the level of the brightest light, and further steps while they are held, for five seconds at most. Instead of turning the lights on, the on key can go through scenes, one with each press.",
      fields: {
        remote: ["Remote controls", "Remote controls, dimmers and signals"],
        lights: ["Lights", "What is switched and dimmed"],
        mode: ["On key", "What the on key does: turn the lights on, or go to the next scene"],
        step: ["Step", "How much brighter or darker with each press"],
        scenes: ["Scenes", "What the on key goes through, in this order"],
      },
    },
    fi: {
      name: "Valojen kaukosäädin",
      summary: "Kaukosäätimen painikkeet kytkevät ja himmentävät valoja",
      description:
        "Päälle-painike sytyttää valot ja pois-painike sammuttaa ne; yksipainikkeinen kaukosäädin tekee vuorotellen kumpaakin. Kirkkaammaksi ja himmeämmäksi -painikkeet muuttavat kirkkautta askeleen kirkkaimmasta valosta lähtien ja pohjassa pidettyinä edelleen, enintään viisi sekuntia. Valojen sytyttämisen sijaan painike voi käydä läpi tilanteita, yhden painallusta kohden.",
      fields: {
        remote: ["Kaukosäätimet", "Kaukosäätimet, himmentimet ja signaalit"],
        lights: ["Valot", "Mitä kytketään ja himmennetään"],
        mode: ["Päälle-painike", "Mitä painike tekee: sytyttää valot vai siirtyy seuraavaan tilanteeseen"],
        step: ["Askel", "Kuinka paljon kirkkaus muuttuu painallusta kohden"],
        scenes: ["Tilanteet", "Mitä päälle-painike käy läpi, tässä järjestyksessä"],
      },
    },
    sv: {
      name: "Fjärrkontroll för lampor",
      summary: "Fjärrkontrollens knappar tänder, släcker och dimrar lampor",
      description:
        "På-knappen tänder lamporna och av-knappen släcker dem; en fjärrkontroll med en enda knapp gör det omväxlande. Knapparna för ljusare och mörkare går ett steg från den starkaste lampan, och vidare så länge de hålls in, i högst fem sekunder. I stället för att tända lamporna kan knappen gå igenom scener, en för varje tryckning.",
      fields: {
        remote: ["Fjärrkontroller", "Fjärrkontroller, dimrar och signaler"],
        lights: ["Lampor", "Det som tänds, släcks och dimras"],
        mode: ["På-knappen", "Vad knappen gör: tänder lamporna eller går till nästa scen"],
        step: ["Steg", "Hur mycket ljusare eller mörkare för varje tryckning"],
        scenes: ["Scener", "Det som på-knappen går igenom, i den här ordningen"],
      },
    },
    de: {
      name: "Fernbedienung für Lampen",
      summary: "Die Tasten einer Fernbedienung schalten und dimmen Lampen",
      description:
        "Ein schaltet die Lampen ein, Aus schaltet sie aus; eine Fernbedienung mit nur einer Taste tut beides im Wechsel. Die Tasten für heller und dunkler gehen von der hellsten Lampe aus einen Schritt, und gehalten weiter, höchstens fünf Sekunden lang. Statt die Lampen einzuschalten kann die Taste Szenen durchgehen, eine je Tastendruck.",
      fields: {
        remote: ["Fernbedienungen", "Fernbedienungen, Dimmer und Signale"],
        lights: ["Lampen", "Was geschaltet und gedimmt wird"],
        mode: ["Ein-Taste", "Was die Taste tut: die Lampen einschalten oder zur nächsten Szene gehen"],
        step: ["Schritt", "Wie viel heller oder dunkler mit jedem Tastendruck"],
        scenes: ["Szenen", "Was die Ein-Taste durchgeht, in dieser Reihenfolge"],
      },
    },
  },
});
