import type { Arguments, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import type { Setpoints } from "./parts/setpoint.ts";
import { lower, restore, setpointsAbove } from "./parts/setpoint.ts";
import { template } from "../catalogue/template.ts";

interface Context {
  readonly saved: Setpoints;
  /** When the pause ends at the latest (ms since the epoch). */
  readonly until: number;
}

const minute = 60_000;
const isOpen = ({ event: { view } }: Arguments<Context>): boolean => view.any("window") === true;
const isShut = ({ event: { view } }: Arguments<Context>): boolean => view.any("window") === false;

const putBack = out<Context>(({ context: { saved }, event: { view } }) =>
  restore(view, "thermostats", saved, view.number("frost")),
);
const forget = keep<Context>(() => ({ saved: {}, until: 0 }));

const warn = out<Context>(({ event: { view } }) => {
  const open = view.devices("window").filter((device) => view.reading("window", device) === true);
  const facts = {
    windows: open.map(({ name }) => name).join(", "),
    minutes: Math.round(view.number("maxPause") / minute),
  };
  return [{ do: "raise", alarm: "WINDOW_LEFT_OPEN", facts }];
});

const endOfPause: readonly Transition<Context>[] = [
  { guard: isShut, target: "shut", actions: [putBack, forget] },
  { target: "overdue", actions: [putBack, forget, warn] },
];

/** Lowers the heating while a window is open, for a limited time. */
export const windowOpenPause = template<Context>({
  configType: "WINDOW_OPEN_PAUSE",
  version: 1,
  priority: 88,
  class: "RULE",
  level: true,
  icon: "window",
  inputs: { window: devices(["CONTACT"], 1, 16) },
  outputs: { thermostats: devices(["CONTROL_TEMPERATURE", "THERMOSTAT"], 1, 16) },
  extras: {
    openFor: duration(minute, 0, 60 * minute),
    closedFor: duration(minute, 0, 60 * minute),
    frost: number("TEMPERATURE", 7, 4, 20),
    maxPause: duration(60 * minute, minute, 1440 * minute),
  },
  late: { late: "recheck" },
  chart: {
    context: { saved: {}, until: 0 },
    initial: "shut",
    delays: {
      openFor: ({ event: { view } }) => view.number("openFor"),
      closedFor: ({ event: { view } }) => view.number("closedFor"),
      maxPause: ({ context: { until }, event: { view } }) => Math.max(until - view.now, 0),
    },
    states: {
      shut: { idle: true, always: { guard: isOpen, target: "opened" } },
      opened: {
        idle: true,
        always: { guard: isShut, target: "shut" },
        after: {
          openFor: [
            {
              guard: isOpen,
              target: "paused",
              actions: [
                keep(({ event: { view } }) => ({
                  saved: setpointsAbove(view, "thermostats", view.number("frost")),
                  until: view.now + view.number("maxPause"),
                })),
                out(({ context: { saved }, event: { view } }) =>
                  lower(view, "thermostats", saved, view.number("frost")),
                ),
              ],
            },
            { target: "shut" },
          ],
        },
      },
      paused: {
        always: { guard: isShut, target: "closing" },
        after: { maxPause: endOfPause },
      },
      closing: {
        always: { guard: isOpen, target: "paused" },
        after: {
          closedFor: [
            { guard: isShut, target: "shut", actions: [putBack, forget] },
            // The windows are out of reach.
            { target: "paused" },
          ],
          maxPause: endOfPause,
        },
      },
      overdue: {
        idle: true,
        always: {
          guard: isShut,
          target: "shut",
          actions: [out(() => [{ do: "close", alarm: "WINDOW_LEFT_OPEN" }])],
        },
      },
    },
    off: [putBack, forget],
  },
  texts: {
    en: {
      name: "Less heat while a window is open",
      summary: "Lowers the heating while a window is open and puts it back after",
      description:
        "When one of the windows has been open for the given time, the setpoints are noted and lowered to frost protection. When all have been closed for the given time, the noted setpoints come back; setpoints that somebody has changed meanwhile stay. If a window stays open for too long, the heating comes back too and you are warned. Setpoints that are already lower are not raised.",
      fields: {
        window: ["Windows", "Any of them that is open pauses the heating"],
        thermostats: ["Thermostats", "What is lowered"],
        openFor: ["Open for", "How long a window has to be open before the heating is lowered"],
        closedFor: ["Closed for", "How long all have to be closed before the heating comes back"],
        frost: ["Frost protection", "The setpoint while a window is open"],
        maxPause: ["Longest pause", "After this time the heating comes back even with an open window"],
      },
    },
    fi: {
      name: "Vähemmän lämpöä ikkunan ollessa auki",
      summary: "Laskee lämmitystä ikkunan ollessa auki ja palauttaa sen jälkeenpäin",
      description:
        "Kun jokin ikkunoista on ollut auki annetun ajan, asetusarvot pannaan muistiin ja lasketaan pakkassuojaan. Kun kaikki ovat olleet kiinni annetun ajan, muistiin pannut arvot palautetaan; arvot, joita joku on sillä välin muuttanut, jäävät voimaan. Jos ikkuna on auki liian kauan, lämmitys palautetaan silti ja saat varoituksen. Jo matalampia arvoja ei nosteta.",
      fields: {
        window: ["Ikkunat", "Mikä tahansa avoin ikkuna keskeyttää lämmityksen"],
        thermostats: ["Termostaatit", "Mitä lasketaan"],
        openFor: ["Auki vähintään", "Kuinka kauan ikkunan on oltava auki ennen lämmityksen laskemista"],
        closedFor: ["Kiinni vähintään", "Kuinka kauan kaikkien on oltava kiinni ennen palautusta"],
        frost: ["Pakkassuoja", "Asetusarvo ikkunan ollessa auki"],
        maxPause: ["Pisin tauko", "Tämän ajan jälkeen lämmitys palaa, vaikka ikkuna olisi auki"],
      },
    },
    sv: {
      name: "Mindre värme när ett fönster är öppet",
      summary: "Sänker värmen medan ett fönster är öppet och återställer den efteråt",
      description:
        "När något fönster har varit öppet under den angivna tiden noteras börvärdena och sänks till frostskydd. När alla har varit stängda under den angivna tiden återställs de; börvärden som någon har ändrat under tiden får stå kvar. Om ett fönster är öppet för länge kommer värmen tillbaka ändå och du varnas. Börvärden som redan är lägre höjs inte.",
      fields: {
        window: ["Fönster", "Vart och ett som är öppet pausar värmen"],
        thermostats: ["Termostater", "Det som sänks"],
        openFor: ["Öppet i", "Hur länge ett fönster ska vara öppet innan värmen sänks"],
        closedFor: ["Stängt i", "Hur länge alla ska vara stängda innan värmen kommer tillbaka"],
        frost: ["Frostskydd", "Börvärdet medan ett fönster är öppet"],
        maxPause: ["Längsta paus", "Efter den här tiden kommer värmen tillbaka även med öppet fönster"],
      },
    },
    de: {
      name: "Weniger Wärme bei offenem Fenster",
      summary: "Senkt die Heizung, solange ein Fenster offen ist, und stellt sie danach zurück",
      description:
        "Ist eines der Fenster so lange offen wie angegeben, werden die Sollwerte gemerkt und auf Frostschutz gesenkt. Sind alle so lange geschlossen wie angegeben, kommen die gemerkten Sollwerte zurück; was inzwischen jemand geändert hat, bleibt. Bleibt ein Fenster zu lange offen, kommt die Heizung trotzdem zurück und Sie werden gewarnt. Sollwerte, die schon niedriger sind, werden nicht angehoben.",
      fields: {
        window: ["Fenster", "Jedes, das offen ist, senkt die Heizung"],
        thermostats: ["Thermostate", "Was gesenkt wird"],
        openFor: ["Offen seit", "Wie lange ein Fenster offen sein muss, bevor die Heizung gesenkt wird"],
        closedFor: [
          "Geschlossen seit",
          "Wie lange alle geschlossen sein müssen, bevor die Heizung zurückkommt",
        ],
        frost: ["Frostschutz", "Der Sollwert, solange ein Fenster offen ist"],
        maxPause: ["Längste Pause", "Nach dieser Zeit kommt die Heizung auch bei offenem Fenster zurück"],
      },
    },
  },
});
