// What the user does to the home.
import type { Answer, Failure } from "../api/call.ts";
import * as rows from "../api/rows.ts";
import { patient } from "../parts/answer.ts";
import { t } from "../texts/texts.ts";
import { home, sync, wanted } from "./home.ts";
import { notify } from "./notices.ts";
import type { Values } from "./wanted.ts";

const wantedForMs = 5000;
const undoTries = 30;

/** Tells a device to take values, which are shown at once until it reports or 5 s have passed. */
export async function tell(id: string, values: Values, isShown = true): Promise<void> {
  const mark = isShown ? wanted.want(id, values) : undefined;
  const answer = await rows.commandDevices({ type: "CMD_DEVICE", id, state: values });
  sync.hurry();
  if (!answer.ok) {
    if (mark !== undefined) wanted.drop(id, mark);
    notify(reasonOf(answer), { isError: true });
    return;
  }
  setTimeout(() => {
    const [attribute] = mark === undefined ? Object.keys(values) : wanted.drop(id, mark);
    if (attribute !== undefined) void tellOutcome(id, attribute);
  }, wantedForMs);
}

/** Says what became of a command that no report has confirmed. */
async function tellOutcome(id: string, attribute: string): Promise<void> {
  const name = home.of.devices.of(id).peek()?.name ?? "";
  const answer = await rows.why(id, attribute, new AbortController().signal);
  const message = answer.ok
    ? answer.value.attempts.find(({ outcome }) => outcome?.message)?.outcome?.message
    : "";
  if (answer.ok && answer.value.attempts.length === 0) return;
  notify(message ? `${name}: ${message}` : t("command.silent", { name }), { isError: true });
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
  const answer = await asked;
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

/** Sends a device a command that leaves no trace in its state, such as CMD_IDENTIFY. */
export async function request(type: string, id: string, done: string): Promise<void> {
  await change(rows.commandDevices({ type, id }), done);
}
