import type { StoredRange } from "@ledge/model";
import { limits, reject } from "@ledge/model";
import type { Arguments, StateNode } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { date, devices, number } from "../catalogue/field.ts";
import type { Setpoints } from "./parts/setpoint.ts";
import { lower, restore, setpointsAbove } from "./parts/setpoint.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  readonly saved: Setpoints;
}
type Given = Arguments<Context>;

const midnight = { type: "TIME_OF_DAY", value: 0 } as const;

/** Returns a date `yyyy-mm-dd`; undefined when the field is empty. */
function dayOf(view: View, field: "from" | "to"): string | undefined {
  return view.text(field) || undefined;
}

/** Returns whether the vacation is under way; its first and last day belong to it. */
function isAway({ event: { view } }: Given): boolean {
  const [from, to, today] = [dayOf(view, "from"), dayOf(view, "to"), view.local.date];
  return (from === undefined || from <= today) && (to === undefined || today <= to);
}

/** Returns a range that holds all day on each day of the vacation. */
function daysOf(view: View): readonly StoredRange[] {
  const [validFrom, validTo] = [dayOf(view, "from"), dayOf(view, "to")];
  if (validFrom === undefined && validTo === undefined) return [];
  const days = { weekdays: [], start: midnight, end: midnight, enabled: true };
  return [{ type: "TIME_RANGE", ...days, validFrom: validFrom ?? null, validTo: validTo ?? null }];
}

const begin = [
  keep<Context>(({ context: { saved }, event: { view } }) => ({
    saved: { ...setpointsAbove(view, "thermostats", view.number("setback")), ...saved },
  })),
  out<Context>(({ context: { saved }, event: { view } }) => [
    ...lower(view, "thermostats", saved, view.number("setback")),
    ...turn(view.devices("sockets"), false),
  ]),
];
const end = [
  out<Context>(({ context: { saved }, event: { view } }) =>
    restore(view, "thermostats", saved, view.number("setback")),
  ),
  keep<Context>(() => ({ saved: {} })),
];
const ending: StateNode<Context>["always"] = {
  guard: (given) => !isAway(given),
  target: "waiting",
  actions: end,
};

/** Saves heat and power while nobody is at home for days. */
export const vacationMode = template<Context>({
  configType: "VACATION_MODE",
  version: 1,
  priority: 55,
  class: "RULE",
  icon: "suitcase",
  inputs: {},
  outputs: {
    thermostats: devices(["CONTROL_TEMPERATURE", "THERMOSTAT"], 0, 32),
    sockets: devices(["ON_OFF"], 0, 64),
  },
  extras: { setback: number("TEMPERATURE", 15, 4, 25), from: date(), to: date() },
  check: ({ outputs, extras }) => {
    if ((outputs["thermostats"] ?? []).length + (outputs["sockets"] ?? []).length === 0)
      return reject("invalid", "a thermostat or a socket is wanted", "outputs.thermostats");
    const [from, to] = ["from", "to"].map(
      (name) => (extras[name]?.[0] as { value?: unknown } | undefined)?.value,
    );
    const isBackwards = typeof from === "string" && typeof to === "string" && to < from;
    return isBackwards
      ? reject("invalid", "the last day must not be before the first", "extras.to")
      : undefined;
  },
  late: { late: "fire" },
  times: daysOf,
  chart: {
    context: { saved: {} },
    initial: "waiting",
    // By then the holds from before the departure have ended; only newer ones still hold.
    delays: { settle: () => limits.holdMs + 60_000 },
    states: {
      waiting: { idle: true, always: { guard: isAway, target: "leaving", actions: begin } },
      leaving: { always: ending, after: { settle: { guard: isAway, target: "away", actions: begin } } },
      away: { always: ending },
    },
    off: end,
  },
  texts: {
    en: {
      name: "Vacation",
      summary: "Lowers the heating and turns sockets off while you are away for days",
      description:
        "On the first day the setpoints are noted and lowered, and the sockets go off. After the last day, or when the rule goes off, the noted setpoints come back; those that somebody has changed meanwhile stay, and the sockets stay off. Without days the rule works as long as it is on. Setpoints that are already lower are not raised.",
      fields: {
        thermostats: ["Thermostats", "What is lowered"],
        sockets: ["Sockets", "What goes off; nothing that has to keep cold"],
        setback: ["Setback", "The setpoint while you are away"],
        from: ["First day", "It begins at midnight; at once when none is given"],
        to: ["Last day", "It ends at the midnight after; with the rule when none is given"],
      },
    },
    fi: {
      name: "Loma",
      summary: "Laskee lämmitystä ja sammuttaa pistorasiat, kun olette päiviä poissa",
      description:
        "Ensimmäisenä päivänä asetusarvot pannaan muistiin ja lasketaan, ja pistorasiat sammuvat. Viimeisen päivän jälkeen tai kun sääntö kytketään pois, muistiin pannut arvot palautetaan; arvot, joita joku on sillä välin muuttanut, jäävät voimaan, samoin pistorasiat. Ilman päiviä loma kestää niin kauan kuin sääntö on päällä. Jo matalampia arvoja ei nosteta.",
      fields: {
        thermostats: ["Termostaatit", "Mitä lasketaan"],
        sockets: ["Pistorasiat", "Mitkä sammuvat; ei mitään, minkä on pysyttävä kylmänä"],
        setback: ["Alennus", "Asetusarvo poissa ollessanne"],
        from: ["Ensimmäinen päivä", "Alkaa keskiyöllä; heti, jos ei annettu"],
        to: ["Viimeinen päivä", "Päättyy seuraavana keskiyönä; säännön mukana, jos ei annettu"],
      },
    },
    sv: {
      name: "Semester",
      summary: "Sänker värmen och stänger av uttag medan ni är borta i dagar",
      description:
        "Den första dagen noteras börvärdena och sänks, och uttagen stängs av. Efter den sista dagen, eller när regeln stängs av, återställs de noterade börvärdena; de som någon har ändrat under tiden får stå kvar, liksom uttagen. Utan dagar gäller det så länge regeln är på. Börvärden som redan är lägre höjs inte.",
      fields: {
        thermostats: ["Termostater", "Det som sänks"],
        sockets: ["Uttag", "Det som stängs av; inget som måste hålla kylan"],
        setback: ["Sänkning", "Börvärdet medan ni är borta"],
        from: ["Första dagen", "Börjar vid midnatt; genast om ingen anges"],
        to: ["Sista dagen", "Slutar vid midnatt därefter; med regeln om ingen anges"],
      },
    },
    de: {
      name: "Urlaub",
      summary: "Senkt die Heizung und schaltet Steckdosen aus, während Sie tagelang fort sind",
      description:
        "Am ersten Tag werden die Sollwerte gemerkt und gesenkt, und die Steckdosen gehen aus. Nach dem letzten Tag, oder wenn die Regel ausgeht, kommen die gemerkten Sollwerte zurück; was inzwischen jemand geändert hat, bleibt, ebenso die Steckdosen. Ohne Tage gilt es, solange die Regel an ist. Sollwerte, die schon niedriger sind, werden nicht angehoben.",
      fields: {
        thermostats: ["Thermostate", "Was gesenkt wird"],
        sockets: ["Steckdosen", "Was ausgeht; nichts, was kühlen muss"],
        setback: ["Absenkung", "Der Sollwert, solange Sie fort sind"],
        from: ["Erster Tag", "Beginnt um Mitternacht; sofort, wenn keiner angegeben ist"],
        to: ["Letzter Tag", "Endet um Mitternacht danach; mit der Regel, wenn keiner angegeben ist"],
      },
    },
  },
});
