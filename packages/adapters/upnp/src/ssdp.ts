import { createSocket } from "node:dgram";
import { authorityOf, mayReach, pathOn, type Place, type Reach } from "@ledge/soap";

/** Where a renderer describes itself. */
export interface Located {
  readonly place: Place;
  readonly path: string;
}

const target = "urn:schemas-upnp-org:device:MediaRenderer:1";
const answersMax = 128;
const answerBytes = 4096;

/** Returns the question of SSDP for renderers (UPnP Device Architecture 1.1, 1.3.2). */
export function searchMessage(group: Place): string {
  const lines = [`HOST: ${authorityOf(group)}`, 'MAN: "ssdp:discover"', "MX: 1", `ST: ${target}`];
  return ["M-SEARCH * HTTP/1.1", ...lines, "", ""].join("\r\n");
}

/** Returns where a renderer is: where its answer came from. Undefined for any other message. */
export function readLocation(message: string, sender: string): Located | undefined {
  const [status = "", ...lines] = message.split(/\r?\n/);
  if (!/^HTTP\/1\.[01] 200\b/.test(status)) return undefined;
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const location = headers.get("location");
  const url = location === undefined || location.length > 512 ? null : URL.parse(location);
  if (headers.get("st") !== target || url?.hostname !== sender) return undefined;
  return pathOn(url.href, { address: sender, port: 80 });
}

/** Asks who is there, and tells of each renderer once until the signal aborts. */
export async function discover(
  group: Place,
  reach: Reach,
  tell: (renderer: Located) => void,
  signal: AbortSignal,
): Promise<void> {
  const socket = createSocket({ type: "udp4", signal });
  const seen = new Set<string>();
  const closed = new Promise<void>((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  socket.on("message", (message, { address }) => {
    if (signal.aborted || message.length > answerBytes || !mayReach(address, reach)) return;
    const located = readLocation(message.toString("latin1"), address);
    const key = located && `${authorityOf(located.place)}${located.path}`;
    if (located === undefined || key === undefined || seen.has(key) || seen.size >= answersMax) return;
    seen.add(key);
    tell(located);
  });
  socket.send(searchMessage(group), group.port, group.address, () => {});
  await closed;
}
