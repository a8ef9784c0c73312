import type { AlarmLevel, Target, TargetKind } from "@ledge/model";
import type { OutgoingMessage } from "./channel.ts";

/** A request that hands a message over to a server. */
export interface TargetRequest {
  readonly method: "POST" | "PUT";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

type Said = Pick<OutgoingMessage, "id" | "level" | "text" | "hub">;
type Place = Pick<Target, "url" | "topic">;

/** How each server takes a message. */
const requests: Readonly<
  Record<TargetKind, (said: Said, place: Place, token: string | null) => TargetRequest>
> = {
  ntfy: ntfyRequest,
  gotify: gotifyRequest,
  matrix: matrixRequest,
};

/**
 * Returns the request for a target's server.
 * @param token null: the server asks for none
 */
export function targetRequest(
  said: Said,
  target: Place & Pick<Target, "kind">,
  token: string | null,
): TargetRequest {
  return requests[target.kind](said, target, token);
}

/** Of 1 to 5: 5 rings through on a phone that is silent otherwise, 3 is the default (docs.ntfy.sh/publish). */
const ntfyPriorities: Readonly<Record<AlarmLevel, number>> = { info: 3, warn: 4, err: 5 };
const ntfyTags: Readonly<Record<AlarmLevel, readonly string[]>> = {
  info: [],
  warn: ["warning"],
  err: ["rotating_light"],
};

/** Publishing as JSON, at the server's root: a title in a header would have to be ASCII. */
function ntfyRequest({ level, text, hub }: Said, { url, topic }: Place, token: string | null): TargetRequest {
  return {
    method: "POST",
    url: `${url}/`,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    body: { topic, title: hub, message: text, priority: ntfyPriorities[level], tags: ntfyTags[level] },
  };
}

/** Of 0 to 10: from 8 on the app for phones rings and shows the message at once, from 4 on it makes a sound. */
const gotifyPriorities: Readonly<Record<AlarmLevel, number>> = { info: 2, warn: 5, err: 8 };

function gotifyRequest({ level, text, hub }: Said, { url }: Place, token: string | null): TargetRequest {
  return {
    method: "POST",
    url: `${url}/message`,
    headers: token === null ? {} : { "x-gotify-key": token },
    body: { title: hub, message: text, priority: gotifyPriorities[level] },
  };
}

/**
 * The transaction's id is that of the message, so a room shows a message once, however often it is sent. Clients make no sound
 * for `m.notice`.
 */
function matrixRequest(
  { id, level, text, hub }: Said,
  { url, topic }: Place,
  token: string | null,
): TargetRequest {
  const room = encodeURIComponent(topic ?? "");
  return {
    method: "PUT",
    url: `${url}/_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(id)}`,
    headers: { authorization: `Bearer ${token ?? ""}` },
    body: { msgtype: level === "info" ? "m.notice" : "m.text", body: `${hub}: ${text}` },
  };
}
