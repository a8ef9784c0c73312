import type { Device } from "@ledge/model";
import { limits } from "@ledge/model";
import type { StateNode } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, number, option } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

type Context = Record<string, never>;

const minute = 60_000;

/** Returns whether a sensor has reported recently enough to count. */
function isFresh(view: View, sensor: Device): boolean {
  return view.now - view.seenAt(sensor) < view.number("staleMs");
}

/** Returns the mean of the sensors that count. */
function temperature(view: View): number | undefined {
  const values = view
    .devices("temp")
    .filter((sensor) => isFresh(view, sensor))
    .map((sensor) => view.reading("temp", sensor))
    .filter((value) => typeof value === "number");
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isSilent(view: View): boolean {
  return !view.devices("temp").some((sensor) => isFresh(view, sensor));
}

/**
 * Returns how far (K) the temperature is on the side where the devices must work; undefined when it is not
 * known.
 */
function need(view: View): number | undefined {
  const now = temperature(view);
  if (now === undefined) return undefined;
  const target = view.number("target");
  return view.text("mode") === "cool" ? now - target : target - now;
}

function isWanted(view: View): boolean {
  return (need(view) ?? -Infinity) > view.number("hyst") / 2;
}

function isEnough(view: View): boolean {
  return (need(view) ?? Infinity) < -view.number("hyst") / 2;
}

/** Returns the reachable devices that are not in the wanted state. */
function others(view: View, on: boolean): readonly Device[] {
  return view.devices("heaters").filter(({ state }) => state["reachable"] !== false && state["isOn"] !== on);
}

const all = (on: boolean) =>
  out<Context>(({ event: { view } }): readonly Effect[] => turn(view.devices("heaters"), on));

const fail = out<Context>(({ event: { view } }) => [
  ...turn(view.devices("heaters"), view.text("failsafe") === "on"),
  { do: "raise", alarm: "SENSORS_SILENT", facts: { minutes: Math.round(view.number("staleMs") / minute) } },
]);

/** Switches devices back after others switched them, once the hold has ended. */
function freed(on: boolean): NonNullable<StateNode<Context>["on"]> {
  const isFreed = (view: View, { id }: Device): boolean => id === view.change?.device.id;
  return {
    freed: {
      actions: [
        out(({ event: { view } }) =>
          turn(
            others(view, on).filter((heater) => isFreed(view, heater)),
            on,
          ),
        ),
      ],
    },
  };
}

/** On or off until the temperature calls for the opposite; switches back what deviates meanwhile. */
function holding(on: boolean, isOver: (view: View) => boolean, next: string): StateNode<Context> {
  return {
    ...(!on && { idle: true }),
    always: { guard: ({ event: { view } }) => isOver(view), target: next, actions: [all(!on)] },
    on: {
      ...freed(on),
      "in.temp": {
        guard: ({ event: { view } }) =>
          need(view) !== undefined && !isOver(view) && others(view, on).length > 0,
        actions: [out(({ event: { view } }) => turn(others(view, on), on))],
      },
    },
    after: { stale: staleNext(on ? "on" : "off") },
  };
}

function staleNext(self: string): NonNullable<StateNode<Context>["on"]>[string] {
  return [
    { guard: ({ event: { view } }) => isSilent(view), target: "failsafe", actions: [fail] },
    { target: self, reenter: true },
  ];
}

/** A thermostat made of sensors and switches: switches around a target, and not too often. */
export const onOffThermostat = template<Context>({
  configType: "ON_OFF_THERMOSTAT",
  version: 1,
  priority: 90,
  class: "RULE",
  level: true,
  icon: "thermostat",
  inputs: { temp: devices(["TEMPERATURE"], 1, 8) },
  outputs: { heaters: devices(["ON_OFF"], 1, 16) },
  extras: {
    target: number("TEMPERATURE", 21, -30, 100),
    hyst: number("TEMPERATURE", 0.5, 0.1, 10),
    minOn: duration(3 * minute, 0, 60 * minute),
    minOff: duration(3 * minute, 0, 60 * minute),
    failsafe: option(["off", "on"]),
    // The hub writes down repeated values only every ten minutes.
    staleMs: duration(60 * minute, 2 * limits.lastSeenLoggedMs, 1440 * minute),
    mode: option(["heat", "cool"]),
  },
  late: { late: "fire" },
  hears: ["freed"],
  // While the hub was down it could not hear any sensor.
  lateOf: { stale: { late: "recheck" }, unheard: { late: "recheck" }, look: { late: "recheck" } },
  chart: {
    context: {},
    initial: "judging",
    delays: {
      minOn: ({ event: { view } }) => view.number("minOn"),
      minOff: ({ event: { view } }) => view.number("minOff"),
      stale: ({ event: { view } }) => {
        const heard = Math.max(...view.devices("temp").map((sensor) => view.seenAt(sensor)), 0);
        return Math.max(heard + view.number("staleMs") - view.now, 0);
      },
      unheard: ({ event: { view } }) => view.number("staleMs"),
      look: () => limits.lastSeenLoggedMs,
    },
    states: {
      judging: {
        idle: true,
        always: [
          { guard: ({ event: { view } }) => isWanted(view), target: "starting", actions: [all(true)] },
          { guard: ({ event: { view } }) => isEnough(view), target: "off", actions: [all(false)] },
          {
            guard: ({ event: { view } }) =>
              need(view) !== undefined && view.devices("heaters").some(({ state }) => state["isOn"] === true),
            target: "on",
          },
          { guard: ({ event: { view } }) => need(view) !== undefined, target: "off" },
        ],
        after: { unheard: staleNext("judging") },
      },
      starting: { on: freed(true), after: { minOn: { target: "on" } } },
      on: holding(true, isEnough, "stopping"),
      stopping: { idle: true, on: freed(false), after: { minOff: { target: "off" } } },
      off: holding(false, isWanted, "starting"),
      failsafe: {
        always: {
          guard: ({ event: { view } }) => temperature(view) !== undefined,
          target: "judging",
          actions: [out(() => [{ do: "close", alarm: "SENSORS_SILENT" }])],
        },
        after: { look: { target: "failsafe", reenter: true } },
      },
    },
    off: [all(false)],
  },
  texts: {
    en: {
      name: "Thermostat of sensors and switches",
      summary: "Keeps a temperature by turning heaters or coolers on and off",
      description:
        "When the mean of the sensors is below the target by half of the hysteresis, the heaters go on; when it is as much above, they go off. With cooling it is the other way round. When no sensor has reported for long, the devices go to the state that you have chosen for that and you are warned. When the rule goes off, so do the devices.",
      fields: {
        temp: ["Temperature sensors", "Their mean counts; those that are silent are left out"],
        heaters: ["Heaters or coolers", "What goes on and off"],
        target: ["Target", "The temperature to keep"],
        hyst: ["Hysteresis", "How far it is between going on and going off"],
        minOn: ["Shortest time on", "Once on, the devices stay on for at least this long"],
        minOff: ["Shortest time off", "Once off, the devices stay off for at least this long"],
        failsafe: ["Without sensors", "What the devices do while no temperature is known"],
        staleMs: ["Silence", "A sensor that has not reported for this time does not count"],
        mode: ["Mode", "Heating, or cooling"],
      },
    },
    fi: {
      name: "Termostaatti antureista ja kytkimistä",
      summary: "Pitää lämpötilan kytkemällä lämmittimiä tai jäähdyttimiä",
      description:
        "Kun anturien keskiarvo on puolet hystereesistä tavoitteen alapuolella, lämmittimet kytketään päälle; saman verran yläpuolella ne sammutetaan. Jäähdytyksessä toimitaan päinvastoin. Kun mistään anturista ei ole kuultu pitkään aikaan, laitteet asetetaan turvalliseen tilaan ja saat varoituksen. Kun sääntö kytketään pois, laitteet sammuvat.",
      fields: {
        temp: ["Lämpötila-anturit", "Niiden keskiarvo ratkaisee; vaienneet jätetään pois"],
        heaters: ["Lämmittimet tai jäähdyttimet", "Mitä kytketään"],
        target: ["Tavoite", "Pidettävä lämpötila"],
        hyst: ["Hystereesi", "Päälle- ja poiskytkennän väli"],
        minOn: ["Lyhin päälläoloaika", "Päälle kytketyt laitteet ovat päällä vähintään näin kauan"],
        minOff: ["Lyhin poissaoloaika", "Sammutetut laitteet ovat pois päältä vähintään näin kauan"],
        failsafe: ["Ilman antureita", "Mitä laitteet tekevät, kun lämpötilaa ei tiedetä"],
        staleMs: ["Hiljaisuus", "Kun antureista ei ole kuultu näin pitkään, niiden lämpötila ei enää päde"],
        mode: ["Toiminta", "Lämmitys tai jäähdytys"],
      },
    },
    sv: {
      name: "Termostat av sensorer och brytare",
      summary: "Håller en temperatur genom att slå värmare eller kylare på och av",
      description:
        "När sensorernas medelvärde ligger en halv hysteres under målet slås värmarna på; lika långt över det slås de av. Vid kylning är det tvärtom. När ingen sensor har hörts av på länge ställs enheterna i säkert läge och du varnas. När regeln stängs av stängs även enheterna av.",
      fields: {
        temp: ["Temperatursensorer", "Deras medelvärde gäller; de som tystnat räknas inte"],
        heaters: ["Värmare eller kylare", "Det som slås på och av"],
        target: ["Mål", "Temperaturen som ska hållas"],
        hyst: ["Hysteres", "Avståndet mellan påslag och avslag"],
        minOn: ["Kortaste tid på", "När enheterna slagits på är de på minst så länge"],
        minOff: ["Kortaste tid av", "När enheterna slagits av är de av minst så länge"],
        failsafe: ["Utan sensorer", "Vad enheterna gör när ingen temperatur är känd"],
        staleMs: ["Tystnad", "När ingen sensor hörts av så här länge gäller temperaturen inte längre"],
        mode: ["Läge", "Värme eller kyla"],
      },
    },
    de: {
      name: "Thermostat aus Sensoren und Schaltern",
      summary: "Hält eine Temperatur, indem es Heiz- oder Kühlgeräte ein- und ausschaltet",
      description:
        "Liegt das Mittel der Sensoren um die halbe Hysterese unter dem Ziel, gehen die Heizgeräte an; ebenso weit darüber gehen sie aus. Beim Kühlen ist es umgekehrt. Hat sich lange kein Sensor gemeldet, werden die Geräte in den sicheren Zustand versetzt und Sie werden gewarnt. Geht die Regel aus, gehen auch die Geräte aus.",
      fields: {
        temp: ["Temperatursensoren", "Ihr Mittel zählt; verstummte bleiben außer Betracht"],
        heaters: ["Heiz- oder Kühlgeräte", "Was ein- und ausgeschaltet wird"],
        target: ["Ziel", "Die Temperatur, die gehalten wird"],
        hyst: ["Hysterese", "Abstand zwischen Ein- und Ausschalten"],
        minOn: ["Mindestzeit an", "Eingeschaltet bleiben die Geräte mindestens so lange an"],
        minOff: ["Mindestzeit aus", "Ausgeschaltet bleiben die Geräte mindestens so lange aus"],
        failsafe: ["Ohne Sensoren", "Was die Geräte tun, solange keine Temperatur bekannt ist"],
        staleMs: ["Stille", "Meldet sich so lange kein Sensor, gilt seine Temperatur nicht mehr"],
        mode: ["Betrieb", "Heizen oder kühlen"],
      },
    },
  },
});
