import type { AlarmKind, Device, RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import { sirens, tell, untell } from "./parts/alarming.ts";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { sound, turn } from "../machine/effect.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

const kinds: readonly AlarmKind[] = ["TOO_COLD", "TOO_HOT"];
/** Hysteresis (degrees): how far within a limit a temperature is inside again. */
const margin = 1;
const standard = { low: 5, high: 35 };

/** Returns which limit the last temperature of a sensor passes; undefined within them, or without a temperature. */
function beyond(view: View, sensor: Device): AlarmKind | undefined {
  const shown = Number(view.lastShown("temp", sensor) ?? NaN);
  if (shown < view.number("low")) return "TOO_COLD";
  return shown > view.number("high") ? "TOO_HOT" : undefined;
}

const isOutside = (view: View): boolean => {
  const { each } = view;
  return each !== undefined && view.reading("temp", each) !== undefined && beyond(view, each) !== undefined;
};

/**
 * Returns whether the machine's sensor is inside both limits.
 * @param within by how many degrees at least.
 */
function isInside(view: View, within: number): boolean {
  const shown = view.each && view.reading("temp", view.each);
  if (typeof shown !== "number") return false;
  return shown >= view.number("low") + within && shown <= view.number("high") - within;
}

/** Returns whether another sensor of the rule is outside, or not yet back inside. */
function areOthersOutside(view: View): boolean {
  return view
    .devices("temp")
    .filter(({ id }) => id !== view.each?.id)
    .some((other) => beyond(view, other) !== undefined || kinds.some((kind) => view.isRaised(kind, other)));
}

function warn(view: View): readonly Effect[] {
  const { each } = view;
  const kind = each && beyond(view, each);
  const temperature = Math.round(Number(each && view.lastShown("temp", each)) * 10) / 10;
  const limit = view.number(kind === "TOO_COLD" ? "low" : "high");
  const told = kind === undefined ? [] : tell(view, kind, each as Device, { temperature, limit });
  return [...told, ...sound(view.devices("siren"), true), ...turn(view.devices("devices"), true)];
}

function clear(view: View): readonly Effect[] {
  const closed = view.each === undefined ? [] : untell(view, kinds, view.each);
  if (areOthersOutside(view)) return closed;
  return [...closed, ...sound(view.devices("siren"), false), ...turn(view.devices("devices"), false)];
}

function limitOf({ extras }: RuleConfig, name: keyof typeof standard): number {
  const [given] = extras[name] ?? [];
  return Number((given as { readonly value?: unknown } | undefined)?.value ?? standard[name]);
}

/** Warns of a place that is too cold or too hot for a while, and switches devices on against it. */
export const freezeTempLimit = template({
  configType: "FREEZE_TEMP_LIMIT",
  version: 1,
  priority: 100,
  class: "RULE",
  level: true,
  icon: "temperature",
  inputs: { temp: devices(["TEMPERATURE"], 1, 32) },
  outputs: { siren: devices(sirens, 0, 4), devices: devices(["ON_OFF"], 0, 8) },
  extras: {
    low: number("TEMPERATURE", standard.low, -50, 100),
    high: number("TEMPERATURE", standard.high, -50, 100),
    forMs: duration(600_000, 0, 86_400_000),
    repeat: duration(21_600_000, 60_000, 604_800_000),
  },
  each: "temp",
  late: { late: "fire" },
  hears: ["closed"],
  check(config) {
    const [low, high] = [limitOf(config, "low"), limitOf(config, "high")];
    const gap = 2 * margin;
    if (high - low >= gap) return undefined;
    return reject("invalid", `high is at least ${gap} degrees above low`, "extras.high");
  },
  chart: {
    context: {},
    initial: "inside",
    delays: {
      forMs: ({ event: { view } }) => view.number("forMs"),
      repeat: ({ event: { view } }) => view.number("repeat"),
    },
    states: {
      inside: {
        idle: true,
        always: { guard: ({ event: { view } }) => isOutside(view), target: "leaving" },
      },
      leaving: {
        always: { guard: ({ event: { view } }) => isInside(view, 0), target: "inside" },
        after: { forMs: { target: "outside" } },
      },
      outside: {
        entry: [out(({ event: { view } }) => warn(view))],
        always: {
          guard: ({ event: { view } }) => isInside(view, margin),
          target: "inside",
          actions: [out(({ event: { view } }) => clear(view))],
        },
        on: {
          closed: {
            guard: ({ event: { view } }) => !kinds.some((kind) => view.isRaised(kind, view.each)),
            actions: [out(({ event: { view } }) => sound(view.devices("siren"), false))],
          },
        },
        after: { repeat: { target: "outside", reenter: true } },
      },
    },
  },
  texts: {
    en: {
      name: "Too cold or too hot",
      summary: "Warns when a temperature stays outside its limits",
      description:
        "When a sensor shows a temperature outside the limits for the given time, a warning is raised and repeated, and the chosen devices go on. When the temperature is back within the limits by a degree, the warning closes and the devices go off.",
      fields: {
        temp: ["Temperature sensors", "Each is watched by itself"],
        siren: ["Sirens", "What sounds until the warning is closed"],
        devices: ["Devices", "What goes on against it, such as a heater or a fan"],
        low: ["Lower limit", "Below this it is too cold"],
        high: ["Upper limit", "Above this it is too hot"],
        forMs: ["For how long", "How long it must be outside before you are warned"],
        repeat: ["Repeat", "How often you are warned again"],
      },
    },
    fi: {
      name: "Liian kylmä tai kuuma",
      summary: "Varoittaa, kun lämpötila pysyy rajojensa ulkopuolella",
      description:
        "Kun anturi näyttää annetun ajan rajojen ulkopuolella olevaa lämpötilaa, annetaan varoitus, joka toistetaan, ja valitsemasi laitteet kytketään päälle. Kun lämpötila on taas asteen verran rajojen sisällä, varoitus sulkeutuu ja laitteet sammuvat.",
      fields: {
        temp: ["Lämpötila-anturit", "Kutakin valvotaan erikseen"],
        siren: ["Sireenit", "Mitkä soivat, kunnes varoitus suljetaan"],
        devices: ["Laitteet", "Mitkä kytketään päälle avuksi, kuten lämmitin tai tuuletin"],
        low: ["Alaraja", "Tätä kylmempi on liian kylmää"],
        high: ["Yläraja", "Tätä kuumempi on liian kuumaa"],
        forMs: ["Kuinka kauan", "Kuinka kauan rajan on ylityttävä ennen varoitusta"],
        repeat: ["Toisto", "Kuinka usein varoitetaan uudelleen"],
      },
    },
    sv: {
      name: "För kallt eller för varmt",
      summary: "Varnar när en temperatur håller sig utanför sina gränser",
      description:
        "När en sensor visar en temperatur utanför gränserna under den angivna tiden ges en varning som upprepas, och enheterna som du har valt slås på. När temperaturen åter är en grad innanför gränserna stängs varningen och enheterna slås av.",
      fields: {
        temp: ["Temperatursensorer", "Var och en övervakas för sig"],
        siren: ["Sirener", "Det som ljuder tills varningen stängs"],
        devices: ["Enheter", "Det som slås på till hjälp, till exempel ett element eller en fläkt"],
        low: ["Undre gräns", "Under den är det för kallt"],
        high: ["Övre gräns", "Över den är det för varmt"],
        forMs: ["Hur länge", "Hur länge det måste vara utanför innan du varnas"],
        repeat: ["Upprepning", "Hur ofta du varnas på nytt"],
      },
    },
    de: {
      name: "Zu kalt oder zu heiß",
      summary: "Warnt, wenn eine Temperatur außerhalb ihrer Grenzen bleibt",
      description:
        "Zeigt ein Sensor für die angegebene Zeit eine Temperatur außerhalb der Grenzen, so kommt eine Warnung, die wiederholt wird, und die gewählten Geräte gehen an. Liegt die Temperatur wieder ein Grad innerhalb der Grenzen, schließt sich die Warnung und die Geräte gehen aus.",
      fields: {
        temp: ["Temperatursensoren", "Jeder wird für sich überwacht"],
        siren: ["Sirenen", "Was heult, bis die Warnung geschlossen wird"],
        devices: ["Geräte", "Was dagegen angeht, etwa eine Heizung oder ein Lüfter"],
        low: ["Untere Grenze", "Darunter ist es zu kalt"],
        high: ["Obere Grenze", "Darüber ist es zu heiß"],
        forMs: ["Wie lange", "Wie lange es außerhalb sein muss, bevor Sie gewarnt werden"],
        repeat: ["Wiederholung", "Wie oft Sie erneut gewarnt werden"],
      },
    },
  },
});
