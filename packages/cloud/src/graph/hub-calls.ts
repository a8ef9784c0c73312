import { type HubKeyClaims, parseJson, Refused } from "@ledge/link";
import { features, limits } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import { timeOf } from "../model/submitting.ts";
import type { Collected, CollectFailure } from "../relay/collect.ts";
import type { Refusal } from "../relay/refusal.ts";
import type { Relay } from "../relay/relay.ts";
import type { GraphCaller } from "./caller.ts";
import { type ErrorCode, Failed } from "./errors.ts";
import type { HubTarget } from "./hub-target.ts";

/** A call of a hub's API. */
export interface HubCall {
  readonly method: string;
  /** Below `/cc/<version>`; `/hub` alone has no version (hub-api 9). */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Anything but undefined is sent as JSON. */
  readonly body?: unknown;
}

/** What a hub has answered. */
export interface HubAnswer {
  readonly status: number;
  readonly value: unknown;
}

/** For whom a hub is called. */
export interface HubAsker {
  readonly caller: GraphCaller;
  readonly target: HubTarget;
  readonly traceparent: string;
  readonly signal: AbortSignal;
}

interface SignedKey {
  readonly text: string;
  readonly claims: HubKeyClaims;
  /** The key that signed it. */
  readonly kid: string;
  /** Until when it is used (ms since the epoch). */
  readonly until: number;
}

/**
 * Calls the API of hubs for their users, through the tunnels. Each call carries a HubKey of that user, so the
 * hub itself decides what the user may do.
 */
export class HubCalls {
  readonly #relay: Pick<Relay, "collect">;
  readonly #cloud: Pick<Cloud, "hubs" | "kernel" | "signingKeys">;
  /** By account and hub. */
  readonly #keys = new Map<string, SignedKey>();

  constructor(relay: Pick<Relay, "collect">, cloud: Pick<Cloud, "hubs" | "kernel" | "signingKeys">) {
    this.#relay = relay;
    this.#cloud = cloud;
  }

  /**
   * Calls a hub.
   * @returns its answer; or a failure, also when the hub refuses, with its status in `details.status`
   */
  async call(call: HubCall, { caller, target, signal, traceparent }: HubAsker): Promise<HubAnswer | Failed> {
    const { hubId, registration } = target;
    if (!registration.features.includes(features.REMOTE_USAGE))
      return new Failed("E_REMOTE_DISABLED", "remote access is not enabled for this hub");
    const key = await this.#keyOf(caller.account, hubId);
    if (key === undefined) return new Failed("E_NOT_FOUND", `there is no hub ${hubId}`);
    const { method, path, query = {}, body } = call;
    const answer = await this.#relay.collect(caller.account, hubId, {
      method,
      path: versioned(path, registration.version) + queryText(query),
      headers: {
        "x-hub-key": key,
        "x-forwarded-for": caller.address,
        traceparent,
        ...(caller.language !== undefined && { "accept-language": caller.language }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
    if (typeof answer === "string") return failures[answer]();
    return "body" in answer ? answered(answer) : refused(answer);
  }

  /** Returns a HubKey for a call; one is used several times while nothing that it says has changed. */
  async #keyOf(account: string, hubId: string): Promise<string | undefined> {
    const { hubs, kernel, signingKeys } = this.#cloud;
    const claims = hubs.claimsOf(account, hubId);
    if (claims === undefined) return undefined;
    const name = `${account} ${hubId}`;
    const now = timeOf(kernel);
    const held = this.#keys.get(name);
    const { kid } = signingKeys.current;
    if (held !== undefined && held.until > now && held.kid === kid && isSame(held.claims, claims))
      return held.text;
    const text = await hubs.signKey(claims, limits.hubCallKeyMs);
    this.#keys.delete(name);
    if (this.#keys.size >= limits.hubCallKeys) this.#keys.delete(this.#keys.keys().next().value ?? "");
    this.#keys.set(name, { text, claims, kid, until: now + limits.hubCallKeyMs - limits.hubCallKeySpareMs });
    return text;
  }
}

function isSame(one: HubKeyClaims, other: HubKeyClaims): boolean {
  return Object.entries(one).every(([name, value]) => other[name as keyof HubKeyClaims] === value);
}

function versioned(path: string, version: string): string {
  return path === "/hub" ? path : `/cc/${version.split(".").slice(0, 2).join(".")}${path}`;
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return "";
  const parameters = new URLSearchParams();
  for (const [name, value] of given) parameters.set(name, String(value));
  return `?${parameters.toString()}`;
}

const failures: Readonly<Record<CollectFailure, () => Failed>> = {
  timeout: () => new Failed("E_HUB_TIMEOUT", "the hub did not answer in time; it may have done it"),
  "hub-died": () => new Failed("E_HUB_OFFLINE", "the connection to the hub was lost; it may have done it"),
  "no-answer": () => new Failed("E_HUB_REFUSED", "the hub's answer is not one that can be passed on"),
  "large-head": () =>
    new Failed("E_LIMIT", `the query of a call has less than ${limits.headerBytes} bytes in all`),
  "too-large": () => new Failed("E_LIMIT", `a hub's answer has at most ${limits.hubAnswerBytes} bytes`),
  "no-room": () => new Failed("E_BUSY", "too much of hubs' answers is under way; try again"),
  left: () => new Failed("E_BUSY", "nobody waits for the hub's answer"),
};

const refusalCodes: ReadonlyMap<number, ErrorCode> = new Map([
  [400, "E_HUB_OFFLINE"],
  [408, "E_HUB_OFFLINE"],
]);

/** Returns the failure for a refusal of the relay. */
function refused({ status, message }: Refusal): Failed {
  return new Failed(refusalCodes.get(status) ?? "E_BUSY", message);
}

function answered({ status, contentType, body }: Collected): HubAnswer | Failed {
  const value = valueIn(contentType, body);
  if (status < 300) return value === undefined ? failures["no-answer"]() : { status, value };
  const { message, errors } = (value ?? {}) as { message?: unknown; errors?: unknown };
  const text = typeof message === "string" ? message.slice(0, limits.hubMessageChars) : "the hub refused it";
  return new Failed("E_HUB_REFUSED", text, { status: String(status), ...fieldIn(errors) });
}

/** Returns the field that the hub finds wrong; where it names several, the first. */
function fieldIn(errors: unknown): { readonly field?: string } {
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  const { index, field } = (first ?? {}) as { index?: unknown; field?: unknown };
  if (typeof field !== "string") return {};
  const path = typeof index === "number" ? `${index}.${field}` : field;
  return { field: path.slice(0, limits.hubMessageChars) };
}

const bounds = {
  depth: limits.hubAnswerDepth,
  keys: limits.hubAnswerValues,
  items: limits.hubAnswerValues,
  values: limits.hubAnswerValues,
};

/** Returns the value of a body; undefined for JSON that is none, or that is too deep to be passed on. */
function valueIn(contentType: string, body: Buffer): unknown {
  if (!contentType.includes("json")) return body.toString();
  const parsed = parseJson(body, bounds);
  return parsed instanceof Refused ? undefined : parsed.value;
}
