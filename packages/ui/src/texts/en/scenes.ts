import type { Text } from "../text.ts";

/** The texts of scenes and groups, in English. */
export const scenes = {
  "scenes.title": "Scenes and groups",
  "scenes.none": "There are no scenes yet.",
  "scenes.new": "New scene",
  "scenes.notYours": "Your role does not change scenes and groups.",
  "scene.devices": "Devices",
  "scene.devicesHow":
    "A device that you add is wanted as it is now. Change what you like; what is left stays as it is.",
  "scene.leave": "Leave as it is",
  "scene.nothing": "The scene wants nothing of this device yet.",
  "scene.asNow": "As it is now",
  "scene.allNow": "Take all as they are now",
  "scene.times": "Times",
  "scene.timesHow": "When the scene goes on and off by itself.",
  "scene.run": "Turn on now",
  "outcome.title": "What became of it",
  "outcome.never": "The scene has not been turned on yet.",
  "outcome.at": "Turned on {time}",
  "outcome.sent": "on its way",
  "outcome.confirmed": "done",
  "outcome.failed": "failed",
  "outcome.timedOut": "did not answer",
  "outcome.skipped": "left out",
  "groups.title": "Groups",
  "groups.none": "There are no groups yet.",
  "groups.new": "New group",
  "group.on": "{n} of {all} on",
  "group.members": "Members",
  "group.all": "All members",
  "group.nothing": "The members have nothing in common that can be set.",
} as const satisfies Readonly<Record<string, Text>>;
