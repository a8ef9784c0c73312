import { ascending } from "./parts/ascending.ts";
import type { Arguments } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";

type Context = Record<string, never>;
type Given = Arguments<Context>;

const minute = 60_000;

const isWorking = ({ event: { view } }: Given): boolean =>
  (view.greatest("meter") ?? -Infinity) >= view.number("startW");
const isQuiet = ({ event: { view } }: Given): boolean =>
  (view.greatest("meter") ?? Infinity) <= view.number("doneW");
const isLoud = ({ event: { view } }: Given): boolean =>
  (view.greatest("meter") ?? -Infinity) > view.number("doneW");

const extras = {
  startW: number("POWER_W", 20, 1, 10_000),
  doneW: number("POWER_W", 5, 0, 10_000),
  doneFor: duration(3 * minute, 0, 120 * minute),
};

/**
 * Tells when an appliance such as a washing machine is done: it draws little power for longer than its breaks
 * last.
 */
export const applianceDone = template<Context>({
  configType: "APPLIANCE_DONE",
  version: 1,
  priority: 40,
  class: "RULE",
  icon: "washer",
  inputs: { meter: devices(["MEASURE_POWER"], 1, 1) },
  outputs: {},
  extras,
  check: ascending(extras, "doneW", "startW"),
  late: { late: "recheck" },
  chart: {
    context: {},
    initial: "idle",
    delays: { doneFor: ({ event: { view } }) => view.number("doneFor") },
    states: {
      idle: { idle: true, always: { guard: isWorking, target: "running" } },
      running: { always: { guard: isQuiet, target: "quiet" } },
      quiet: {
        always: { guard: isLoud, target: "running" },
        after: {
          doneFor: [
            {
              guard: isQuiet,
              target: "done",
              actions: [
                out(({ event: { view } }) =>
                  view.devices("meter").map((about) => ({ do: "raise", alarm: "APPLIANCE_DONE", about })),
                ),
              ],
            },
            // The meter is out of reach.
            { target: "running" },
          ],
        },
      },
      done: {
        idle: true,
        always: {
          guard: isWorking,
          target: "running",
          actions: [
            out(({ event: { view } }) =>
              view.devices("meter").map((about) => ({ do: "close", alarm: "APPLIANCE_DONE", about })),
            ),
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Appliance is done",
      summary: "Tells you when a washing machine or the like is done",
      description:
        "The rule sees from the power that the appliance draws whether it is running. When it has drawn next to nothing for the given time, it is done, and you get a message. The message closes when it runs again.",
      fields: {
        meter: ["Meter", "The socket or meter of the appliance"],
        startW: ["Runs from", "From this power on the appliance runs"],
        doneW: ["Quiet up to", "Up to this power it does not work"],
        doneFor: ["Quiet for", "How long it has to be quiet; longer than its breaks"],
      },
    },
    fi: {
      name: "Kone on valmis",
      summary: "Kertoo, kun pesukone tai muu kone on valmis",
      description:
        "Sääntö näkee ottotehosta, että kone käy. Kun se ei ole ottanut juuri mitään annettuun aikaan, se on valmis ja saat viestin. Viesti sulkeutuu, kun kone käy uudelleen.",
      fields: {
        meter: ["Mittari", "Koneen pistorasia tai mittari"],
        startW: ["Käy alkaen", "Tästä tehosta alkaen kone käy"],
        doneW: ["Hiljaa enintään", "Tähän tehoon asti se ei työskentele"],
        doneFor: ["Hiljaisuuden kesto", "Kuinka kauan sen on oltava hiljaa; pidempään kuin sen tauot"],
      },
    },
    sv: {
      name: "Maskinen är klar",
      summary: "Säger till när tvättmaskinen eller något liknande är klart",
      description:
        "Av effekten ser regeln att maskinen går. När den nästan inte har tagit någon effekt under den angivna tiden är den klar, och du får veta det. Meddelandet stängs när den går igen.",
      fields: {
        meter: ["Mätare", "Maskinens uttag eller mätare"],
        startW: ["Går från", "Från den här effekten går maskinen"],
        doneW: ["Tyst till", "Upp till den här effekten arbetar den inte"],
        doneFor: ["Tyst i", "Hur länge den ska vara tyst; längre än dess pauser"],
      },
    },
    de: {
      name: "Gerät ist fertig",
      summary: "Sagt Bescheid, wenn die Waschmaschine oder Ähnliches fertig ist",
      description:
        "An der Leistung sieht die Regel, dass das Gerät läuft. Hat es so lange wie angegeben fast nichts gezogen, ist es fertig, und Sie erfahren es. Die Meldung schließt sich, wenn es wieder läuft.",
      fields: {
        meter: ["Messgerät", "Steckdose oder Zähler des Geräts"],
        startW: ["Läuft ab", "Ab dieser Leistung läuft das Gerät"],
        doneW: ["Ruhig bis", "Bis zu dieser Leistung arbeitet es nicht"],
        doneFor: ["Ruhig seit", "Wie lange es ruhig sein muss; länger als seine Pausen"],
      },
    },
  },
});
