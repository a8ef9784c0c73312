import { filledIn, type Language, type Texts } from "./language.ts";

interface Words {
  /** For true and for false: what a device does at the change, and what it shows. `{name}` is the device. */
  readonly yes?: readonly [begins: Texts, shows: Texts];
  readonly no?: readonly [begins: Texts, shows: Texts];
  /** What it shows for other values; `{value}` with its unit. */
  readonly shows?: Texts;
  readonly unit?: string;
  /** Values are fractions of 1, shown in percent. */
  readonly isPart?: true;
}

const texts = (en: string, fi: string, sv: string, de: string): Texts => ({ en, fi, sv, de });

/** The words for attributes of devices; others go by their names. */
const words: Readonly<Record<string, Words>> = {
  isOn: {
    yes: [
      texts("{name} went on", "{name} meni päälle", "{name} slogs på", "{name} ging an"),
      texts("on", "päällä", "på", "an"),
    ],
    no: [
      texts("{name} went off", "{name} sammui", "{name} stängdes av", "{name} ging aus"),
      texts("off", "pois päältä", "av", "aus"),
    ],
  },
  motion: {
    yes: [
      texts(
        "{name} saw motion",
        "{name} havaitsi liikettä",
        "{name} såg rörelse",
        "{name} hat Bewegung gesehen",
      ),
      texts("motion", "liikettä", "rörelse", "Bewegung"),
    ],
    no: [
      texts(
        "{name} saw no more motion",
        "{name} ei enää havainnut liikettä",
        "{name} såg ingen rörelse längre",
        "{name} sah keine Bewegung mehr",
      ),
      texts("no motion", "ei liikettä", "ingen rörelse", "keine Bewegung"),
    ],
  },
  open: {
    yes: [
      texts("{name} was opened", "{name} avattiin", "{name} öppnades", "{name} wurde geöffnet"),
      texts("open", "auki", "öppen", "offen"),
    ],
    no: [
      texts("{name} was closed", "{name} suljettiin", "{name} stängdes", "{name} wurde geschlossen"),
      texts("closed", "kiinni", "stängd", "geschlossen"),
    ],
  },
  locked: {
    yes: [
      texts("{name} was locked", "{name} lukittiin", "{name} låstes", "{name} wurde verriegelt"),
      texts("locked", "lukossa", "låst", "verriegelt"),
    ],
    no: [
      texts("{name} was unlocked", "{name} avattiin lukosta", "{name} låstes upp", "{name} wurde entriegelt"),
      texts("unlocked", "ei lukossa", "olåst", "entriegelt"),
    ],
  },
  reachable: {
    yes: [
      texts(
        "{name} could be reached again",
        "{name} oli taas tavoitettavissa",
        "{name} gick att nå igen",
        "{name} war wieder erreichbar",
      ),
      texts("within reach", "tavoitettavissa", "nåbar", "erreichbar"),
    ],
    no: [
      texts(
        "{name} could not be reached any more",
        "{name} ei ollut enää tavoitettavissa",
        "{name} gick inte längre att nå",
        "{name} war nicht mehr erreichbar",
      ),
      texts("out of reach", "ei tavoitettavissa", "onåbar", "nicht erreichbar"),
    ],
  },
  moisture: {
    yes: [
      texts("{name} became wet", "{name} kastui", "{name} blev våt", "{name} wurde nass"),
      texts("wet", "märkä", "våt", "nass"),
    ],
    no: [
      texts("{name} became dry", "{name} kuivui", "{name} blev torr", "{name} wurde trocken"),
      texts("dry", "kuiva", "torr", "trocken"),
    ],
  },
  twilight: {
    yes: [
      texts(
        "{name}: it became dark",
        "{name}: tuli pimeää",
        "{name}: det blev mörkt",
        "{name}: es wurde dunkel",
      ),
      texts("dark", "pimeää", "mörkt", "dunkel"),
    ],
    no: [
      texts(
        "{name}: it became light",
        "{name}: tuli valoisaa",
        "{name}: det blev ljust",
        "{name}: es wurde hell",
      ),
      texts("light", "valoisaa", "ljust", "hell"),
    ],
  },
  alert: {
    yes: [
      texts("{name} raised an alarm", "{name} hälytti", "{name} larmade", "{name} hat Alarm geschlagen"),
      texts("alarm", "hälytys", "larm", "Alarm"),
    ],
    no: [
      texts(
        "{name} ended its alarm",
        "{name} lopetti hälytyksen",
        "{name} slutade larma",
        "{name} hat den Alarm beendet",
      ),
      texts("no alarm", "ei hälytystä", "inget larm", "kein Alarm"),
    ],
  },
  batteryLow: {
    yes: [
      texts(
        "{name}: the battery became low",
        "{name}: paristo on vähissä",
        "{name}: batteriet blev svagt",
        "{name}: die Batterie wurde schwach",
      ),
      texts("battery low", "paristo vähissä", "svagt batteri", "Batterie schwach"),
    ],
    no: [
      texts(
        "{name}: the battery is good again",
        "{name}: paristo on taas kunnossa",
        "{name}: batteriet är bra igen",
        "{name}: die Batterie ist wieder gut",
      ),
      texts("battery good", "paristo kunnossa", "bra batteri", "Batterie gut"),
    ],
  },
  button: {
    shows: texts(
      "button {value} pressed",
      "painiketta {value} painettu",
      "knapp {value} tryckt",
      "Taste {value} gedrückt",
    ),
  },
  brightness: {
    isPart: true,
    shows: texts("brightness {value}", "kirkkaus {value}", "ljusstyrka {value}", "Helligkeit {value}"),
  },
  temperature: {
    unit: "°C",
    shows: texts("temperature {value}", "lämpötila {value}", "temperatur {value}", "Temperatur {value}"),
  },
  targetTemperature: {
    unit: "°C",
    shows: texts(
      "wanted temperature {value}",
      "asetuslämpötila {value}",
      "önskad temperatur {value}",
      "Solltemperatur {value}",
    ),
  },
  humidity: {
    unit: "%",
    shows: texts("humidity {value}", "kosteus {value}", "luftfuktighet {value}", "Feuchte {value}"),
  },
  lux: { unit: "lx", shows: texts("light {value}", "valoisuus {value}", "ljus {value}", "Licht {value}") },
  co2Ppm: { unit: "ppm", shows: texts("CO2 {value}", "CO2 {value}", "CO2 {value}", "CO2 {value}") },
  activePower: {
    unit: "W",
    shows: texts("power {value}", "teho {value}", "effekt {value}", "Leistung {value}"),
  },
  power: { unit: "W", shows: texts("power {value}", "teho {value}", "effekt {value}", "Leistung {value}") },
  battery: {
    unit: "%",
    shows: texts("battery {value}", "paristo {value}", "batteri {value}", "Batterie {value}"),
  },
  position: {
    isPart: true,
    shows: texts("position {value}", "asento {value}", "läge {value}", "Stellung {value}"),
  },
  voltage: {
    unit: "V",
    shows: texts("voltage {value}", "jännite {value}", "spänning {value}", "Spannung {value}"),
  },
  current: { unit: "A", shows: texts("current {value}", "virta {value}", "ström {value}", "Strom {value}") },
  producedEnergy: {
    unit: "kWh",
    shows: texts(
      "produced energy {value}",
      "tuotettu energia {value}",
      "producerad energi {value}",
      "erzeugte Energie {value}",
    ),
  },
  soilMoisture: {
    unit: "%",
    shows: texts("soil moisture {value}", "maan kosteus {value}", "markfukt {value}", "Bodenfeuchte {value}"),
  },
  deviceTemperature: {
    unit: "°C",
    shows: texts(
      "device temperature {value}",
      "laitteen lämpötila {value}",
      "enhetens temperatur {value}",
      "Gerätetemperatur {value}",
    ),
  },
  rssi: {
    unit: "dBm",
    shows: texts("signal {value}", "signaali {value}", "signal {value}", "Signal {value}"),
  },
  heatingDemand: {
    isPart: true,
    shows: texts(
      "heating demand {value}",
      "lämmitystarve {value}",
      "värmebehov {value}",
      "Heizbedarf {value}",
    ),
  },
  pressure: {
    unit: "Pa",
    shows: texts("air pressure {value}", "ilmanpaine {value}", "lufttryck {value}", "Luftdruck {value}"),
  },
  pm25: {
    unit: "µg/m³",
    shows: texts("fine dust {value}", "pienhiukkasia {value}", "fint damm {value}", "Feinstaub {value}"),
  },
  vocPpm: {
    unit: "ppm",
    shows: texts(
      "volatile compounds {value}",
      "haihtuvia yhdisteitä {value}",
      "flyktiga ämnen {value}",
      "flüchtige Stoffe {value}",
    ),
  },
  batteryV: {
    unit: "V",
    shows: texts(
      "battery voltage {value}",
      "pariston jännite {value}",
      "batterispänning {value}",
      "Batteriespannung {value}",
    ),
  },
  hue: { shows: texts("hue {value}", "sävy {value}", "nyans {value}", "Farbton {value}") },
  saturation: {
    isPart: true,
    shows: texts("saturation {value}", "kylläisyys {value}", "mättnad {value}", "Sättigung {value}"),
  },
  totalPower: {
    unit: "kWh",
    shows: texts("energy {value}", "energia {value}", "energi {value}", "Energie {value}"),
  },
  tiltPct: {
    unit: "%",
    shows: texts("slats {value}", "säleet {value}", "lameller {value}", "Lamellen {value}"),
  },
  openPct: { unit: "%", shows: texts("open {value}", "auki {value}", "öppen {value}", "offen {value}") },
};

