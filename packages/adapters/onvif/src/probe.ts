import { mayReach, type Login, type Place } from "@ledge/soap";
import { type CameraError, cameraErrorOf, statusCodeOf } from "./camera-error.ts";
import { clientAt, type Surroundings } from "./camera.ts";
import { greet, type Known, look } from "./look.ts";

/** Ports at which cameras answer, where nobody names one. */
export const usualPorts = [80, 8080, 8899, 2020, 8000] as const;

const errorCode = 99;

/** A code of CAMERA_HOST_AT_IP_STATUS, or a camera that the login opens. */
export type Probed = { readonly code: number } | { readonly place: Place; readonly known: Known };

/**
 * Looks for a camera at an address, at the port that it names or at the usual ones. Shows a login only where an ONVIF
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
  const { address, port } = where;
  const clients = (port === undefined ? usualPorts : [port]).map((each) => {
    const place = { address, port: each };
    return { place, client: clientAt(place, login, around) };
  });
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
  const order = ["credentials", "unsupported", "failed", "timeout", "cancelled", "refused"] as const;
  const found = order.flatMap((failure) => errors.filter((error) => error.failure === failure));
  return found[0] as CameraError;
}

/** Reads `192.168.1.20`, `192.168.1.20:8080`, `fd00::20`, `[fd00::20]:8080`. */
export function placeIn(text: string): { readonly address: string; readonly port?: number } | undefined {
  const parts = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (parts === undefined) return { address: text };
  const address = parts["six"] ?? parts["four"] ?? "";
  if (parts["port"] === undefined) return { address };
  const port = Number(parts["port"]);
  return port >= 1 && port <= 65_535 ? { address, port } : undefined;
}
