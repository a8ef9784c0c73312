import { ascending } from "./parts/ascending.ts";
import type { Arguments } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

type Context = Record<string, never>;

const minute = 60_000;

/** Returns a limit in percent: the fixed one, or a margin above the reference while that is known. */
function limit(view: View, fixed: "onAt" | "offAt", above: "onAbove" | "offAbove"): number {
  const reference = view.greatest("ref");
  const limited = reference === undefined ? view.number(fixed) : reference / 100 + view.number(above);
  return Math.round(1000 * limited) / 10;
}

/** The dampest sensor counts. */
const isDamp = ({ event: { view } }: Arguments<Context>): boolean =>
  (view.greatest("hum") ?? -Infinity) >= limit(view, "onAt", "onAbove");
const isDry = (given: Arguments<Context>): boolean => {
  const { view } = given.event;
  return !isDamp(given) && (view.greatest("hum") ?? Infinity) <= limit(view, "offAt", "offAbove");
};

const run = out<Context>(({ event: { view } }) => turn(view.devices("fan"), true));
const stop = out<Context>(({ event: { view } }) => turn(view.devices("fan"), false));

const extras = {
  onAt: number("PERCENT", 0.65, 0.05, 1, { for: "hum" }),
  offAt: number("PERCENT", 0.55, 0, 0.95, { for: "hum" }),
  onAbove: number("PERCENT", 0.1, 0.01, 0.9, { for: "ref" }),
  offAbove: number("PERCENT", 0.05, 0, 0.8, { for: "ref" }),
  maxRun: duration(60 * minute, minute, 1440 * minute),
  restMs: duration(15 * minute, 0, 1440 * minute),
};
const [fixed, above] = [ascending(extras, "offAt", "onAt"), ascending(extras, "offAbove", "onAbove")];

