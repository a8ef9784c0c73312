import type { Command, LoggedEvent, Reaction } from "@ledge/model";
import { activation, targetsOf } from "@ledge/model";

/** A scene that is turned on applies its presets; what that leads to has the scene as its origin. */
export const sceneActivation: Reaction = {
  name: "scene activation",
  on: ["SceneTurnedOn"],
  origin: ({ id }) => `scene:${id}`,
  react: (event, read) => {
    const { id, origin } = event as LoggedEvent;
    return read.get("activator", id) === undefined ? [] : [activation(id, origin)];
  },
};

/** A device that is gone is a target of no preset. */
export const removedTargets: Reaction = {
  name: "removed targets",
  on: ["DeviceRemoved"],
  react: ({ id: device }, read) =>
    [...read.all("scene")]
      .filter(([, { presets }]) => targetsOf(presets).includes(device))
      .map(([id]) => ({ type: "DROP_TARGET", id, device }) as Command),
};
