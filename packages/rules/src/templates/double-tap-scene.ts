import { keep, out } from "../machine/chart.ts";
import { devices, duration, number, scenes } from "../catalogue/field.ts";
import { pressOf } from "./parts/press.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The device and button of the last press. */
  readonly button: string;
  /** When it was pressed (ms), oldest first; no other button was pressed in between. */
  readonly at: readonly number[];
}

/** Returns which button was pressed. Each change of a switch by hand is a press. */
function pressed(view: View): string | undefined {
  const { change } = view;
  if (change?.attribute === "isOn") {
    return change.isNews && change.origin === "device" ? change.device.id : undefined;
  }
  const press = pressOf(view);
  return press?.how === "press" ? `${press.device.id} ${press.button}` : undefined;
}

/** Returns the recent presses of the same button, with this one. */
function presses({ button, at }: Context, view: View): readonly number[] {
  const earlier = button === pressed(view) ? at : [];
  const window = view.number("window");
  return [...earlier.filter((time) => view.now - time <= window), view.now];
}

/** Turns a scene on at several quick presses of a button. */
export const doubleTapScene = template<Context>({
  configType: "DOUBLE_TAP_SCENE",
  version: 1,
  priority: 40,
  class: "MANUAL",
  icon: "taps",
  inputs: { button: devices(["REMOTE_CONTROL", "ON_OFF"], 1, 4) },
  outputs: {},
  extras: {
    scene: scenes(1, 1),
    window: duration(500, 100, 5000),
    taps: number("NUMBER", 2, 2, 5),
  },
  late: { late: "skip", lateMaxMs: 2000 },
  chart: {
    context: { button: "", at: [] },
    initial: "resting",
    states: {
      resting: {
        idle: true,
        on: {
          "in.button": [
            {
              guard: ({ context, event: { view } }) =>
                pressed(view) !== undefined && presses(context, view).length >= view.number("taps"),
              actions: [
                keep(() => ({ button: "", at: [] })),
                out(({ event: { view } }) =>
                  view.texts("scene").map((scene) => ({ do: "scene", scene, on: true })),
                ),
              ],
            },
            {
              guard: ({ event: { view } }) => pressed(view) !== undefined,
              actions: [
                keep(({ context, event: { view } }) => ({
                  button: pressed(view) ?? "",
                  at: presses(context, view),
                })),
              ],
            },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Double tap for a scene",
      summary: "Two quick presses of a button turn a scene on",
      description:
        "When a button of a remote control or switch is pressed the given number of times within a short time, the scene goes on. Single and long presses do nothing, nor do presses of different buttons.",
      fields: {
        button: ["Buttons", "Remote controls, or switches that are used by hand"],
        scene: ["Scene", "What goes on"],
        window: ["Time", "Within which all the presses have to be"],
        taps: ["Presses", "How many it takes"],
      },
    },
    fi: {
      name: "Tilanne kaksoispainalluksella",
      summary: "Kaksi nopeaa painallusta kytkee tilanteen päälle",
      description:
        "Kun kaukosäätimen tai kytkimen painiketta painetaan annettu määrä kertoja lyhyessä ajassa, tilanne kytkeytyy päälle. Yksittäiset ja pitkät painallukset tai eri painikkeiden painallukset eivät tee mitään.",
      fields: {
        button: ["Painikkeet", "Kaukosäätimet tai käsin käytettävät kytkimet"],
        scene: ["Tilanne", "Mikä kytkeytyy päälle"],
        window: ["Aika", "Jonka sisällä kaikkien painallusten on oltava"],
        taps: ["Painallukset", "Kuinka monta tarvitaan"],
      },
    },
    sv: {
      name: "Scen med dubbeltryck",
      summary: "Två snabba tryckningar slår på en scen",
      description:
        "När en knapp på en fjärrkontroll eller strömbrytare trycks in det angivna antalet gånger inom kort tid slås scenen på. Enstaka och långa tryckningar gör ingenting, inte heller tryckningar på olika knappar.",
      fields: {
        button: ["Knappar", "Fjärrkontroller, eller brytare som används för hand"],
        scene: ["Scen", "Det som slås på"],
        window: ["Tid", "Inom vilken alla tryckningar ska komma"],
        taps: ["Tryckningar", "Hur många som behövs"],
      },
    },
    de: {
      name: "Szene per Doppeltipp",
      summary: "Zweimal schnell drücken schaltet eine Szene ein",
      description:
        "Wird eine Taste einer Fernbedienung oder ein Schalter in kurzer Zeit so oft gedrückt wie angegeben, geht die Szene an. Einzelne und lange Tastendrücke bewirken nichts, ebenso wenig das Drücken verschiedener Tasten.",
      fields: {
        button: ["Tasten", "Fernbedienungen, oder Schalter, die von Hand bedient werden"],
        scene: ["Szene", "Was angeht"],
        window: ["Zeit", "In der alle Tastendrücke kommen müssen"],
        taps: ["Anzahl", "Wie oft gedrückt werden muss"],
      },
    },
  },
});
