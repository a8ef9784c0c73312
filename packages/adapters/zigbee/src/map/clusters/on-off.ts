import { plainItem } from "@ledge/port";
import type { ClusterMap } from "../cluster.ts";
import { lampKind } from "../lamp-kind.ts";
import { option } from "../setting.ts";
import { flag } from "../values.ts";
import { doesLevel } from "./level.ts";

export const onOff: ClusterMap = {
  cluster: "genOnOff",
  id: 0x0006,
  capabilities: (endpoint) => ["ON_OFF", lampKind(endpoint) === "socket" ? "CONTROL_POWER" : "CONTROL_LIGHT"],
  facts: ["startUpOnOff"],
  state: () => ["onOff"],
  reporting: () => [{ attribute: "onOff", minSeconds: 0, maxSeconds: 3600, change: 0 }],
  attributesOf(values) {
    const isOn = flag(values, "onOff");
    return isOn === undefined ? {} : { isOn };
  },
  framesFor(wanted, at) {
    const { isOn } = wanted;
    // After a fade to off the lamp would come on at its lowest level next time, so it switches off with its
    // own default.
    if (isOn === false) return [{ kind: "command", name: "off", payload: {} }];
    if (isOn !== true || doesLevel(wanted, at)) return [];
    return [{ kind: "command", name: "on", payload: {} }];
  },
  settings: [
    {
      attribute: "startUpOnOff",
      item: {
        ...plainItem,
        name: "startUpOnOff",
        fieldType: "OPTION",
        label: {
          en: "After a power cut",
          fi: "Sähkökatkon jälkeen",
          sv: "Efter strömavbrott",
          de: "Nach Stromausfall",
        },
        options: [
          { value: 0, label: { en: "Off", fi: "Pois", sv: "Av", de: "Aus" } },
          { value: 1, label: { en: "On", fi: "Päällä", sv: "På", de: "Ein" } },
          { value: 2, label: { en: "The opposite", fi: "Päinvastoin", sv: "Tvärtom", de: "Umgekehrt" } },
          { value: 255, label: { en: "As before", fi: "Kuten ennen", sv: "Som förut", de: "Wie vorher" } },
        ],
      },
      ...option([0, 1, 2, 255]),
    },
  ],
};
