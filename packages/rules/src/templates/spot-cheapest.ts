import { cheapTimes } from "./parts/cheap-times.ts";
import type { CheapTimes } from "./parts/cheap-times.ts";
import { out } from "../machine/chart.ts";
import { clock, daily } from "../schedule/daily.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, flag, number, ranges, timeOfDay } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";

const quarter = 900_000;
const hour = 4 * quarter;

/** Runs devices for some hours of each day, in the cheapest quarters of an hour before a time of day. */
export const spotCheapest = template<CheapTimes>({
  configType: "SPOT_CHEAPEST",
  version: 1,
  priority: 85,
  class: "RULE",
  level: true,
  icon: "price",
  feature: "SPOT_PRICES",
  inputs: {},
  outputs: { loads: devices(["ON_OFF"], 1, 8) },
  extras: {
    hoursNeeded: duration(4 * hour, quarter, 24 * hour),
    windowEnd: timeOfDay(420),
    contiguous: flag(false),
    maxPrice: number("PRICE", null, -10_000, 10_000),
    fallback: ranges(0, 8, [daily(clock(120), clock(360))]),
  },
  late: { late: "fire" },
  hears: ["price", "time", "freed"],
  chart: {
    ...cheapTimes({
      loads: "loads",
      deadline: "windowEnd",
      whole: (view) => view.number("hoursNeeded") / hour,
      usual: () => 1,
      contiguous: (view) => view.flag("contiguous"),
      maxPrice: (view) => view.numberIfAny("maxPrice"),
    }),
    off: [out(({ event: { view } }) => turn(view.devices("loads"), false))],
  },
  texts: {
    en: {
      name: "Run when energy is cheapest",
      summary: "Devices run in the cheapest quarters of an hour before a time of day",
      description:
        "Each day, before the given time, the devices run for the given hours when energy is cheapest; otherwise they are off. The rule plans when the prices up to that time are known, and again when new prices arrive. While prices are missing, the devices run in the fallback times. When the rule goes off, so do the devices.",
      fields: {
        loads: ["Devices", "What runs when energy is cheap, such as a water heater"],
        hoursNeeded: ["Time needed", "How long the devices run each day"],
        windowEnd: ["Ready by", "The time of day by which they have run; the next day begins then"],
        contiguous: ["In one go", "They run without a break, for what cannot be interrupted"],
        maxPrice: [
          "Highest price",
          "They do not run while a kWh costs more; without this limit they always get their time",
        ],
        fallback: [
          "Fallback times",
          "When they run while prices are missing; without any from 2 to 6 at night",
        ],
      },
    },
    fi: {
      name: "Käynti halvimpaan aikaan",
      summary: "Laitteet käyvät halvimpien varttien aikana ennen kellonaikaa",
      description:
        "Laitteet käyvät joka päivä annetun ajan silloin, kun energia on halvinta ennen annettua kellonaikaa; muulloin ne ovat pois päältä. Suunnitelma tehdään, kun hinnat siihen asti tiedetään, ja uudelleen, kun hintoja saapuu. Kun hinnat puuttuvat, laitteet käyvät vara-aikoina. Kun sääntö kytketään pois, laitteetkin sammuvat.",
      fields: {
        loads: ["Laitteet", "Mitkä käyvät halvan energian aikaan, kuten lämminvesivaraaja"],
        hoursNeeded: ["Tarvittava aika", "Kuinka kauan laitteet käyvät päivässä"],
        windowEnd: ["Valmiina", "Kellonaika, johon mennessä ne ovat käyneet; siitä alkaa seuraava päivä"],
        contiguous: ["Yhtäjaksoisesti", "Ne käyvät tauotta, jos käyntiä ei voi keskeyttää"],
        maxPrice: [
          "Korkein hinta",
          "Ne eivät käy, kun kWh maksaa enemmän; ilman rajaa ne saavat aina aikansa",
        ],
        fallback: ["Vara-ajat", "Milloin ne käyvät, kun hinnat puuttuvat; ellei annettu, yöllä kello 2–6"],
      },
    },
    sv: {
      name: "Drift när energin är billigast",
      summary: "Enheter går under de billigaste kvartarna före ett klockslag",
      description:
        "Varje dag går enheterna den angivna tiden när energin är billigast före det angivna klockslaget; annars är de av. Planen görs när priserna fram till dess är kända, och på nytt när priser kommer. Medan priser saknas går enheterna på reservtiderna. När regeln stängs av stängs även enheterna av.",
      fields: {
        loads: ["Enheter", "Det som går när energin är billig, till exempel en varmvattenberedare"],
        hoursNeeded: ["Tid som behövs", "Hur länge enheterna går varje dag"],
        windowEnd: ["Klart till", "Klockslaget då de ska ha gått; då börjar nästa dag"],
        contiguous: ["I ett sträck", "De går utan avbrott, för det som inte kan avbrytas"],
        maxPrice: ["Högsta pris", "De går inte när en kWh kostar mer; utan gräns får de alltid sin tid"],
        fallback: ["Reservtider", "När de går medan priser saknas; om inga anges kl. 2–6 på natten"],
      },
    },
    de: {
      name: "Betrieb, wenn Energie am billigsten ist",
      summary: "Geräte laufen in den billigsten Viertelstunden vor einer Uhrzeit",
      description:
        "Jeden Tag laufen die Geräte so lange wie angegeben, und zwar wenn Energie vor der angegebenen Uhrzeit am billigsten ist; sonst sind sie aus. Geplant wird, wenn die Preise bis dahin bekannt sind, und neu, wenn Preise eintreffen. Solange sie fehlen, laufen die Geräte zu den Ersatzzeiten. Geht die Regel aus, gehen auch die Geräte aus.",
      fields: {
        loads: ["Geräte", "Was bei billiger Energie läuft, etwa ein Warmwasserspeicher"],
        hoursNeeded: ["Benötigte Zeit", "Wie lange die Geräte am Tag laufen"],
        windowEnd: ["Fertig um", "Die Uhrzeit, bis zu der sie gelaufen sind; dann beginnt der nächste Tag"],
        contiguous: ["Am Stück", "Sie laufen ohne Pause, für das, was man nicht unterbrechen kann"],
        maxPrice: [
          "Höchster Preis",
          "Sie laufen nicht, solange eine kWh mehr kostet; ohne Grenze bekommen sie immer ihre Zeit",
        ],
        fallback: [
          "Ersatzzeiten",
          "Wann sie laufen, solange Preise fehlen; ohne Angabe nachts von 2 bis 6 Uhr",
        ],
      },
    },
  },
});
