// What the user does to the home.
import { type Answer, type Failure, key } from "../api/call.ts";
import * as rows from "../api/rows.ts";
import { nameOfAttribute } from "../format.ts";
import { patient } from "../parts/answer.ts";
import { hrefOf } from "../route.ts";
import { t } from "../texts/texts.ts";
import { failures, home, sync, wanted } from "./home.ts";
import { homeOf } from "./hub-key.ts";
import { notify } from "./notices.ts";
import type { Values } from "./wanted.ts";

const wantedForMs = 5000;
const undoTries = 30;

/** Tells a device to take values, which are shown at once until it reports or 5 s have passed. */
export function tell(id: string, values: Values, isShown = true): Promise<void> {
  return tellAll([id], values, rows.commandDevices({ type: "CMD_DEVICE", id, state: values }), isShown);
}

/** Tells the members of a group to take values, which are shown of each in the same way. */
export function tellGroup(id: string, members: readonly string[], values: Values): Promise<void> {
  return tellAll(members, values, rows.commandGroup(id, values), true);
}

async function tellAll(
  ids: readonly string[],
  values: Values,
  asked: Promise<Answer<unknown>>,
  isShown: boolean,
): Promise<void> {
  const told = Object.keys(values);
  const marks = ids.map((id) => {
    failures.forget(id, told);
    return { id, mark: isShown ? wanted.want(id, values) : undefined };
  });
  const answer = await asked;
  sync.hurry();
  if (!answer.ok) {
    for (const { id, mark } of marks) if (mark !== undefined) wanted.drop(id, mark);
    notify(reasonOf(answer), { isError: true });
    return;
  }
  setTimeout(() => {
    for (const { id, mark } of marks) {
      const left = mark === undefined ? told.slice(0, 1) : wanted.drop(id, mark);
      if (left.length > 0) void tellOutcomes(id, left);
    }
  }, wantedForMs);
}

/** Says what became of commands for attributes that no report has confirmed: at which one which failed, and why. */
async function tellOutcomes(id: string, attributes: readonly string[]): Promise<void> {
  let isSilent = false;
  const said = new Set<string>();
  for (const attribute of attributes) {
    const answer = await rows.why(id, attribute, new AbortController().signal);
    const device = home.of.devices.of(id).peek();
    if (device === undefined) return;
    const message = answer.ok
      ? answer.value.attempts.find(({ outcome }) => outcome?.message)?.outcome?.message
      : "";
    if (message) {
      failures.note(id, attribute, { message, shown: device.state[attribute] });
      said.add(`${device.name}, ${nameOfAttribute(device, attribute)}: ${message}`);
    } else isSilent ||= !answer.ok || answer.value.attempts.length > 0;
  }
  if (said.size === 0 && isSilent)
    said.add(t("command.silent", { name: home.of.devices.of(id).peek()?.name ?? "" }));
  for (const text of said) notify(text, { isError: true });
}

/** Returns why a request failed, in words for a reader. */
export function reasonOf({ status, message, retryAfterS }: Failure): string {
  if (status === 0) return t("error.offline");
  if (status === 429) return t("error.busy", { s: retryAfterS ?? 1 });
  return message === "" ? t("error.status", { status }) : message;
}

/** Waits for something whose result shows by itself, and says only what went wrong. */
export async function act(asked: Promise<Answer<unknown>>): Promise<void> {
  const answer = await asked;
  sync.hurry();
  if (!answer.ok) notify(reasonOf(answer), { isError: true });
}

/** Turns a scene on or off. */
export async function turnScene(id: string, isOn: boolean): Promise<void> {
  await act(rows.commandScenes({ type: isOn ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id }));
}

/** Changes the settings of the hub or of an object, and says so with a way back. */
export async function change(
  asked: Promise<Answer<unknown>>,
  done: string,
  undo?: () => Promise<Answer<unknown>>,
): Promise<boolean> {
  const held = homeOf(key.peek() ?? "");
  const answer = await asked;
  // Nobody else reads what became of it, nor takes it back.
  if (homeOf(key.peek() ?? "") !== held) return answer.ok;
  sync.hurry();
  if (!answer.ok) {
    notify(reasonOf(answer), { isError: true });
    return false;
  }
  // A way back looks back, and waits while the hub does so for another question, such as a what-if.
  const taken =
    undo && ((): Promise<Answer<unknown>> => patient(undo, new AbortController().signal, undoTries));
  const back = taken && (async (): Promise<void> => void (await change(taken(), t("undo.done"))));
  notify(done, back && { undo: back });
  return true;
}

/** The categories whose objects a user can remove: the screen of one, which is also its kind for the hub, and the list. */
const removable = {
  devices: { one: "device", list: "devices" },
  rules: { one: "rule", list: "rules" },
  scenes: { one: "scene", list: "scenes" },
  groups: { one: "group", list: "scenes" },
} as const;

/** Removes an object, which leaves the page without a poll, and says so with a way back. */
export async function remove(
  category: Exclude<keyof typeof removable, "devices">,
  id: string,
  name: string,
  asked: Promise<Answer<true>>,
): Promise<void> {
  const back = (): Promise<Answer<unknown>> => rows.undo(removable[category].one, id);
  if (await change(asked, t("rules.removed", { name }), back)) await leave(category, id);
}

/** Removes a device, which leaves the page without a poll. The hub has no way back from that. */
export async function removeDevice(id: string, name: string): Promise<void> {
  if (await change(rows.removeDevices(id), t("rules.removed", { name }))) await leave("devices", id);
}

/** Takes back a new object, which leaves the page without a poll. */
export async function dropNew(
  category: keyof typeof removable,
  id: string,
  asked: Promise<Answer<true>>,
): Promise<Answer<true>> {
  const answer = await asked;
  if (answer.ok) await leave(category, id);
  return answer;
}

/** Forgets an object that the hub has just removed, and shows the list to those who are at the object. */
async function leave(category: keyof typeof removable, id: string): Promise<void> {
  const { one, list } = removable[category];
  // The screen of an object that is gone says that there is no such object.
  if (location.hash === hrefOf(one, id)) await go(hrefOf(list));
  home.drop(category, id);
}

/** Goes to a screen, and resolves when the page shows it. */
async function go(href: string): Promise<void> {
  const arrival = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  location.hash = href;
  await arrival;
}

/** Sends a device a command that leaves no trace in its state, such as CMD_IDENTIFY. */
export async function request(type: string, id: string, done: string): Promise<void> {
  await change(rows.commandDevices({ type, id }), done);
}
