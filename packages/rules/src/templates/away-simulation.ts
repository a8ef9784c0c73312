import type { Rejection, RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import { numberIn } from "./parts/ascending.ts";
import type { Action, Arguments } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { clock, daily, sun } from "../schedule/daily.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, ranges } from "../catalogue/field.ts";
import type { Turn } from "./parts/random-turns.ts";
import { turnAt } from "./parts/random-turns.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  readonly isLit: boolean;
}

const dayMs = 86_400_000;

/** Returns when today's turns begin (ms); undefined while a user is at home or no time range holds. */
function begin(view: View): number | undefined {
  const isAway = view.devices("presence").length === 0 || view.any("presence") === false;
  const since = isAway ? view.active("times")[0]?.since : undefined;
  // A range may be longer than a day; the turns start over each day.
  return since === undefined ? undefined : since + Math.floor((view.now - since) / dayMs) * dayMs;
}

const isActive = ({ event: { view } }: Arguments<Context>): boolean => begin(view) !== undefined;

/** Returns the present turn of the lamp, a pure function of the rule, the date and the lamp. */
function turnOf(view: View): Turn {
  const start = begin(view) ?? view.now;
  const seed = `${view.rule.id} ${view.localAt(start).date} ${view.each?.id ?? ""}`;
  return turnAt(seed, start, view.number("minOn"), view.number("maxOn"), view.now);
}

const isOn = ({ event: { view } }: Arguments<Context>): boolean => turnOf(view).isOn;
const switched = (on: boolean): Action<Context> =>
  out(({ event: { view } }) => turn(view.each === undefined ? [] : [view.each], on));
const isLit = (is: boolean): Action<Context> => keep(() => ({ isLit: is }));

const extras = {
  times: ranges(0, 8, [daily(sun("SUNSET"), clock(23 * 60))]),
  minOn: duration(900_000, 60_000, 14_400_000),
  maxOn: duration(5_400_000, 60_000, 28_800_000),
};

function limitsProblem({ extras: given }: RuleConfig): Rejection | undefined {
  return numberIn(given, extras, "maxOn") < numberIn(given, extras, "minOn")
    ? reject("invalid", "maxOn is at least minOn", "extras.maxOn")
    : undefined;
}

/** Turns lamps on and off in the evening as if somebody were at home. */
export const awaySimulation = template<Context>({
  configType: "AWAY_SIMULATION",
  version: 1,
  priority: 55,
  class: "RULE",
  level: true,
  icon: "away",
  inputs: { presence: devices(["USER_PRESENCE"], 0, 8) },
  outputs: { lights: devices(["ON_OFF", "CONTROL_LIGHT"], 1, 32) },
  extras,
  each: "lights",
  // A late timer acts on the turn of now, so missed turns are left out.
  late: { late: "fire" },
  times: (view) => view.ranges("times"),
  check: limitsProblem,
  chart: {
    context: { isLit: false },
    initial: "resting",
    delays: { turn: ({ event: { view } }) => turnOf(view).until - view.now },
    off: [out(({ context, event: { view } }) => turn(context.isLit && view.each ? [view.each] : [], false))],
    states: {
      resting: {
        idle: true,
        entry: [isLit(false)],
        always: [
          { guard: (given) => isActive(given) && isOn(given), target: "lit", actions: [switched(true)] },
          { guard: isActive, target: "dark" },
        ],
      },
      dark: {
        entry: [isLit(false)],
        always: { guard: (given) => !isActive(given), target: "resting" },
        after: {
          turn: [
            { guard: isOn, target: "lit", actions: [switched(true)] },
            { target: "dark", reenter: true },
          ],
        },
      },
      lit: {
        entry: [isLit(true)],
        always: { guard: (given) => !isActive(given), target: "resting", actions: [switched(false)] },
        after: {
          turn: [
            { guard: isOn, target: "lit", reenter: true },
            { target: "dark", actions: [switched(false)] },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "As if somebody were at home",
      summary: "Lamps go on and off at random while everybody is away",
      description:
        "While none of the users is at home, within the given times, each lamp goes on and off at random, differently each day. When somebody comes home or the time is over, the lamps that the rule has turned on go off.",
      fields: {
        presence: [
          "Users",
          "While one of them is at home nothing happens; without any it is enough that the rule is on",
        ],
        lights: ["Lamps", "What goes on and off"],
        times: ["Times", "When lamps may burn: from sunset to 23 unless said otherwise"],
        minOn: ["At least", "How long a lamp is on or off at least"],
        maxOn: ["At most", "How long a lamp is on or off at most"],
      },
    },
    fi: {
      name: "Kuin joku olisi kotona",
      summary: "Lamput syttyvät ja sammuvat satunnaisesti, kun kaikki ovat poissa",
      description:
        "Kun kukaan käyttäjistä ei ole kotona ja on sen aika, kukin lamppu syttyy ja sammuu omia aikojaan, joka päivä eri aikoina. Kun joku tulee kotiin tai aika päättyy, säännön sytyttämät lamput sammuvat.",
      fields: {
        presence: [
          "Käyttäjät",
          "Kun joku heistä on kotona, mitään ei tapahdu; ilman heitä riittää, että sääntö on päällä",
        ],
        lights: ["Lamput", "Mitkä syttyvät ja sammuvat"],
        times: ["Ajat", "Milloin lamput saavat palaa: auringonlaskusta klo 23:een, ellei toisin sanota"],
        minOn: ["Vähintään", "Kuinka kauan lamppu vähintään palaa tai on sammuksissa"],
        maxOn: ["Enintään", "Kuinka kauan lamppu enintään palaa tai on sammuksissa"],
      },
    },
    sv: {
      name: "Som om någon var hemma",
      summary: "Lampor tänds och släcks slumpvis när alla är borta",
      description:
        "När ingen av användarna är hemma och det är dags för det tänds och släcks varje lampa på sina egna tider, andra för varje dag. När någon kommer hem eller tiden är över släcks de som regeln har tänt.",
      fields: {
        presence: [
          "Användare",
          "När någon av dem är hemma händer ingenting; utan några räcker det att regeln är på",
        ],
        lights: ["Lampor", "Det som tänds och släcks"],
        times: ["Tider", "När lampor får lysa: från solnedgången till klockan 23 om inget annat sägs"],
        minOn: ["Minst", "Hur länge en lampa minst är tänd eller släckt"],
        maxOn: ["Högst", "Hur länge en lampa högst är tänd eller släckt"],
      },
    },
    de: {
      name: "Als wäre jemand zu Hause",
      summary: "Lampen gehen zufällig an und aus, während alle weg sind",
      description:
        "Solange keiner der Benutzer zu Hause ist und es Zeit dafür ist, geht jede Lampe zu eigenen Zeiten an und aus, jeden Tag zu anderen. Kommt jemand nach Hause oder ist die Zeit vorbei, gehen die aus, die die Regel eingeschaltet hat.",
      fields: {
        presence: [
          "Benutzer",
          "Ist einer von ihnen zu Hause, geschieht nichts; ohne welche genügt es, dass die Regel an ist",
        ],
        lights: ["Lampen", "Was an- und ausgeht"],
        times: [
          "Zeiten",
          "Wann Lampen brennen dürfen: von Sonnenuntergang bis 23 Uhr, wenn nichts anderes gesagt ist",
        ],
        minOn: ["Mindestens", "Wie lange eine Lampe mindestens an oder aus ist"],
        maxOn: ["Höchstens", "Wie lange eine Lampe höchstens an oder aus ist"],
      },
    },
  },
});
