import { isLocalAddress } from "@ledge/link";
import { limits, optionalOrNull, orNull, textOf } from "@ledge/model";
import Type from "typebox";
import { Check, Clean } from "typebox/value";
import type { HubPorts, Probed } from "../ports.ts";
import { invalid, type Problem, type Refused } from "../refused.ts";
import type { Call } from "../row.ts";

/** Codes of CAMERA_HOST_AT_IP_STATUS (hub-api 2.10). */
const codes = [0, 1, 10, 11, 12, 13, 14, 99] as const;
type Code = (typeof codes)[number];

/** Where a camera is looked for, and who looks. */
export const CameraAddress = {
  ip: Type.String({ maxLength: limits.nameChars }),
  username: optionalOrNull(Type.String({ maxLength: limits.nameChars })),
  password: optionalOrNull(Type.String({ maxLength: limits.nameChars })),
};

/** A camera that was found, as far as its adapter says. */
const Host = Type.Object(
  Object.fromEntries(
    ["identifier", "ip", "name", "manufacturer", "model"].map((field) => [
      field,
      optionalOrNull(Type.String()),
    ]),
  ),
);

export const CameraHostStatus = Type.Object({
  type: Type.Literal("CAMERA_HOST_AT_IP_STATUS"),
  code: Type.Integer(),
  message: Type.String(),
  /** Only where a camera was found. */
  host: orNull(Host),
});
type CameraHostStatus = Type.Static<typeof CameraHostStatus>;

const probed: Readonly<Record<Probed, Code>> = { answered: 10, timeout: 12, refused: 13, failed: 99 };

const webPorts = { http: 80, https: 443 } as const;

/** The adapter's request: whoever tries credentials is written down. */
export const cameraRequest = "CAMERA_AT_IP";

/**
 * What is at an address of the local network: the word of an adapter that knows cameras, else a probe's. With `pair`,
 * its adapter pairs a camera that the login opens.
 */
export async function askCamera(
  address: Readonly<Record<string, unknown>>,
  { language, hub }: Call,
): Promise<CameraHostStatus | Refused> {
  const { ip, username, password, pair = false } = address;
  const place = localPlace(String(ip), hub);
  if (place === undefined) return invalid([notLocal]);
  const told = (code: Code, host: CameraHostStatus["host"] = null): CameraHostStatus => {
    const shown = code === 0 || code === 1 ? host : null;
    return {
      type: "CAMERA_HOST_AT_IP_STATUS",
      code,
      message: textOf(`camera.${code}`, language),
      host: shown,
    };
  };
  const asked = await hub.ask({ type: cameraRequest, ip, username, password, pair }, { among: "requests" });
  if (asked === undefined) return told(probed[await hub.probe(place.address, place.port)]);
  if (!asked.answered) return told(asked.code === "timeout" ? 12 : 99);
  const { code, host } = asked.value as { code?: unknown; host?: CameraHostStatus["host"] };
  // Whatever else an adapter knows of a camera is not for clients.
  const shown = Clean(Host, structuredClone(host ?? null));
  return told(codes.find((known) => known === code) ?? 99, Check(Host, shown) ? shown : null);
}

const notLocal: Problem = { field: "ip", message: "must be an address of the local network" };

/** Why an address is not asked. */
export function addressProblem(
  { ip }: Readonly<Record<string, unknown>>,
  { hub }: Pick<Call, "hub">,
): Problem | undefined {
  return localPlace(String(ip), hub) === undefined ? notLocal : undefined;
}

/**
 * An IP address of a private network, with its port if it names one, and behind `http://` or `https://`; nothing else is asked, no names either, and the
 * hub itself only where its profile allows that.
 */
function localPlace(
  text: string,
  hub: Pick<HubPorts, "mayAsk">,
): { readonly address: string; readonly port: number } | undefined {
  const [, scheme = "http", rest = ""] = /^(?:(https?):\/\/)?(.*?)\/?$/s.exec(text) ?? [];
  const bare = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::(?<port>\d{1,5}))?$/.exec(rest)?.groups ?? {
    six: rest,
  };
  const address = bare["four"] ?? bare["six"] ?? "";
  const port = Number(bare["port"] ?? webPorts[scheme as keyof typeof webPorts]);
  return isLocalAddress(address) && hub.mayAsk(address) && port >= 1 && port <= 65_535
    ? { address, port }
    : undefined;
}
