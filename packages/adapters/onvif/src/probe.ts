import { mayReach, type Login, type Place } from "@ledge/soap";
import { type CameraError, cameraErrorOf, statusCodeOf } from "./camera-error.ts";
import { clientAt, type Surroundings } from "./camera.ts";
import { greet, type Known, look } from "./look.ts";

/** Ports at which cameras answer, where nobody names one: with TLS, and without. */
export const usualPorts = { secure: [443, 8443], plain: [80, 8080, 8899, 2020, 8000] } as const;

const errorCode = 99;

/** A code of CAMERA_HOST_AT_IP_STATUS, or a camera that the login opens. */
export type Probed = { readonly code: number } | { readonly place: Place; readonly known: Known };

/**
 * Looks for a camera at an address, at the port that it names or at the usual ones, with TLS where it has that. Shows a login only where an ONVIF
 * device has answered without one.
 * @param signal ends it; the answer is then that of a timeout
 */
export async function probe(
  text: string,
  login: Login | undefined,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Probed> {
  const where = placeIn(text);
  if (where === undefined || !mayReach(where.address, around.reach)) return { code: errorCode };
  const clients = placesOf(where).map((place) => ({ place, client: clientAt(place, login, around) }));
  const greeted = await Promise.all(
    clients.map(({ client }) =>
      greet(client, signal).then(
        () => undefined,
        (error: unknown) => cameraErrorOf(error),
      ),
    ),
  );
  const there = clients[greeted.indexOf(undefined)];
  if (there === undefined) return { code: statusCodeOf(plainest(greeted as readonly CameraError[])) };
  try {
    return { place: there.place, known: await look(there.client, login?.password, signal) };
  } catch (error) {
    return { code: statusCodeOf(cameraErrorOf(error)) };
  }
}

/** Of what several ports have answered, what says most of the machine behind them. */
function plainest(errors: readonly CameraError[]): CameraError {
  const order = [
    "credentials",
    "unsupported",
    "certificate",
    "wrong",
    "timeout",
    "cancelled",
    // Also what a port says to TLS that has none, and the other way about.
    "failed",
    "refused",
  ] as const;
  const found = order.flatMap((failure) => errors.filter((error) => error.failure === failure));
  return found[0] as CameraError;
}

interface Named {
  readonly address: string;
  readonly port?: number;
  /** Absent: with TLS or without. */
  readonly scheme?: "http" | "https";
}

/** Reads `192.168.1.20`, `192.168.1.20:8080`, `fd00::20`, `[fd00::20]:8080`, and these behind `http://` or `https://`. */
export function placeIn(text: string): Named | undefined {
  const [, scheme, rest = ""] = /^(?:(https?):\/\/)?(.*?)\/?$/s.exec(text) ?? [];
  const asked = scheme === undefined ? {} : { scheme: scheme as "http" | "https" };
  const parts = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::(?<port>\d{1,5}))?$/.exec(rest)?.groups;
  if (parts === undefined) return { address: rest, ...asked };
  const address = parts["six"] ?? parts["four"] ?? "";
  if (parts["port"] === undefined) return { address, ...asked };
  const port = Number(parts["port"]);
  return port >= 1 && port <= 65_535 ? { address, port, ...asked } : undefined;
}

/** Returns where a camera may be, the safest places first. */
function placesOf({ address, port, scheme }: Named): readonly Place[] {
  const at = (ports: readonly number[]): readonly Place[] =>
    (port === undefined ? ports : [port]).map((each) => ({ address, port: each }));
  const secure = at(usualPorts.secure).map((place) => ({ ...place, isSecure: true as const }));
  const plain = at(usualPorts.plain);
  if (scheme !== undefined) return scheme === "https" ? secure : plain;
  return [...secure, ...plain];
}
