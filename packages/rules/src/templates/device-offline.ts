import { minutes, tell, untell } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { devices, duration } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

const isBack = ({ each }: View): boolean => each?.state["reachable"] === true;
const isGone = ({ each }: View): boolean => each?.state["reachable"] === false;

interface Radio {
  readonly id: string;
  readonly name: string;
  readonly devices: number;
  readonly gone: number;
}

function radioOf(view: View): Radio | undefined {
  const radio = view.each && view.radioOf(view.each);
  if (radio === undefined) return undefined;
  const { id, name, devices: members } = radio;
  const gone = members.filter(({ state }) => state["reachable"] === false).length;
  return { id, name, devices: members.length, gone };
}

/** Returns whether more than half of a radio's devices are gone: then the radio fails, not the devices. */
function isRadioGone(view: View): boolean {
  const radio = radioOf(view);
  return radio !== undefined && radio.gone > 1 && radio.gone * 2 > radio.devices;
}

const graceLeft = (view: View): number => view.startedAt + view.number("grace") - view.now;
const isDue = (view: View): boolean => graceLeft(view) <= 0;

function warn(view: View): readonly Effect[] {
  const facts = { minutes: minutes(view.number("after")) };
  return view.each === undefined ? [] : tell(view, "DEVICE_OFFLINE", view.each, facts);
}

/** Raises one alarm for all devices of a radio; the first machine to get here raises it. */
function warnOfRadio(view: View): readonly Effect[] {
  const radio = radioOf(view);
  if (radio === undefined || view.isRaised("RADIO_OFFLINE", radio)) return [];
  const { devices: known, gone } = radio;
  const facts = { devices: known, gone, minutes: minutes(view.number("after")) };
  return [{ do: "raise", alarm: "RADIO_OFFLINE", about: radio, facts }];
}

function end(view: View): readonly Effect[] {
  const own = view.each === undefined ? [] : untell(view, ["DEVICE_OFFLINE"], view.each);
  const radio = radioOf(view);
  if (radio === undefined || isRadioGone(view) || !view.isRaised("RADIO_OFFLINE", radio)) return own;
  return [...own, { do: "close", alarm: "RADIO_OFFLINE", about: radio }];
}

const back: Transition<object> = {
  guard: ({ event: { view } }) => isBack(view),
  target: "here",
  actions: [out(({ event: { view } }) => end(view))],
};

/** Warns of a device that stays out of reach; one alarm stands for many devices of one radio. */
export const deviceOffline = template({
  configType: "DEVICE_OFFLINE",
  version: 1,
  priority: 35,
  class: "RULE",
  icon: "offline",
  inputs: { devices: devices(["DEVICE"], 1, 256) },
  outputs: {},
  extras: {
    after: duration(7_200_000, 60_000, 2_592_000_000),
    grace: duration(900_000, 0, 86_400_000),
  },
  each: "devices",
  late: { late: "recheck" },
  chart: {
    context: {},
    initial: "here",
    delays: {
      after: ({ event: { view } }) => view.number("after"),
      grace: ({ event: { view } }) => graceLeft(view),
    },
    states: {
      here: {
        idle: true,
        always: { guard: ({ event: { view } }) => isGone(view), target: "gone" },
      },
      gone: { always: back, after: { after: { target: "due" } } },
      // Soon after a start a device may just not have reported yet.
      due: {
        always: [
          back,
          {
            guard: ({ event: { view } }) => isDue(view) && isRadioGone(view),
            target: "radioTold",
            actions: [out(({ event: { view } }) => warnOfRadio(view))],
          },
          {
            guard: ({ event: { view } }) => isDue(view),
            target: "told",
            actions: [out(({ event: { view } }) => warn(view))],
          },
        ],
        after: { grace: { target: "due", reenter: true } },
      },
      told: { always: back },
      // When the radio works again, a device that is still gone gets an alarm of its own.
      radioTold: {
        always: back,
        after: {
          after: [
            {
              guard: ({ event: { view } }) => !isRadioGone(view),
              target: "told",
              actions: [out(({ event: { view } }) => [...end(view), ...warn(view)])],
            },
            { target: "radioTold", reenter: true },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Device offline",
      summary: "Warns of devices that cannot be reached for long",
      description:
        "When a device cannot be reached for the given time, a warning is raised; it closes when the device answers again. When more than half of the devices of one radio are gone, there is one warning for all of them. There are no warnings soon after the hub has started.",
      fields: {
        devices: ["Devices", "Each is watched by itself"],
        after: [
          "Time",
          "How long a device may be out of reach; twice as long as it takes to report is a good choice",
        ],
        grace: ["After a start", "How long after the hub has started nobody is warned"],
      },
    },
    fi: {
      name: "Laite ei tavoitettavissa",
      summary: "Varoittaa laitteista, joita ei pitkään aikaan tavoiteta",
      description:
        "Kun laitetta ei tavoiteta annettuun aikaan, annetaan varoitus; se sulkeutuu, kun laite taas vastaa. Kun yli puolet yhden radion laitteista on poissa, niistä annetaan yksi yhteinen varoitus. Pian keskittimen käynnistymisen jälkeen ei varoiteta.",
      fields: {
        devices: ["Laitteet", "Kutakin valvotaan erikseen"],
        after: [
          "Aika",
          "Kuinka kauan laite saa olla tavoittamattomissa; kaksi kertaa ilmoitusväli on hyvä valinta",
        ],
        grace: ["Käynnistyksen jälkeen", "Kuinka kauan keskittimen käynnistymisestä ei varoiteta"],
      },
    },
    sv: {
      name: "Enhet onåbar",
      summary: "Varnar för enheter som länge inte går att nå",
      description:
        "När en enhet inte går att nå under den angivna tiden ges en varning; den stängs när enheten svarar igen. När mer än hälften av enheterna på en radio är borta ges en varning för dem alla. Strax efter att hubben har startat varnas ingen.",
      fields: {
        devices: ["Enheter", "Var och en övervakas för sig"],
        after: [
          "Tid",
          "Hur länge en enhet får vara onåbar; dubbelt så länge som den rapporterar är ett bra val",
        ],
        grace: ["Efter en start", "Hur länge efter hubbens start ingen varnas"],
      },
    },
    de: {
      name: "Gerät nicht erreichbar",
      summary: "Warnt vor Geräten, die lange nicht erreichbar sind",
      description:
        "Ist ein Gerät für die angegebene Zeit nicht erreichbar, so kommt eine Warnung; sie schließt sich, wenn es wieder antwortet. Fehlt mehr als die Hälfte der Geräte eines Funkmoduls, so kommt eine Warnung für alle. Kurz nach dem Start des Hubs wird niemand gewarnt.",
      fields: {
        devices: ["Geräte", "Jedes wird für sich überwacht"],
        after: [
          "Zeit",
          "Wie lange ein Gerät unerreichbar sein darf; das Doppelte seines Meldeabstands ist eine gute Wahl",
        ],
        grace: ["Nach einem Start", "Wie lange nach dem Start des Hubs niemand gewarnt wird"],
      },
    },
  },
});
