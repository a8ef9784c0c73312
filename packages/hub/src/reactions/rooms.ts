import type { Command, Reaction } from "@ledge/model";

/** Clears a removed room from devices and groups. */
export const roomReferences: Reaction = {
  name: "room references",
  on: ["RoomRemoved"],
  react({ id }, read) {
    const commands: Command[] = [];
    for (const [device, { room }] of read.all("device")) {
      if (room.includes(id)) commands.push({ type: "CMD_DEVICE_META", id: device, room: [] } as Command);
    }
    for (const [group, { room }] of read.all("group")) {
      if (room.includes(id)) commands.push({ type: "CLEAR_GROUP_ROOM", id: group } as Command);
    }
    return commands;
  },
};
