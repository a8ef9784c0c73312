import type { Device } from "@ledge/model";
import { rising, sirens, tell, untell } from "./parts/alarming.ts";
import type { Chart, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { set, sound } from "../machine/effect.ts";
import { devices, duration, option } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** How many commands to close have gone to valves that have not confirmed. */
  readonly tries: number;
}

/** The first retry comes after this time (ms); each further one after twice the time before. */
const firstRetry = 10_000;
const longestRetry = 600_000;
/** After this many tries people are warned. */
const triesBeforeAlarm = 3;

const isWet = (view: View): boolean => view.any("leak") === true;
/** A sensor that last reported wet is not dry. */
const isDry = (view: View): boolean =>
  view.devices("leak").every((device) => view.lastShown("leak", device) !== true);
const isHeeded = (view: View): boolean =>
  !view.devices("leak").some((device) => view.isRaised("LEAK", device));

/** It is dry, and somebody has closed the alarm. */
const over: Transition<Context> = {
  guard: ({ event: { view } }) => isDry(view) && isHeeded(view),
  target: "watching",
};

/** Returns the valves that have not reported closed. */
function unclosed(view: View): readonly Device[] {
  return view.devices("valve").filter((device) => {
    const shown = view.reading("valve", device);
    return shown !== 0 && shown !== false;
  });
}

function close(valves: readonly Device[]): readonly Effect[] {
  return valves.flatMap((valve) => set([valve], { openPct: 0, isOn: false }));
}

function tellWet(view: View): readonly Effect[] {
  const wet = view.devices("leak").filter((device) => view.lastShown("leak", device) === true);
  return [...wet.flatMap((device) => tell(view, "LEAK", device)), ...sound(view.devices("siren"), true)];
}

/** While the alarm stands, one region repeats it until somebody closes it, and the other keeps the water off. */
const alarmed: Chart<Context>["states"] = {
  people: {
    initial: "told",
    states: {
      told: {
        entry: [out(({ event: { view } }) => tellWet(view))],
        always: { guard: ({ event: { view } }) => isDry(view), target: "dried" },
        on: {
          "in.leak": {
            guard: ({ event: { view } }) => rising(view) !== undefined,
            target: "told",
            reenter: true,
          },
          closed: { guard: ({ event: { view } }) => isHeeded(view), target: "heeded" },
        },
        after: { repeat: { target: "told", reenter: true } },
      },
      dried: {
        entry: [out(({ event: { view } }) => sound(view.devices("siren"), false))],
        always: { guard: ({ event: { view } }) => isWet(view), target: "told" },
      },
      heeded: {
        entry: [out(({ event: { view } }) => sound(view.devices("siren"), false))],
        on: {
          "in.leak": { guard: ({ event: { view } }) => rising(view) !== undefined, target: "told" },
        },
      },
    },
  },
  water: {
    initial: "closing",
    states: {
      closing: {
        entry: [
          out(({ context, event: { view } }) =>
            close(context.tries === 0 ? view.devices("valve") : unclosed(view)),
          ),
          keep(({ context }) => ({ tries: context.tries + 1 })),
          out(({ context, event: { view } }) =>
            context.tries - 1 === triesBeforeAlarm
              ? unclosed(view).flatMap((valve) => tell(view, "VALVE_STUCK", valve))
              : [],
          ),
        ],
        always: { guard: ({ event: { view } }) => unclosed(view).length === 0, target: "closed" },
        after: { retry: { target: "closing", reenter: true } },
      },
      closed: {
        entry: [
          keep(() => ({ tries: 0 })),
          out(({ event: { view } }) =>
            view.devices("valve").flatMap((valve) => untell(view, ["VALVE_STUCK"], valve)),
          ),
        ],
        always: {
          guard: ({ event: { view } }) => unclosed(view).length > 0 && !isHeeded(view),
          target: "closing",
        },
      },
    },
  },
};

/**
 * Closes the water when a sensor gets wet, never opens it again, and repeats the alarm until somebody closes
 * it.
 */
