import { ascending } from "./parts/ascending.ts";
import type { Arguments } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { set } from "../machine/effect.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The outdoor samples of the last hour: [ms since the epoch, deg C]. */
  readonly outdoor: readonly (readonly [at: number, temperature: number])[];
}

const minute = 60_000;
const averagedMs = 60 * minute;

/** Returns the samples of the last hour, with the present one. */
function sampled({ context: { outdoor }, event: { view } }: Arguments<Context>): Context["outdoor"] {
  const [now] = view.numbers("outdoor");
  const recent = outdoor.filter(([at]) => view.now - at < averagedMs);
  return now === undefined ? recent : [...recent, [view.now, now]];
}

/**
 * Returns the supply temperature (deg C) for the weather and the rooms; undefined while the weather is not
 * known.
 */
function wanted(view: View, outdoor: Context["outdoor"]): number | undefined {
  if (outdoor.length === 0) return undefined;
  const outside = outdoor.reduce((sum, [, temperature]) => sum + temperature, 0) / outdoor.length;
  const target = view.number("target");
  const room = view.mean("room") ?? target;
  const supply =
    target +
    view.number("offset") +
    view.number("slope") * Math.max(0, target - outside) +
    view.number("roomGain") * (target - room);
  const bounded = Math.min(Math.max(supply, view.number("min")), view.number("max"));
  return Math.round(10 * bounded) / 10;
}

const extras = {
  slope: number("NUMBER", 1.3, 0.05, 2.5),
  offset: number("TEMPERATURE", 0, -20, 20),
  min: number("TEMPERATURE", 15, 5, 90),
  max: number("TEMPERATURE", 65, 10, 95),
  target: number("TEMPERATURE", 20, 5, 30),
  roomGain: number("NUMBER", 2, 0, 10, { for: "room" }),
  period: duration(10 * minute, minute, 360 * minute),
  deadband: number("TEMPERATURE", 0.5, 0.1, 10),
};

/** Writes to the devices whose value differs by the dead band or more. */
const write = out<Context>(({ context: { outdoor }, event: { view } }) => {
  const supply = wanted(view, outdoor);
  if (supply === undefined) return [];
  const deadband = view.number("deadband");
  const others = view.devices("supply").filter((device) => {
    const shown = view.reading("supply", device);
    return typeof shown !== "number" || Math.abs(supply - shown) >= deadband;
  });
  return set(others, { targetTemperature: supply });
});

/**
 * Sets warmer supply water the colder it is outdoors. It compares with what devices show, so it writes
 * nothing twice.
 */
