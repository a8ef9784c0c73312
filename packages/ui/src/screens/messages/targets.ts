import type { MessageTarget, TargetKind, WantedTarget } from "../../api/messages.ts";
import type { Key } from "../../texts/texts.ts";

/** A target while somebody types; empty texts stand for nothing. */
export interface TargetForm {
  readonly kind: TargetKind;
  readonly name: string;
  readonly url: string;
  readonly topic: string;
  /** Empty: that which the hub has stays. */
  readonly token: string;
  readonly user: string;
  readonly alarms: MessageTarget["alarms"];
}

export const targetFields = ["name", "url", "topic", "token", "user"] as const;
export type TargetField = (typeof targetFields)[number];

/** Returns what the form holds of a target; of none it is empty. */
export function formOf(target: MessageTarget | undefined, user: string): TargetForm {
  if (target === undefined)
    return { kind: "ntfy", name: "", url: "", topic: "", token: "", user, alarms: "warn" };
  const { kind, name, url, topic, alarms } = target;
  return { kind, name, url, topic: topic ?? "", token: "", user: target.user, alarms };
}

/** Returns what of a form the hub would refuse, by field. */
export function flawsOf(
  form: TargetForm,
  target: MessageTarget | undefined,
): Readonly<Partial<Record<TargetField, Key>>> {
  const { kind, url, topic, token } = form;
  const isSame = target !== undefined && target.kind === kind && originOf(target.url) === originOf(url);
  const needsToken = kind !== "ntfy" && !(isSame && target.hasToken);
  const hasMoved = target?.hasToken === true && !isSame;
  return {
    ...(url.trim() === ""
      ? { url: "login.missing" as const }
      : originOf(url) === undefined && { url: "messages.badUrl" as const }),
    ...(kind !== "gotify" && topic.trim() === "" && { topic: "login.missing" as const }),
    ...(token.trim() === "" &&
      (needsToken || hasMoved) && {
        token: hasMoved ? ("messages.tokenAgain" as const) : ("login.missing" as const),
      }),
  };
}

/** Returns where a server is; undefined for what is no address of one. */
function originOf(text: string): string | undefined {
  try {
    const { protocol, origin, username, search, hash } = new URL(text.trim());
    const isPlain = username === "" && search === "" && hash === "";
    return isPlain && (protocol === "http:" || protocol === "https:") ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what the hub is told of a form. */
export function wantedOf(form: TargetForm, target: MessageTarget | undefined): WantedTarget {
  const { kind, name, url, topic, token, user, alarms } = form;
  return {
    ...(target !== undefined && { id: target.id }),
    kind,
    url: url.trim(),
    topic: kind === "gotify" ? null : topic.trim(),
    alarms,
    ...(user !== "" && { user }),
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(token.trim() !== "" && { token: token.trim() }),
  };
}
