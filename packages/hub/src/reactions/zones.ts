import type { Command, Reaction } from "@ledge/model";

/** Clears a removed zone from devices. */
export const zoneReferences: Reaction = {
  name: "zone references",
  on: ["ZoneRemoved"],
  react: ({ id }, read) =>
    [...read.all("device")]
      .filter(([, { zones }]) => zones.includes(id))
      .map(([device, { zones }]) => {
        const left = zones.filter((zone) => zone !== id);
        return { type: "CMD_DEVICE_META", id: device, zones: left } as Command;
      }),
};