const now = texts(
  "{name}: now {shows}",
  "{name}: nyt {shows}",
  "{name}: nu {shows}",
  "{name}: jetzt {shows}",
);
const unknown = texts("unknown", "tuntematon", "okänd", "unbekannt");

/** Returns what a device shows, such as `on` or `brightness 40 %`. Colour temperatures are in K. */
export function shownText(name: string, value: unknown, language: Language): string {
  const known = Object.hasOwn(words, name) ? words[name] : undefined;
  if (value === undefined || value === null) return `${name}: ${unknown[language]}`;
  const truth = value === true ? known?.yes : value === false ? known?.no : undefined;
  if (truth !== undefined) return truth[1][language];
  const text = valueText(value, name === "temperature" && Number(value) > 1000 ? { unit: "K" } : known);
  const shows = known?.shows?.[language];
  return shows === undefined ? `${name} ${text}` : filledIn(shows, () => text);
}

/** Returns a change of a device, such as `Hall lamp went on`. */
export function changedText(device: string, name: string, value: unknown, language: Language): string {
  const known = Object.hasOwn(words, name) ? words[name] : undefined;
  const truth = value === true ? known?.yes : value === false ? known?.no : undefined;
  if (truth !== undefined) return filledIn(truth[0][language], () => device);
  const shows = shownText(name, value, language);
  return filledIn(now[language], (part) => (part === "name" ? device : shows));
}

/** Numbers have at most three decimals. */
function valueText(value: unknown, { unit, isPart }: Pick<Words, "unit" | "isPart"> = {}): string {
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (isPart) return `${Math.round(value * 1000) / 10} %`;
  const rounded = String(Math.round(value * 1000) / 1000);
  return unit === undefined ? rounded : `${rounded} ${unit}`;
}

/** Of attributes that changed together, returns the one to mention first. */
export function mainAttribute(attributes: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(attributes);
  return Object.keys(words).find((name) => names.includes(name)) ?? names[0];
}
