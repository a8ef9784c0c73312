import { authorityOf, pathOn, type Place, type Reach, searchByUdp, type UdpSearch } from "@ledge/soap";

/** Where a renderer describes itself. */
export interface Located {
  readonly place: Place;
  readonly path: string;
}

const target = "urn:schemas-upnp-org:device:MediaRenderer:1";
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
  const search: UdpSearch<Located> = {
    group,
    question: searchMessage(group),
    reach,
    bytesMax: answerBytes,
    read: (message, sender) => {
      const located = readLocation(message.toString("latin1"), sender);
      return located === undefined ? [] : [located];
    },
    keyOf: ({ place, path }) => `${authorityOf(place)}${path}`,
  };
  await searchByUdp(search, tell, signal);
}