/** Runs a fan while it is damp, with rests in between. */
export const humidityFan = template<Context>({
  configType: "HUMIDITY_FAN",
  version: 1,
  priority: 85,
  class: "RULE",
  level: true,
  icon: "fan",
  inputs: { hum: devices(["HUMIDITY"], 1, 2), ref: devices(["HUMIDITY"], 0, 1) },
  outputs: { fan: devices(["ON_OFF", "FAN_MODE"], 1, 4) },
  extras,
  check: (config, world) => fixed(config, world) ?? above(config, world),
  late: { late: "fire" },
  chart: {
    context: {},
    initial: "dry",
    delays: {
      maxRun: ({ event: { view } }) => view.number("maxRun"),
      rest: ({ event: { view } }) => view.number("restMs"),
    },
    states: {
      dry: { idle: true, always: { guard: isDamp, target: "damp", actions: [run] } },
      damp: {
        always: { guard: isDry, target: "dry", actions: [stop] },
        after: { maxRun: { target: "resting", actions: [stop] } },
      },
      resting: { idle: true, after: { rest: { target: "dry" } } },
    },
  },
  texts: {
    en: {
      name: "Fan by humidity",
      summary: "A fan runs while the air is damp",
      description:
        "The fan goes on when the dampest of the sensors reaches the upper limit and off when it has fallen to the lower one. With a reference, such as a sensor in another room or outdoors, the limits are margins above its humidity. After its longest run the fan rests for a while.",
      fields: {
        hum: ["Humidity sensors", "Where the fan is wanted; the dampest counts"],
        ref: ["Reference", "A sensor to compare with; without one the fixed limits hold"],
        fan: ["Fans", "What runs; a fan with speeds runs at its lowest"],
        onAt: ["On at", "The humidity at which the fan goes on"],
        offAt: ["Off at", "The humidity at which the fan goes off"],
        onAbove: ["On above the reference", "By how much more than the reference the fan goes on"],
        offAbove: ["Off above the reference", "At how much more than the reference the fan goes off"],
        maxRun: ["Longest run", "After this time the fan rests, however damp it is"],
        restMs: ["Rest", "How long the fan rests then"],
      },
    },
    fi: {
      name: "Tuuletin kosteuden mukaan",
      summary: "Tuuletin käy, kun ilma on kosteaa",
      description:
        "Tuuletin käynnistyy, kun kostein anturi nousee ylärajaan, ja pysähtyy, kun se on laskenut alarajaan. Jos vertailuanturi on annettu, esimerkiksi toisessa huoneessa tai ulkona, rajat lasketaan sen lukeman päälle. Pisimmän käyntiajan jälkeen tuuletin lepää hetken.",
      fields: {
        hum: ["Kosteusanturit", "Missä tuuletinta tarvitaan; kostein ratkaisee"],
        ref: ["Vertailu", "Anturi, johon verrataan; ilman sitä kiinteät rajat ovat voimassa"],
        fan: ["Tuulettimet", "Mikä käy; nopeudella säädettävä käy hitaimmillaan"],
        onAt: ["Käynnistysraja", "Kosteus, jossa tuuletin käynnistyy"],
        offAt: ["Pysäytysraja", "Kosteus, jossa tuuletin pysähtyy"],
        onAbove: ["Käynnistys yli vertailun", "Kuinka paljon yli vertailun tuuletin käynnistyy"],
        offAbove: ["Pysäytys yli vertailun", "Kuinka paljon yli vertailun tuuletin pysähtyy"],
        maxRun: ["Pisin käynti", "Tämän ajan jälkeen tuuletin lepää kosteudesta riippumatta"],
        restMs: ["Lepo", "Kuinka kauan tuuletin silloin lepää"],
      },
    },
    sv: {
      name: "Fläkt efter fuktighet",
      summary: "En fläkt går medan luften är fuktig",
      description:
        "Fläkten startar när den fuktigaste sensorn når den övre gränsen och stannar när den är nere vid den undre. Med en referens, till exempel en sensor i ett annat rum eller utomhus, ligger gränserna så mycket över det den visar. Efter den längsta tiden vilar fläkten en stund.",
      fields: {
        hum: ["Fuktsensorer", "Där fläkten behövs; den fuktigaste gäller"],
        ref: ["Referens", "En sensor att jämföra med; utan den gäller de fasta gränserna"],
        fan: ["Fläktar", "Det som går; en fläkt med hastigheter går på sin lägsta"],
        onAt: ["På vid", "Fuktigheten då fläkten startar"],
        offAt: ["Av vid", "Fuktigheten då fläkten stannar"],
        onAbove: ["På över referensen", "Hur mycket över referensen fläkten startar"],
        offAbove: ["Av över referensen", "Hur mycket över referensen fläkten stannar"],
        maxRun: ["Längsta gång", "Efter den här tiden vilar fläkten, hur fuktigt det än är"],
        restMs: ["Vila", "Hur länge fläkten då vilar"],
      },
    },
    de: {
      name: "Lüfter nach Feuchte",
      summary: "Ein Lüfter läuft, solange die Luft feucht ist",
      description:
        "Der Lüfter geht an, wenn der feuchteste Sensor die obere Grenze erreicht, und aus, wenn er zur unteren gesunken ist. Mit einer Referenz, etwa einem Sensor in einem anderen Raum oder im Freien, liegen die Grenzen um so viel über deren Wert. Nach der längsten Laufzeit ruht der Lüfter eine Weile.",
      fields: {
        hum: ["Feuchtesensoren", "Wo der Lüfter gebraucht wird; der feuchteste zählt"],
        ref: ["Referenz", "Ein Sensor zum Vergleich; ohne ihn gelten die festen Grenzen"],
        fan: ["Lüfter", "Was läuft; ein Lüfter mit Stufen läuft auf der niedrigsten"],
        onAt: ["An ab", "Die Feuchte, bei der der Lüfter angeht"],
        offAt: ["Aus bei", "Die Feuchte, bei der der Lüfter ausgeht"],
        onAbove: ["An über der Referenz", "Um wie viel über der Referenz der Lüfter angeht"],
        offAbove: ["Aus über der Referenz", "Um wie viel über der Referenz der Lüfter ausgeht"],
        maxRun: ["Längste Laufzeit", "Danach ruht der Lüfter, so feucht es auch ist"],
        restMs: ["Ruhe", "Wie lange der Lüfter dann ruht"],
      },
    },
  },
});
