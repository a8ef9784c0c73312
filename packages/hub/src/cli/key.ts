import { setTimeout as sleep } from "node:timers/promises";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";
import { limits, roles } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { People } from "./people.ts";

const roleWords: Readonly<Record<string, number>> = {
  admin: roles.USER_ADMIN,
  user: roles.IDENTIFIED_USER,
  "remote-guest": roles.REMOTE_GUEST,
  guest: roles.GUEST,
};

/** The email address of the owner when this command claims a hub. */
const firstOwner = "owner@localhost";

export const key: CliCommand = {
  words: "key",
  usage:
    "[--email EMAIL [--role admin|user|remote-guest|guest]] [--cloud-data DIR] | --recover [--email EMAIL]",
  summary:
    "Prints a hub key, one line, as a person would get it whose mails the cloud puts into a folder; the first one claims the hub",
  options: {
    email: { type: "string", help: "a key for this user, who is invited if need be, instead of the owner" },
    role: { type: "string", help: "the role of that user" },
    "cloud-data": { type: "string", help: "the cloud's data folder; default: that of npm start" },
    recover: {
      type: "boolean",
      help: "on any profile, without the cloud: a key of the owner's for 24 h, of which all users are told; --email claims a hub that has no owner",
    },
  },
  async run(invocation) {
    const { email, role, recover, "cloud-data": cloudData } = invocation.options;
    if (typeof role === "string" && !Object.hasOwn(roleWords, role)) {
      throw new CliError(
        exitCodes.usage,
        `unknown role ${role}: use one of ${Object.keys(roleWords).join(", ")}`,
      );
    }
    if (recover === true && (role !== undefined || cloudData !== undefined))
      throw new CliError(exitCodes.usage, "--recover is for the owner: no role, no cloud");
    if (typeof role === "string" && email === undefined)
      throw new CliError(exitCodes.usage, "a role needs an email");
    const wanted = {
      ...(typeof email === "string" && { email }),
      ...(typeof role === "string" && { role: roleWords[role] ?? 0 }),
    };
    const issued = await (recover === true ? recovered(invocation, wanted) : walked(invocation, wanted));
    invocation.print(invocation.json ? JSON.stringify({ key: issued }) : issued);
    return exitCodes.done;
  },
};

interface Wanted {
  readonly email?: string;
  readonly role?: number;
}

async function recovered(invocation: Invocation, { email }: Wanted): Promise<string> {
  const path = `${apiPrefix}/console/recover`;
  const body = email === undefined ? {} : { email };
  return (await ask<{ key: string }>(invocation, "POST", path, body)).key;
}

interface Status {
  readonly hubId: string;
  readonly state: string | null;
  readonly address: string | null;
  readonly cloud: { readonly url: string; readonly seq: number } | null;
}

/** Takes the steps of a person: claims the hub, logs in at the cloud, accepts an invitation, fetches keys. */
async function walked(invocation: Invocation, { email, role }: Wanted): Promise<string> {
  const { folder, options, interrupted } = invocation;
  const { hubId, state, cloud, address } = await statusOf(invocation);
  if (cloud === null)
    throw new CliError(exitCodes.refused, "this hub belongs to no cloud: ledge key --recover --email EMAIL");
  const data = options["cloud-data"];
  const people = new People(cloud.url, typeof data === "string" ? data : `${folder}-cloud`, interrupted);
  if (state === "factory_new") await claim(invocation, address);
  const owner = await ownerOf(invocation);
  const holder = email ?? owner;
  if (holder !== owner) await people.authorize(owner, hubId, holder, role);
  const issued = (await people.hubKeys(holder))[hubId];
  if (issued === undefined)
    throw new CliError(exitCodes.refused, `the cloud has no key to this hub for ${holder}`);
  if (address !== null) await taken(invocation, sequenceOf(issued));
  return issued;
}

function statusOf(invocation: Invocation): Promise<Status> {
  return ask<Status>(invocation, "GET", `${apiPrefix}/console/status`);
}

/** Claims over the hub's own API, because a claim over the console does not involve the cloud. */
async function claim({ interrupted }: Invocation, address: string | null): Promise<void> {
  if (address === null)
    throw new CliError(
      exitCodes.unavailable,
      "this hub has no owner, and it is not running: start it, then try again",
    );
  const query = new URLSearchParams({ email: firstOwner }).toString();
  const claimed = await fetch(`${address}${apiPrefix}/hub/claim?${query}`, {
    method: "POST",
    signal: interrupted,
  });
  if (claimed.ok) return;
  const { message = `the hub answers ${claimed.status}` } = (await claimed.json()) as { message?: string };
  throw new CliError(exitCodes.refused, message);
}

type Users = Readonly<Record<string, { user_info: { role: number; user: { email: string } } }>>;

async function ownerOf(invocation: Invocation): Promise<string> {
  const users = await ask<Users>(invocation, "GET", `${apiPrefix}/hub/users`);
  const owner = Object.values(users).find(({ user_info }) => user_info.role === roles.OWNER_ADMIN);
  if (owner === undefined) throw new CliError(exitCodes.refused, "this hub has no owner");
  return owner.user_info.user.email;
}

function sequenceOf(hubKey: string): number {
  const [, claims = ""] = hubKey.split(".");
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { auth_seq: number }).auth_seq;
}

/** Waits until the hub has the cloud's newest list of users; with an older list it would judge the key wrongly. */
async function taken(invocation: Invocation, seq: number): Promise<void> {
  const until = performance.now() + limits.cloudTimeoutMs;
  while (((await statusOf(invocation)).cloud?.seq ?? 0) < seq) {
    if (performance.now() > until)
      throw new CliError(exitCodes.unavailable, "the hub has not heard from its cloud who has access");
    await sleep(20, undefined, { signal: invocation.interrupted });
  }
}
