import { rising, sirens, tell } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { light, picture, sound } from "../machine/effect.ts";
import { devices, duration, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The ids of the sensors that triggered this alarm. */
  readonly by: readonly string[];
}

const isSomebodyHome = (view: View): boolean => view.any("presence") === true;

/** Returns whether a sensor triggers that has not triggered this alarm yet. */
function isAnother({ by }: Context, view: View): boolean {
  const sensor = rising(view);
  return sensor !== undefined && !by.includes(sensor.id);
}

function tellOf(view: View, by: string | undefined): readonly Effect[] {
  const sensor = by === undefined ? undefined : view.device(by);
  return [
    ...(sensor === undefined ? [] : tell(view, "INTRUSION", sensor)),
    ...picture(view.devices("cameras")),
  ];
}

const forget = keep<Context>(() => ({ by: [] }));
const noteSensor = keep<Context>(({ context: { by }, event: { view } }) => {
  const sensor = view.change?.device.id;
  return { by: sensor === undefined ? by : [...by, sensor] };
});
const welcome: Transition<Context> = {
  guard: ({ event: { view } }) => isSomebodyHome(view),
  target: "disarmed",
};

/**
 * Guards the home while the rule is on; who comes in has a moment to turn it off. With presence it arms
 * itself when everybody has left.
 */
