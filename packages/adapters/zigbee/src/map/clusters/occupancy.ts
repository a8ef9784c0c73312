import { plainItem } from "@ledge/port";
import type { ClusterMap } from "../cluster.ts";
import { scaled } from "../setting.ts";
import { integer } from "../values.ts";

export const occupancy: ClusterMap = {
  cluster: "msOccupancySensing",
  id: 0x0406,
  capabilities: () => ["MOTION"],
  facts: ["pirOToUDelay"],
  state: () => ["occupancy"],
  reporting: () => [{ attribute: "occupancy", minSeconds: 0, maxSeconds: 3600, change: 0 }],
  attributesOf(values) {
    const bits = integer(values, "occupancy", 0, 0xff);
    return bits === undefined ? {} : { motion: (bits & 1) === 1 };
  },
  settings: [
    {
      attribute: "pirOToUDelay",
      item: {
        ...plainItem,
        name: "pirOToUDelay",
        fieldType: "NUMBER",
        label: {
          en: "Time without motion (s)",
          fi: "Aika ilman liikettä (s)",
          sv: "Tid utan rörelse (s)",
          de: "Zeit ohne Bewegung (s)",
        },
        help: {
          en: "How long there must be no motion before the room counts as empty.",
          fi: "Kuinka kauan kukaan ei saa liikkua, jotta huone katsotaan tyhjäksi.",
          sv: "Hur länge ingen får röra sig innan rummet räknas som tomt.",
          de: "Wie lange sich niemand bewegen darf, bis der Raum als leer gilt.",
        },
        minValue: 0,
        maxValue: 65_534,
      },
      ...scaled(1, 0, 65_534),
    },
  ],
};