export const heatingCurve = template<Context>({
  configType: "HEATING_CURVE",
  version: 1,
  priority: 50,
  class: "RULE",
  level: true,
  icon: "curve",
  inputs: { outdoor: devices(["TEMPERATURE"], 1, 1), room: devices(["TEMPERATURE"], 0, 4) },
  outputs: { supply: devices(["CONTROL_TEMPERATURE"], 1, 4) },
  extras,
  check: ascending(extras, "min", "max"),
  late: { late: "fire" },
  hears: ["freed"],
  chart: {
    context: { outdoor: [] },
    initial: "waiting",
    delays: { period: ({ event: { view } }) => view.number("period") },
    states: {
      waiting: {
        always: { guard: ({ event: { view } }) => view.numbers("outdoor").length > 0, target: "following" },
      },
      following: {
        entry: [keep((given) => ({ outdoor: sampled(given) })), write],
        on: { freed: { actions: [write] } },
        always: { guard: ({ context: { outdoor } }) => outdoor.length === 0, target: "waiting" },
        after: { period: { target: "following", reenter: true } },
      },
    },
  },
  texts: {
    en: {
      name: "Heating curve",
      summary: "Sets the supply temperature of the heating by the weather",
      description:
        "The supply temperature starts at the target and rises by the slope for each degree that it is colder outdoors; rooms that are too cold or too warm correct it. The outdoor temperature is the mean of the last hour. The supply is worked out once in each period and set when it differs by the dead band or more. When the outdoor temperature has not been known for an hour, nothing is set.",
      fields: {
        outdoor: ["Outdoor sensor", "In the shade, away from windows"],
        room: ["Room sensors", "Their mean corrects the curve; without any the weather alone counts"],
        supply: ["Supply", "The controller that takes the supply temperature"],
        slope: ["Slope", "By how much the supply is warmer for each degree that it is colder outdoors"],
        offset: ["Offset", "Moves the whole curve up or down"],
        min: ["Lowest", "The supply is never colder"],
        max: ["Highest", "The supply is never warmer"],
        target: ["Target", "The wanted room temperature"],
        roomGain: ["Room influence", "By how much the supply changes for each degree that the rooms are off"],
        period: ["Period", "How often the supply is worked out"],
        deadband: ["Dead band", "Smaller changes are not written"],
      },
    },
    fi: {
      name: "Lämmityskäyrä",
      summary: "Asettaa lämmityksen menoveden lämpötilan sään mukaan",
      description:
        "Menoveden lämpötila on tavoite, johon lisätään kulmakerroin jokaista astetta kohden, jonka ulkona on kylmempää; liian kylmät tai lämpimät huoneet korjaavat sitä. Ulkoa otetaan viimeisen tunnin keskiarvo. Arvo lasketaan kerran jaksossa ja kirjoitetaan, kun se eroaa vähintään kuolleen alueen verran. Jos ulkolämpötilaa ei tiedetä tuntiin, mitään ei kirjoiteta.",
      fields: {
        outdoor: ["Ulkoanturi", "Varjossa, etäällä ikkunoista"],
        room: ["Huoneanturit", "Niiden keskiarvo korjaa käyrää; ilman niitä vain sää ratkaisee"],
        supply: ["Menovesi", "Mille lämpötila annetaan"],
        slope: [
          "Kulmakerroin",
          "Kuinka paljon lämpimämpää menovesi on kutakin ulkona kylmempää astetta kohden",
        ],
        offset: ["Siirto", "Siirtää koko käyrää ylös tai alas"],
        min: ["Alin", "Menovesi ei ole tätä kylmempää"],
        max: ["Ylin", "Menovesi ei ole tätä lämpimämpää"],
        target: ["Tavoite", "Haluttu huonelämpötila"],
        roomGain: [
          "Huoneen vaikutus",
          "Kuinka paljon menovesi muuttuu kutakin huoneen poikkeama-astetta kohden",
        ],
        period: ["Jakso", "Kuinka usein arvo lasketaan"],
        deadband: ["Kuollut alue", "Pienempiä muutoksia ei kirjoiteta"],
      },
    },
    sv: {
      name: "Värmekurva",
      summary: "Ställer värmens framledningstemperatur efter vädret",
      description:
        "Framledningen är målet plus lutningen för varje grad det är kallare ute; rum som är för kalla eller för varma korrigerar den. Utomhus gäller den senaste timmens medelvärde. Värdet räknas ut en gång per period och skrivs när det skiljer sig med minst dödbandet. Är utetemperaturen okänd i en timme skrivs inget.",
      fields: {
        outdoor: ["Utesensor", "I skugga, inte nära fönster"],
        room: ["Rumssensorer", "Deras medelvärde korrigerar kurvan; utan dem gäller bara vädret"],
        supply: ["Framledning", "Det som får temperaturen"],
        slope: ["Lutning", "Hur mycket varmare framledningen blir för varje grad det är kallare ute"],
        offset: ["Förskjutning", "Flyttar hela kurvan upp eller ner"],
        min: ["Lägsta", "Framledningen blir aldrig kallare"],
        max: ["Högsta", "Framledningen blir aldrig varmare"],
        target: ["Mål", "Önskad rumstemperatur"],
        roomGain: ["Rummets inverkan", "Hur mycket framledningen ändras för varje grad som rummen avviker"],
        period: ["Period", "Hur ofta värdet räknas ut"],
        deadband: ["Dödband", "Mindre ändringar skrivs inte"],
      },
    },
    de: {
      name: "Heizkurve",
      summary: "Stellt die Vorlauftemperatur der Heizung nach dem Wetter",
      description:
        "Der Vorlauf ist das Ziel und für jedes Grad, um das es draußen kälter ist, die Steilheit mehr; zu kalte oder zu warme Räume korrigieren ihn. Draußen zählt das Mittel der letzten Stunde. Der Wert wird einmal je Takt berechnet und geschrieben, wenn er um mindestens die Totzone abweicht. Ist die Außentemperatur eine Stunde lang nicht bekannt, wird nichts geschrieben.",
      fields: {
        outdoor: ["Außensensor", "Im Schatten, nicht am Fenster"],
        room: ["Raumsensoren", "Ihr Mittel korrigiert die Kurve; ohne sie zählt nur das Wetter"],
        supply: ["Vorlauf", "Was die Temperatur vorgegeben bekommt"],
        slope: ["Steilheit", "Um wie viel der Vorlauf je Grad kälterer Außenluft wärmer wird"],
        offset: ["Verschiebung", "Hebt oder senkt die ganze Kurve"],
        min: ["Kleinster Wert", "Kälter wird der Vorlauf nie"],
        max: ["Größter Wert", "Wärmer wird der Vorlauf nie"],
        target: ["Ziel", "Die gewünschte Raumtemperatur"],
        roomGain: ["Raumeinfluss", "Um wie viel sich der Vorlauf je Grad Abweichung der Räume ändert"],
        period: ["Takt", "Wie oft der Wert berechnet wird"],
        deadband: ["Totzone", "Kleinere Änderungen werden nicht geschrieben"],
      },
    },
  },
});