export const leakAlertValve = template<Context>({
  configType: "LEAK_ALERT_VALVE",
  version: 1,
  priority: 120,
  class: "SAFETY",
  icon: "leak",
  inputs: { leak: devices(["MOISTURE"], 1, 64) },
  outputs: { valve: devices(["VALVE", "ON_OFF"], 0, 8), siren: devices(sirens, 0, 8) },
  extras: {
    repeat: duration(600_000, 60_000, 86_400_000),
    reopen: option(["manual"], { for: "valve" }),
  },
  late: { late: "fire" },
  hears: ["outputs", "closed"],
  chart: {
    context: { tries: 0 },
    initial: "watching",
    delays: {
      repeat: ({ event: { view } }) => view.number("repeat"),
      retry: ({ context }) => Math.min(firstRetry * 2 ** (context.tries - 1), longestRetry),
    },
    states: {
      watching: {
        idle: true,
        entry: [keep(() => ({ tries: 0 }))],
        always: { guard: ({ event: { view } }) => isWet(view), target: "alarmed" },
      },
      // Not idle while it is dry but the alarm stands: weaker rules must not open the valves meanwhile.
      alarmed: { parallel: true, states: alarmed, on: { closed: over, "in.leak": over } },
    },
  },
  texts: {
    en: {
      name: "Water leak",
      summary: "Closes the water and raises an alarm when a sensor gets wet",
      description:
        "When a sensor gets wet, the valves are closed; the command is repeated until they have closed. The sirens sound and an alarm is raised and repeated while it is wet, until somebody closes the alarm. The rule never opens a valve: that is left to you.",
      fields: {
        leak: ["Leak sensors", "Any of them sets the alarm off"],
        valve: ["Valves", "What is closed; a valve that is a switch is turned off"],
        siren: ["Sirens", "What sounds until somebody closes the alarm or all is dry"],
        repeat: ["Repeat", "How often you are told again"],
        reopen: ["Opening again", "Valves are opened by hand only"],
      },
    },
    fi: {
      name: "Vesivuoto",
      summary: "Sulkee veden ja hälyttää, kun anturi kastuu",
      description:
        "Kun anturi kastuu, venttiilit suljetaan ja käskyä toistetaan, kunnes ne ovat kiinni. Sireenit soivat ja hälytys annetaan yhä uudelleen niin kauan kuin on märkää, kunnes joku sulkee hälytyksen. Sääntö ei koskaan avaa venttiiliä: se jää sinulle.",
      fields: {
        leak: ["Vuotoanturit", "Mikä tahansa niistä laukaisee hälytyksen"],
        valve: ["Venttiilit", "Mitkä suljetaan; kytkimenä toimiva venttiili kytketään pois"],
        siren: ["Sireenit", "Mitkä soivat, kunnes joku sulkee hälytyksen tai kaikki on kuivaa"],
        repeat: ["Toisto", "Kuinka usein asiasta muistutetaan"],
        reopen: ["Avaaminen", "Venttiilit avataan vain käsin"],
      },
    },
    sv: {
      name: "Vattenläcka",
      summary: "Stänger av vattnet och larmar när en sensor blir våt",
      description:
        "När en sensor blir våt stängs ventilerna, och ordern upprepas tills de har stängts. Sirenerna ljuder och larmet ges om och om igen så länge det är vått, tills någon stänger larmet. Regeln öppnar aldrig en ventil: det är upp till dig.",
      fields: {
        leak: ["Läcksensorer", "Var och en av dem utlöser larmet"],
        valve: ["Ventiler", "Det som stängs; en ventil som är en brytare slås av"],
        siren: ["Sirener", "Det som ljuder tills någon stänger larmet eller allt är torrt"],
        repeat: ["Upprepning", "Hur ofta du påminns"],
        reopen: ["Öppna igen", "Ventiler öppnas bara för hand"],
      },
    },
    de: {
      name: "Wasserleck",
      summary: "Stellt das Wasser ab und gibt Alarm, wenn ein Sensor nass wird",
      description:
        "Wird ein Sensor nass, so werden die Ventile geschlossen, und der Befehl wird wiederholt, bis sie zu sind. Die Sirenen heulen und der Alarm kommt immer wieder, solange es nass ist, bis jemand den Alarm schließt. Die Regel öffnet nie ein Ventil: Das bleibt Ihnen überlassen.",
      fields: {
        leak: ["Lecksensoren", "Jeder von ihnen löst den Alarm aus"],
        valve: ["Ventile", "Was geschlossen wird; ein Ventil, das ein Schalter ist, wird ausgeschaltet"],
        siren: ["Sirenen", "Was heult, bis jemand den Alarm schließt oder alles trocken ist"],
        repeat: ["Wiederholung", "Wie oft Sie erinnert werden"],
        reopen: ["Wieder öffnen", "Ventile werden nur von Hand geöffnet"],
      },
    },
  },
});
