import type { Device } from "@ledge/model";
import type { Arguments } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration } from "../catalogue/field.ts";
import { pressOf } from "./parts/press.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

function isUser({ capabilities }: Device): boolean {
  return capabilities.values.includes("USER_PRESENCE");
}

function isSomebodyHome(view: View): boolean {
  return view.devices("trigger").some((device) => isUser(device) && device.state["reachable"] === true);
}

/** Returns whether an off key was pressed, a door was closed or the last user has left. */
function isTriggered(view: View): boolean {
  const { change } = view;
  if (change?.attribute === "button") {
    const press = pressOf(view);
    return press?.how !== "release" && (press?.key === "off" || press?.key === "toggle");
  }
  const hasEnded = change?.isNews === true && change.before === true && change.value === false;
  return hasEnded && !(change.attribute === "reachable" && isSomebodyHome(view));
}

function isBack({ change }: View): boolean {
  return change?.attribute === "reachable" && change.value === true && isUser(change.device);
}

function off({ event: { view } }: Arguments<object>): readonly Effect[] {
  return turn(view.devices("devices"), false);
}

/**
 * Turns everything off at one press, when a door closes or when the last user leaves, also what people turned
 * on.
 */
export const allOff = template({
  configType: "ALL_OFF",
  version: 1,
  priority: 75,
  class: "MANUAL",
  byHand: true,
  icon: "off",
  inputs: { trigger: devices(["REMOTE_CONTROL", "CONTACT", "USER_PRESENCE"], 1, 8) },
  outputs: { devices: devices(["ON_OFF"], 1, 256) },
  extras: { delay: duration(0, 0, 3_600_000) },
  late: { late: "skip", lateMaxMs: 600_000 },
  chart: {
    context: {},
    initial: "resting",
    delays: { delay: ({ event: { view } }) => view.number("delay") },
    states: {
      resting: {
        idle: true,
        on: {
          "in.trigger": [
            {
              guard: ({ event: { view } }) => isTriggered(view) && view.number("delay") === 0,
              actions: [out(off)],
            },
            { guard: ({ event: { view } }) => isTriggered(view), target: "waiting" },
          ],
        },
      },
      waiting: {
        on: {
          "in.trigger": [
            { guard: ({ event: { view } }) => isBack(view), target: "resting" },
            { guard: ({ event: { view } }) => isTriggered(view), target: "waiting", reenter: true },
          ],
        },
        after: { delay: { target: "resting", actions: [out(off)] } },
      },
    },
  },
  texts: {
    en: {
      name: "Everything off",
      summary: "One press, one door or the last to leave turns everything off",
      description:
        "When the off key of a remote control is pressed (or its only key), when a door or window is closed, or when the last of the users leaves, all the devices go off, even those that somebody has turned on by hand. If a user comes back before the delay is over, they stay as they are.",
      fields: {
        trigger: ["Triggers", "Remote controls, doors and users"],
        devices: ["Devices", "What goes off; leave out what is to stay on"],
        delay: ["Delay", "How long to wait before everything goes off"],
      },
    },
    fi: {
      name: "Kaikki pois",
      summary: "Painallus, ovi tai viimeinen lähtijä sammuttaa kaiken",
      description:
        "Kun kaukosäätimen pois-painiketta (tai sen ainoaa painiketta) painetaan, ovi tai ikkuna suljetaan tai viimeinen käyttäjistä lähtee, kaikki laitteet kytkeytyvät pois, myös käsin päälle kytketyt. Jos joku käyttäjistä palaa ennen viiveen loppua, ne jäävät ennalleen.",
      fields: {
        trigger: ["Laukaisijat", "Kaukosäätimet, ovet ja käyttäjät"],
        devices: ["Laitteet", "Mitkä kytkeytyvät pois; jätä pois ne, joiden on oltava päällä"],
        delay: ["Viive", "Kuinka kauan odotetaan ennen kuin kaikki kytkeytyy pois"],
      },
    },
    sv: {
      name: "Allt av",
      summary: "En tryckning, en dörr eller den sista som går stänger av allt",
      description:
        "När fjärrkontrollens av-knapp (eller dess enda knapp) trycks in, när en dörr eller ett fönster stängs eller när den sista av användarna går stängs alla enheter av, också de som någon har slagit på för hand. Kommer en användare tillbaka innan fördröjningen är över förblir de som de är.",
      fields: {
        trigger: ["Utlösare", "Fjärrkontroller, dörrar och användare"],
        devices: ["Enheter", "Det som stängs av; utelämna det som ska vara på"],
        delay: ["Fördröjning", "Hur länge det dröjer innan allt stängs av"],
      },
    },
    de: {
      name: "Alles aus",
      summary: "Ein Tastendruck, eine Tür oder der Letzte, der geht, schaltet alles aus",
      description:
        "Wird die Aus-Taste einer Fernbedienung (oder ihre einzige Taste) gedrückt, eine Tür oder ein Fenster geschlossen oder geht der Letzte der Benutzer, gehen alle Geräte aus, auch von Hand eingeschaltete. Kommt ein Benutzer vor dem Ende der Verzögerung zurück, bleiben sie, wie sie sind.",
      fields: {
        trigger: ["Auslöser", "Fernbedienungen, Türen und Benutzer"],
        devices: ["Geräte", "Was ausgeht; lassen Sie weg, was an bleiben soll"],
        delay: ["Verzögerung", "Wie lange gewartet wird, bevor alles ausgeht"],
      },
    },
  },
});
