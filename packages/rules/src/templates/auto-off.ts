import { out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

const isOn = ({ each }: View): boolean => each?.state["isOn"] === true;

/** Turns each device off a while after it went on, whoever turned it on; turning it on again restarts the time. */
export const autoOff = template({
  configType: "AUTO_OFF",
  version: 1,
  priority: 70,
  class: "MANUAL",
  icon: "timer",
  inputs: {},
  outputs: { devices: devices(["ON_OFF"], 1, 32) },
  extras: { after: duration(1_800_000, 1000, 86_400_000) },
  each: "devices",
  late: { late: "fire" },
  hears: ["outputs"],
  chart: {
    context: {},
    initial: "resting",
    delays: { after: ({ event: { view } }) => view.number("after") },
    states: {
      resting: { idle: true, always: { guard: ({ event: { view } }) => isOn(view), target: "running" } },
      running: {
        on: {
          "out.devices": [
            { guard: ({ event: { view } }) => !isOn(view), target: "resting" },
            {
              guard: ({ event: { view } }) => view.change?.isNews === true,
              target: "running",
              reenter: true,
            },
          ],
        },
        after: {
          after: {
            target: "off",
            actions: [out(({ event: { view } }) => turn(view.each === undefined ? [] : [view.each], false))],
          },
        },
      },
      // Waits until the device reports off: a report still on its way could restart the time.
      off: {
        idle: true,
        on: {
          "out.devices": [
            { guard: ({ event: { view } }) => !isOn(view), target: "resting" },
            { guard: ({ event: { view } }) => view.change?.before === false, target: "running" },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Off after a while",
      summary: "Devices go off a while after they were turned on",
      description:
        "Each device goes off when it has been on for the given time, whoever turned it on. Turning it on again starts the time anew.",
      fields: {
        devices: ["Devices", "What goes off"],
        after: ["Time", "How long a device stays on"],
      },
    },
    fi: {
      name: "Sammutus ajan kuluttua",
      summary: "Laitteet sammuvat tietyn ajan kuluttua päälle kytkemisestä",
      description:
        "Kukin laite sammuu oltuaan päällä annetun ajan, kytkipä sen kuka tahansa. Uusi kytkentä aloittaa ajan alusta.",
      fields: {
        devices: ["Laitteet", "Mitkä sammuvat"],
        after: ["Aika", "Kuinka kauan laite on päällä"],
      },
    },
    sv: {
      name: "Av efter en stund",
      summary: "Enheter stängs av en stund efter att de slagits på",
      description:
        "Varje enhet stängs av när den har varit på under den angivna tiden, vem som än slog på den. Slås den på igen börjar tiden om.",
      fields: {
        devices: ["Enheter", "Det som stängs av"],
        after: ["Tid", "Hur länge en enhet är på"],
      },
    },
    de: {
      name: "Aus nach einer Weile",
      summary: "Geräte gehen eine Weile nach dem Einschalten aus",
      description:
        "Jedes Gerät geht aus, wenn es die angegebene Zeit an war, wer auch immer es eingeschaltet hat. Erneutes Einschalten beginnt die Zeit von vorn.",
      fields: {
        devices: ["Geräte", "Was ausgeht"],
        after: ["Zeit", "Wie lange ein Gerät an bleibt"],
      },
    },
  },
});
