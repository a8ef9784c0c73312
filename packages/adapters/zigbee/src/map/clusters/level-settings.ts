import { plainItem } from "@ledge/port";
import type { ClusterSetting } from "../setting.ts";
import { bit, scaled, whole } from "../setting.ts";

/** Bits of `options` (ZCL 3.10.2.2.8). */
const executeIfOff = 0x01;
const coupleColorTemp = 0x02;
/** A transition time in tenths of a second; ffff is no time. */
const longestSeconds = 6553.4;
/** Stands for the level of before. */
const asBefore = 255;

const number = { ...plainItem, fieldType: "NUMBER" } as const;
const help = {
  en: "1 is the lowest, 254 the highest; 255: as before",
  fi: "1 on alin, 254 ylin; 255: kuten ennen",
  sv: "1 är lägst, 254 högst; 255: som förut",
  de: "1 ist am dunkelsten, 254 am hellsten; 255: wie vorher",
} as const;

/** How a lamp reaches its level when it is switched, and what it does with commands while it is off. */
export const levelSettings: readonly ClusterSetting[] = [
  {
    attribute: "onLevel",
    item: {
      ...number,
      name: "onLevel",
      label: {
        en: "Level when turned on",
        fi: "Taso sytytettäessä",
        sv: "Nivå vid tändning",
        de: "Helligkeit beim Einschalten",
      },
      help,
      minValue: 1,
      maxValue: asBefore,
    },
    ...whole(1, asBefore),
  },
  {
    attribute: "startUpCurrentLevel",
    item: {
      ...number,
      name: "startUpCurrentLevel",
      label: {
        en: "Level after a power cut",
        fi: "Taso sähkökatkon jälkeen",
        sv: "Nivå efter strömavbrott",
        de: "Helligkeit nach Stromausfall",
      },
      help: {
        en: "0 is the lowest, 254 the highest; 255: as before",
        fi: "0 on alin, 254 ylin; 255: kuten ennen",
        sv: "0 är lägst, 254 högst; 255: som förut",
        de: "0 ist am dunkelsten, 254 am hellsten; 255: wie vorher",
      },
      minValue: 0,
      maxValue: asBefore,
    },
    ...whole(0, asBefore),
  },
  {
    attribute: "onOffTransitionTime",
    item: {
      ...number,
      name: "onOffTransitionTime",
      label: {
        en: "Fade when switched (s)",
        fi: "Häivytys kytkettäessä (s)",
        sv: "Toning vid tändning och släckning (s)",
        de: "Überblendung beim Schalten (s)",
      },
      minValue: 0,
      maxValue: longestSeconds,
    },
    ...scaled(10, 0, longestSeconds),
  },
  {
    attribute: "options",
    item: {
      ...plainItem,
      name: "executeIfOff",
      fieldType: "BOOL",
      label: {
        en: "Obeys levels while off",
        fi: "Tottelee tasoja sammutettuna",
        sv: "Lyder nivåer när den är släckt",
        de: "Nimmt Helligkeiten an, während sie aus ist",
      },
    },
    ...bit(executeIfOff),
  },
  {
    attribute: "options",
    item: {
      ...plainItem,
      name: "coupleColorTempToLevel",
      fieldType: "BOOL",
      label: {
        en: "Warmer when dimmed",
        fi: "Lämpimämpi himmennettynä",
        sv: "Varmare när den är dimmad",
        de: "Wärmer, wenn gedimmt",
      },
    },
    ...bit(coupleColorTemp),
    suits: ({ input }) => input.includes(0x0300),
  },
];
