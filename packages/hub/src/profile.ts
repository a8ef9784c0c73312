import { readFileSync } from "node:fs";
import type { Feature } from "@ledge/model";
import { features, limits, Share } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { impliedFeatures } from "./adapters/adapter-features.ts";
import { adapterModules } from "./adapters/registry.ts";
import { Board } from "./board/board.ts";
import { MessageSettings } from "./messages/settings.ts";
import { PriceSettings } from "./prices/settings.ts";

/** HTTPS, or HTTP to this machine. */
const cloudUrl = "^(https://[^\\s/@?#]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?)$";

/** A firmware profile: the features and adapters of a board. One JSON file per board in `firmware-profiles/`. */
export const Profile = Type.Object(
  {
    /** The schema of profiles, for editors. */
    $schema: Type.Optional(Type.String()),
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
    description: Type.String(),
    /** Address that the API listens on; boards listen on all. */
    host: Type.String(),
    port: Type.Integer({ minimum: 0, maximum: 65_535 }),
    /** `false`: the hub does not announce itself by mDNS. */
    mdns: Type.Optional(Type.Boolean()),
    /** Port of HTTPS; 8943 when left out. */
    httpsPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    /** PEM files of a certificate with its chain, and of its key, in place of the hub's own. */
    certificate: Type.Optional(
      Type.Object({ file: Type.String(), key: Type.String() }, { additionalProperties: false }),
    ),
    /** Host names beside IP addresses and localhost under which clients may call. */
    hostNames: Type.Optional(Type.Array(Type.String())),
    /** Origins of web pages beside the hub's own that may claim it, such as `https://setup.example.org`. */
    claimOrigins: Type.Optional(Type.Array(Type.String({ pattern: "^https?://[a-z0-9.:-]+$" }))),
    /** A trial hub may be claimed at any time and never restarts or turns off its machine. */
    trial: Type.Optional(Type.Boolean()),
    /** The cloud for keys, users and remote access; null for a hub with local access only. */
    cloud: Type.Union([
      Type.Object({ url: Type.String({ pattern: cloudUrl }) }, { additionalProperties: false }),
      Type.Null(),
    ]),
    /** `system`: the clock is trusted from the start. `synchronised`: once time synchronisation confirms it. */
    clock: Type.Union([Type.Literal("system"), Type.Literal("synchronised")]),
    /**
     * How long telemetry without urgency waits so that several reports fit into one commit (ms). Larger values
     * spare the flash.
     */
    telemetryWindowMs: Type.Integer({ minimum: 0, maximum: 10_000 }),
    /** How long telemetry is kept (days). Default: 30. */
    telemetryDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    /** How much of the log's file may be in use (MiB). Default: 512. */
    logMebibytes: Type.Optional(Type.Integer({ minimum: 8, maximum: 1_048_576 })),
    /**
     * `false`: no history index; queries read the log itself. A machine with little memory has no index either.
     */
    history: Type.Optional(Type.Boolean()),
    /** What a new trial hub shares with its cloud, so that a trial shows it. On a board the owner decides. */
    share: Type.Optional(Share),
    features: Type.Array(Type.String()),
    /** The heap limit of each adapter's process (MB). A process that uses twice as much in total is restarted. */
    adapterMemoryMb: Type.Optional(Type.Integer({ minimum: 16, maximum: 4096 })),
    /** `true`: webhooks, prices and cameras may be on this machine or at link-local addresses. */
    localTargets: Type.Optional(Type.Boolean()),
    /** How messages leave the hub, besides the journal. */
    messages: Type.Optional(MessageSettings),
    /** The source of electricity prices, for a hub with SPOT_PRICES. */
    prices: Type.Optional(PriceSettings),
    /** Protocol -> its adapter's settings. Adapters that are not named are never loaded. */
    adapters: Type.Record(Type.String(), Type.Unknown()),
    /** A machine with two root file systems updates itself; where newer releases are announced, null for nowhere. */
    updates: Type.Optional(
      Type.Object(
        { url: Type.Union([Type.String({ pattern: "^https?://[^\\s@#]+$", maxLength: 2000 }), Type.Null()]) },
        { additionalProperties: false },
      ),
    ),
    /** What packages and images for this machine are made by. */
    board: Type.Optional(Board),
  },
  { additionalProperties: false },
);
export type Profile = Type.Static<typeof Profile>;

const protocols = Object.keys(adapterModules);
const validator = Compile(Profile);

/** Whether a hub may belong to the cloud at this address. */
export function isCloudUrl(url: string): boolean {
  return new RegExp(cloudUrl).test(url);
}

/** A profile is not usable. The message names the file and the field. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}

/**
 * Reads a profile.
 * @throws ProfileError
 */
export function readProfile(file: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new ProfileError(`${file}: ${(cause as Error).message}`, { cause });
  }
  if (!validator.Check(value)) {
    const [first] = validator.Errors(value);
    const unknown = first?.keyword === "boolean";
    const problem = unknown ? "is no field of a profile" : first?.message;
    throw new ProfileError(`${file}: ${first?.instancePath.slice(1) || "the profile"} ${problem}`);
  }
  if (value.share !== undefined && value.trial !== true)
    throw new ProfileError(`${file}: share is for trial hubs alone: elsewhere the owner decides`);
  if (value.board !== undefined && value.trial === true)
    throw new ProfileError(
      `${file}: trial is for example profiles: anybody could claim the board at any time`,
    );
  const feature = value.features.find((name) => !Object.hasOwn(features, name));
  if (feature !== undefined) throw new ProfileError(`${file}: no feature ${feature}`);
  const protocol = Object.keys(value.adapters).find((name) => !protocols.includes(name));
  if (protocol !== undefined) {
    throw new ProfileError(`${file}: no adapter ${protocol}; there are ${protocols.join(", ")}`);
  }
  return value;
}

/**
 * Divides the log's quota (bytes) between the log and its index. The index's part is undefined for a hub
 * without one.
 * @param memoryBytes memory of the machine
 */
export function quotasOf(
  { logMebibytes, history = true }: Pick<Profile, "logMebibytes" | "history">,
  memoryBytes: number,
): { readonly logBytes: number; readonly historyBytes: number | undefined } {
  const bytes = logMebibytes === undefined ? limits.logBytes : logMebibytes * 1_048_576;
  if (!history || memoryBytes < limits.historyMemoryBytes)
    return { logBytes: bytes, historyBytes: undefined };
  const historyBytes = Math.floor((bytes * limits.historyPercent) / 100);
  return { logBytes: bytes - historyBytes, historyBytes };
}

/** Returns the feature codes (hub-api 2.1) of a profile: those that it lists, and those that its adapters go with. */
export function featureCodes({
  features: listed,
  adapters,
}: Pick<Profile, "features" | "adapters">): number[] {
  const names = [...listed, ...impliedFeatures(adapters, listed)];
  return names.map((name) => features[name as Feature]);
}
