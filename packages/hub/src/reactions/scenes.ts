import type { Command, LoggedEvent, Reaction } from "@ledge/model";
import { activation, targetsOf } from "@ledge/model";

/** Applies the presets of a scene that is turned on. The resulting commands have the scene as their origin. */
export const sceneActivation: Reaction = {
  name: "scene activation",
  on: ["SceneTurnedOn"],
  origin: ({ id }) => `scene:${id}`,
  react: (event, read) => {
    const { id, origin } = event as LoggedEvent;
    return read.get("activator", id) === undefined ? [] : [activation(id, origin)];
  },
};

/** Removes a removed device from all presets. */
export const removedTargets: Reaction = {
  name: "removed targets",
  on: ["DeviceRemoved"],
  react: ({ id: device }, read) =>
    [...read.all("scene")]
      .filter(([, { presets }]) => targetsOf(presets).includes(device))
      .map(([id]) => ({ type: "DROP_TARGET", id, device }) as Command),
};
