import { minutes, sirens, tell, untell } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { sound } from "../machine/effect.ts";
import { devices, duration, number, ranges } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** When the door was opened, ms since the epoch. */
  readonly since: number;
  /** How many warnings people got. */
  readonly told: number;
}

/** How long (ms) a siren sounds for each warning. */
const soundsMs = 30_000;

const shown = (view: View): unknown => view.each && view.reading("door", view.each);
const isOpen = (view: View): boolean => shown(view) === true;
const isClosed = (view: View): boolean => shown(view) === false;

function warn(view: View, since: number): readonly Effect[] {
  if (view.each === undefined) return [];
  const facts = { minutes: minutes(view.now - since) };
  return [...tell(view, "DOOR_LEFT_OPEN", view.each, facts), ...sound(view.devices("siren"), true)];
}

const ended: Transition<Context> = {
  guard: ({ event: { view } }) => isClosed(view),
  target: "closed",
  actions: [
    out(({ event: { view } }) =>
      view.each === undefined ? [] : untell(view, ["DOOR_LEFT_OPEN"], view.each),
    ),
  ],
};

const hush = out<Context>(({ event: { view } }) => sound(view.devices("siren"), false));

/** Warns several times of a door that stays open, but not in quiet times. */
export const doorLeftOpen = template<Context>({
  configType: "DOOR_LEFT_OPEN",
  version: 1,
  priority: 95,
  class: "RULE",
  icon: "door",
  inputs: { door: devices(["CONTACT"], 1, 16) },
  outputs: { siren: devices(sirens, 0, 4) },
  extras: {
    after: duration(300_000, 0, 86_400_000),
    repeat: duration(600_000, 60_000, 86_400_000),
    repeats: number("NUMBER", 6, 0, 100),
    dnd: ranges(0, 8),
  },
  each: "door",
  late: { late: "recheck" },
  hears: ["closed"],
  lateOf: { sounds: { late: "fire" } },
  times: (view) => view.ranges("dnd"),
  chart: {
    context: { since: 0, told: 0 },
    initial: "closed",
    delays: {
      after: ({ event: { view } }) => view.number("after"),
      repeat: ({ event: { view } }) => view.number("repeat"),
      sounds: () => soundsMs,
    },
    states: {
      closed: {
        idle: true,
        always: { guard: ({ event: { view } }) => isOpen(view), target: "open" },
      },
      open: {
        entry: [keep(({ event: { view } }) => ({ since: view.now, told: 0 }))],
        always: { guard: ({ event: { view } }) => isClosed(view), target: "closed" },
        after: { after: { target: "due" } },
      },
      // Looks again: the door may be closed by now, or the warning may fall into quiet times.
      due: {
        always: [
          ended,
          { guard: ({ event: { view } }) => isOpen(view) && !view.isWithin("dnd"), target: "told" },
        ],
      },
      told: {
        entry: [
          out(({ context, event: { view } }) => warn(view, context.since)),
          keep(({ context }) => ({ told: context.told + 1 })),
        ],
        always: ended,
        after: {
          repeat: {
            guard: ({ context, event: { view } }) => context.told <= view.number("repeats"),
            target: "due",
          },
        },
        on: {
          closed: {
            guard: ({ event: { view } }) => !view.isRaised("DOOR_LEFT_OPEN", view.each),
            target: "heeded",
          },
        },
        initial: "sounding",
        states: {
          sounding: { exit: [hush], after: { sounds: { target: "silent" } } },
          silent: {},
        },
      },
      heeded: { always: { guard: ({ event: { view } }) => isClosed(view), target: "closed" } },
    },
  },
  texts: {
    en: {
      name: "Door left open",
      summary: "Warns when a door or window stays open",
      description:
        "Each door is watched by itself. When it has been open for the given time, a warning is raised and repeated until the door is closed or somebody closes the warning. In quiet times the warning waits for their end, and comes if the door is still open.",
      fields: {
        door: ["Doors and windows", "Each is watched by itself"],
        siren: ["Sirens", "What sounds for half a minute with each warning"],
        after: ["Time", "How long a door may be open"],
        repeat: ["Repeat", "How long after a warning the next one comes"],
        repeats: ["Repetitions", "How often a warning is repeated at most"],
        dnd: ["Quiet times", "When nobody is warned"],
      },
    },
    fi: {
      name: "Ovi jäänyt auki",
      summary: "Varoittaa, kun ovi tai ikkuna jää auki",
      description:
        "Kutakin ovea valvotaan erikseen. Kun ovi on ollut auki annetun ajan, annetaan varoitus, joka toistetaan, kunnes ovi suljetaan tai joku sulkee varoituksen. Hiljaisina aikoina varoitus odottaa niiden loppua ja annetaan, jos ovi on yhä auki.",
      fields: {
        door: ["Ovet ja ikkunat", "Kutakin valvotaan erikseen"],
        siren: ["Sireenit", "Mitkä soivat puoli minuuttia kunkin varoituksen yhteydessä"],
        after: ["Aika", "Kuinka kauan ovi saa olla auki"],
        repeat: ["Toisto", "Kuinka pitkän ajan kuluttua varoitus toistetaan"],
        repeats: ["Toistokerrat", "Kuinka monta kertaa varoitus enintään toistetaan"],
        dnd: ["Hiljaiset ajat", "Milloin ketään ei varoiteta"],
      },
    },
    sv: {
      name: "Dörr lämnad öppen",
      summary: "Varnar när en dörr eller ett fönster står öppet",
      description:
        "Varje dörr övervakas för sig. När den har stått öppen under den angivna tiden ges en varning som upprepas tills dörren stängs eller någon stänger varningen. Under tysta tider väntar varningen tills de är slut och ges om dörren fortfarande är öppen.",
      fields: {
        door: ["Dörrar och fönster", "Var och en övervakas för sig"],
        siren: ["Sirener", "Det som ljuder en halv minut vid varje varning"],
        after: ["Tid", "Hur länge en dörr får stå öppen"],
        repeat: ["Upprepning", "Hur lång tid efter en varning nästa kommer"],
        repeats: ["Antal upprepningar", "Hur många gånger en varning upprepas som mest"],
        dnd: ["Tysta tider", "När ingen varnas"],
      },
    },
    de: {
      name: "Tür offen gelassen",
      summary: "Warnt, wenn eine Tür oder ein Fenster offen bleibt",
      description:
        "Jede Tür wird für sich überwacht. War sie die angegebene Zeit offen, so kommt eine Warnung, die wiederholt wird, bis die Tür zu ist oder jemand die Warnung schließt. In stillen Zeiten wartet die Warnung deren Ende ab und kommt, wenn die Tür dann noch offen ist.",
      fields: {
        door: ["Türen und Fenster", "Jedes wird für sich überwacht"],
        siren: ["Sirenen", "Was bei jeder Warnung eine halbe Minute heult"],
        after: ["Zeit", "Wie lange eine Tür offen sein darf"],
        repeat: ["Wiederholung", "Wie lange nach einer Warnung die nächste kommt"],
        repeats: ["Anzahl der Wiederholungen", "Wie oft eine Warnung höchstens wiederholt wird"],
        dnd: ["Stille Zeiten", "Wann niemand gewarnt wird"],
      },
    },
  },
});
