import type { Command, Reaction } from "@ledge/model";
import { targetsOf } from "@ledge/model";

/** A scene that is turned on applies its presets; what that leads to has the scene as its origin. */
export const sceneActivation: Reaction = {
  name: "scene activation",
  on: ["SceneTurnedOn"],
  origin: ({ id }) => `scene:${id}`,
  react: ({ id }, read) =>
    read.get("activator", id) === undefined ? [] : [{ type: "ACTIVATE", id } as Command],
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