export const intrusionAlarm = template<Context>({
  configType: "INTRUSION_ALARM",
  version: 1,
  priority: 115,
  // A lamp or siren that somebody switched by hand must still take part in the alarm.
  class: "MANUAL",
  icon: "burglar",
  inputs: {
    sensors: sensors(["CONTACT", "MOTION"], 1, 64),
    presence: devices(["USER_PRESENCE"], 0, 8),
  },
  outputs: {
    siren: devices(sirens, 0, 8),
    lights: devices(["ON_OFF", "CONTROL_LIGHT"], 0, 32),
    cameras: devices(["RECORD_VIDEO", "LIVE_FEED"], 0, 8),
  },
  extras: {
    entryDelay: duration(30_000, 0, 600_000),
    exitDelay: duration(60_000, 0, 600_000),
    sirenMax: duration(300_000, 1000, 3_600_000),
  },
  late: { late: "fire" },
  hears: ["closed"],
  chart: {
    context: { by: [] },
    initial: "disarmed",
    delays: {
      entryDelay: ({ event: { view } }) => view.number("entryDelay"),
      exitDelay: ({ event: { view } }) => view.number("exitDelay"),
      sirenMax: ({ event: { view } }) => view.number("sirenMax"),
    },
    states: {
      disarmed: {
        idle: true,
        entry: [forget],
        always: { guard: ({ event: { view } }) => !isSomebodyHome(view), target: "exit" },
      },
      exit: { always: welcome, after: { exitDelay: { target: "armed" } } },
      armed: {
        idle: true,
        always: welcome,
        on: {
          "in.sensors": {
            guard: ({ context, event: { view } }) => isAnother(context, view),
            target: "entry",
            actions: [noteSensor],
          },
        },
      },
      entry: { always: welcome, after: { entryDelay: { target: "alarm" } } },
      alarm: {
        entry: [
          out(({ context: { by }, event: { view } }) => [
            ...sound(view.devices("siren"), true),
            ...light(view.devices("lights")),
            ...tellOf(view, by.at(-1)),
          ]),
        ],
        // Also when the rule goes off, which disarms it.
        exit: [out(({ event: { view } }) => sound(view.devices("siren"), false))],
        on: {
          "in.sensors": {
            guard: ({ context, event: { view } }) => isAnother(context, view),
            actions: [noteSensor, out(({ context: { by }, event: { view } }) => tellOf(view, by.at(-1)))],
          },
          closed: {
            guard: ({ event: { view } }) =>
              !view.devices("sensors").some((sensor) => view.isRaised("INTRUSION", sensor)),
            target: "disarmed",
          },
        },
        // The siren ends when nobody closes the alarm; an intruder who is still there triggers it again.
        after: { sirenMax: { target: "armed", actions: [forget] } },
      },
    },
  },
  texts: {
    en: {
      name: "Intrusion alarm",
      summary: "Sirens, lights and pictures when somebody comes in",
      description:
        "While the rule is on the home is guarded: after the time to leave, a sensor that notices somebody starts the time to disarm, and when that is over, the alarm. The sirens end after a while or when somebody closes the alarm. To disarm, turn the rule off, by hand or with a scene. With presence given, the home is not guarded while one of these people is there.",
      fields: {
        sensors: [
          "Sensors",
          "Doors, windows and motion; each sets the alarm off when it opens or sees somebody",
        ],
        presence: ["Presence", "Whoever is at home disarms it"],
        siren: ["Sirens", "What sounds"],
        lights: ["Lights", "What burns at its brightest"],
        cameras: ["Cameras", "What takes a picture of whoever comes in"],
        entryDelay: ["Time to disarm", "How long after coming in the alarm can be averted"],
        exitDelay: ["Time to leave", "How long after it is turned on nothing is guarded yet"],
        sirenMax: ["Longest siren", "How long the sirens sound at most"],
      },
    },
    fi: {
      name: "Murtohälytin",
      summary: "Sireenit, valot ja kuvat, kun joku tulee sisään",
      description:
        "Säännön ollessa päällä kotia vartioidaan: poistumisajan jälkeen jonkun havaitseva anturi käynnistää ajan, jossa säännön ehtii kytkeä pois, ja sitten hälytyksen. Sireenit vaikenevat hetken kuluttua tai kun joku sulkee hälytyksen. Säännön kytkeminen pois, myös tilanteella, poistaa vartioinnin. Jos läsnäolijat on annettu, mitään ei vartioida, kun joku heistä on kotona.",
      fields: {
        sensors: [
          "Anturit",
          "Ovet, ikkunat ja liike; kukin laukaisee hälytyksen auetessaan tai havaitessaan jonkun",
        ],
        presence: ["Läsnäolo", "Kotona oleva poistaa vartioinnin"],
        siren: ["Sireenit", "Mitkä soivat"],
        lights: ["Valot", "Mitkä palavat täydellä teholla"],
        cameras: ["Kamerat", "Mitkä ottavat kuvan tulijasta"],
        entryDelay: ["Poiskytkentäaika", "Kuinka kauan sisääntulon jälkeen hälytyksen voi estää"],
        exitDelay: ["Poistumisaika", "Kuinka kauan päälle kytkemisen jälkeen ei vielä vartioida"],
        sirenMax: ["Sireenin enimmäisaika", "Kuinka kauan sireenit enintään soivat"],
      },
    },
    sv: {
      name: "Inbrottslarm",
      summary: "Sirener, ljus och bilder när någon kommer in",
      description:
        "När regeln är på bevakas hemmet: efter tiden att gå ut startar en sensor som märker någon tiden att slå av regeln, och sedan larmet. Sirenerna tystnar efter en stund eller när någon stänger larmet. Slås regeln av, även av en scen, är bevakningen slut. Anges personers närvaro bevakas ingenting medan någon av dem är hemma.",
      fields: {
        sensors: [
          "Sensorer",
          "Dörrar, fönster och rörelse; var och en utlöser larmet när den öppnas eller ser någon",
        ],
        presence: ["Närvaro", "Den som är hemma avslutar bevakningen"],
        siren: ["Sirener", "Det som ljuder"],
        lights: ["Lampor", "Det som lyser med full styrka"],
        cameras: ["Kameror", "Det som tar en bild av den som kommer in"],
        entryDelay: ["Tid att slå av", "Hur länge efter att man kommit in larmet kan avvärjas"],
        exitDelay: ["Tid att gå ut", "Hur länge efter påslag ingenting bevakas ännu"],
        sirenMax: ["Längsta siren", "Hur länge sirenerna ljuder som mest"],
      },
    },
    de: {
      name: "Einbruchalarm",
      summary: "Sirenen, Licht und Bilder, wenn jemand hereinkommt",
      description:
        "Solange die Regel an ist, wird das Zuhause bewacht: Nach der Zeit zum Verlassen löst ein Sensor, der jemanden bemerkt, erst die Zeit zum Ausschalten der Regel aus und dann den Alarm. Die Sirenen verstummen nach einer Weile oder wenn jemand den Alarm schließt. Wird die Regel ausgeschaltet, auch durch eine Szene, so endet die Bewachung. Ist die Anwesenheit von Personen angegeben, wird nichts bewacht, solange eine von ihnen zu Hause ist.",
      fields: {
        sensors: [
          "Sensoren",
          "Türen, Fenster und Bewegung; jeder löst aus, wenn er aufgeht oder jemanden sieht",
        ],
        presence: ["Anwesenheit", "Wer zu Hause ist, beendet die Bewachung"],
        siren: ["Sirenen", "Was heult"],
        lights: ["Lampen", "Was mit voller Kraft leuchtet"],
        cameras: ["Kameras", "Was ein Bild von dem macht, der hereinkommt"],
        entryDelay: ["Zeit zum Ausschalten", "Wie lange nach dem Hereinkommen der Alarm abzuwenden ist"],
        exitDelay: ["Zeit zum Verlassen", "Wie lange nach dem Einschalten noch nichts bewacht wird"],
        sirenMax: ["Längste Sirene", "Wie lange die Sirenen höchstens heulen"],
      },
    },
  },
});
