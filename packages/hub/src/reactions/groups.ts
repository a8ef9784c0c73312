import type { Command, DeviceRemoved, GroupEvent, Reaction } from "@ledge/model";

const join = (group: string) => (id: string) => ({ type: "JOIN_GROUP", id, group }) as Command;
const leave = (group: string) => (id: string) => ({ type: "LEAVE_GROUP", id, group }) as Command;

/** Keeps the list of groups in each device. */
export const groupMembership: Reaction = {
  name: "group membership",
  on: ["GroupCreated", "GroupMembersChanged", "GroupRemoved"],
  react(happened) {
    const event = happened as GroupEvent;
    switch (event.type) {
      case "GroupCreated":
        return event.members.map(join(event.id));
      case "GroupMembersChanged":
        return [...event.added.map(join(event.id)), ...event.removed.map(leave(event.id))];
      case "GroupRemoved":
        return event.members.map(leave(event.id));
      case "GroupRenamed":
      case "GroupMoved":
      case "GroupAddressed":
        return [];
    }
  },
};

/** Removes a removed device from its groups. */
export const removedMembers: Reaction = {
  name: "removed members",
  on: ["DeviceRemoved"],
  react(happened) {
    const { id, groups } = happened as DeviceRemoved;
    return groups.map((group) => ({ type: "DROP_MEMBER", id: group, device: id }) as Command);
  },
};
