import { readFileSync } from "node:fs";
import { checkedSetting, Discovery, discoveryGroup, refuseDuplicates, refuseSetting } from "@ledge/port";
import type { Login, Place, Reach } from "@ledge/soap";
import Type from "typebox";

const strict = { additionalProperties: false } as const;
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const Word = Type.String({ minLength: 1, maxLength: 64 });

const Camera = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9][\\w.-]{0,63}$" }),
    name: Word,
    host: Type.String({ pattern: "^[A-Za-z0-9.:_-]+$", maxLength: 253 }),
    port: Type.Optional(Port),
    secure: Type.Optional(Type.Boolean()),
    username: Type.Optional(Word),
    passwordFile: Type.Optional(Type.String({ pattern: "^/" })),
  },
  strict,
);
const Root = Type.Object(
  {
    cameras: Type.Optional(Type.Array(Camera, { maxItems: 64 })),
    discovery: Type.Optional(Discovery),
    localTargets: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** A camera that the profile names. */
export interface CameraSettings {
  readonly id: string;
  readonly name: string;
  /** An address or a name of the local network. */
  readonly host: string;
  readonly port: number;
  /** Whether it is spoken to through TLS. */
  readonly isSecure: boolean;
  readonly login: Login | undefined;
}

export interface Settings {
  readonly cameras: readonly CameraSettings[];
  /** Where cameras are asked to make themselves known; undefined: nowhere. */
  readonly discovery: Place | undefined;
  readonly reach: Reach;
}

/** The group in which cameras listen for WS-Discovery. */
const everybody: Place = { address: "239.255.255.250", port: 3702 };

/**
 * Validates the settings, fills in defaults and reads the passwords.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown, readFile: (path: string) => string = readText): Settings {
  const { cameras = [], discovery, localTargets = false } = checkedSetting(Root, settings, "");
  refuseDuplicates(
    cameras.map(({ id }) => id),
    "cameras",
    "id",
  );
  return {
    cameras: cameras.map((camera, index) => cameraOf(camera, `cameras[${index}]`, readFile)),
    discovery: discoveryGroup(discovery, everybody),
    reach: { own: localTargets },
  };
}

function cameraOf(
  {
    id,
    name,
    host,
    secure = false,
    port = secure ? 443 : 80,
    username,
    passwordFile,
  }: Type.Static<typeof Camera>,
  path: string,
  readFile: (path: string) => string,
): CameraSettings {
  if (username === undefined && passwordFile !== undefined) refuseSetting(`${path}.username`, "is missing");
  const password =
    passwordFile === undefined ? "" : passwordIn(passwordFile, `${path}.passwordFile`, readFile);
  return {
    id,
    name,
    host,
    port,
    isSecure: secure,
    login: username === undefined ? undefined : { username, password },
  };
}

function passwordIn(path: string, field: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    return refuseSetting(field, `cannot be read: ${(error as Error).message}`);
  }
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
