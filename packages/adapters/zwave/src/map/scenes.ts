import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { numberIn } from "./value.ts";

/** A button of a remote, RC_BUTTON in the API. */
export interface Button {
  readonly type: "RC_BUTTON";
  readonly id: number;
  readonly label: string;
}

/** What a press is, by the key attribute of a scene (SDS13783, Central Scene). */
const modifiers: Readonly<Record<number, readonly string[]>> = {
  0: [],
  1: ["stop"],
  2: ["longpress"],
  3: ["double"],
  4: ["triple"],
  5: ["quadruple"],
  6: ["quintuple"],
};

/** Returns the button of a scene, by the library's key for it, such as `001`. */
export function buttonOf(propertyKey: string | number | undefined): Button | undefined {
  const id = numberIn(Number(propertyKey), 1, 0xff);
  return id === undefined ? undefined : { type: "RC_BUTTON", id, label: `Scene ${id}` };
}

export const scenes: ValueRow = {
  commandClass: commandClass.centralScene,
  property: "scene",
  capabilities: () => ["REMOTE_CONTROL"],
  attributes({ value, propertyKey }) {
    const button = buttonOf(propertyKey);
    const said = typeof value === "number" ? modifiers[value] : undefined;
    return button === undefined || said === undefined ? {} : { button: button.id, modifiers: said };
  },
};
