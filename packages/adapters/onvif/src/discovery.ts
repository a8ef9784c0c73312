import {
  all,
  at,
  authorityOf,
  bodyOf,
  envelope,
  type Place,
  type Reach,
  searchByUdp,
  textAt,
  type UdpSearch,
  type XmlElement,
} from "@ledge/soap";

/** A camera that makes itself known. */
export interface Announced {
  readonly place: Place;
  readonly name: string | null;
  readonly model: string | null;
}

const space = "http://schemas.xmlsoap.org/ws/2005/04/discovery";
const addressing = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
/** The most cameras of one answer. */
const matchesMax = 128;
const answerBytes = 16 * 1024;

/** Returns the question of WS-Discovery for cameras. @param id a fresh UUID */
export function probeMessage(id: string): string {
  const header =
    `<a:MessageID xmlns:a="${addressing}">urn:uuid:${id}</a:MessageID>` +
    `<a:To xmlns:a="${addressing}">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>` +
    `<a:Action xmlns:a="${addressing}">${space}/Probe</a:Action>`;
  const types = `<Types xmlns:dn="http://www.onvif.org/ver10/network/wsdl">dn:NetworkVideoTransmitter</Types>`;
  return envelope("1.2", `<Probe xmlns="${space}">${types}</Probe>`, header);
}

/**
 * Returns the cameras of an answer. A camera is where its answer came from: of the addresses that it names, only a port
 * at that address counts.
 * @throws XmlError, SoapFault
 */
export function readProbeMatches(text: string, sender: string): readonly Announced[] {
  const body = bodyOf(text);
  if (body.name !== "ProbeMatches") return [];
  return all(body, "ProbeMatch")
    .slice(0, matchesMax)
    .map((match) => ({
      place: placeAt(match, sender),
      name: scopeOf(match, "name"),
      model: scopeOf(match, "hardware"),
    }));
}

/** With TLS only where a camera names nothing else: many name an address for it at which nothing listens. */
function placeAt(match: XmlElement, sender: string): Place {
  const urls = (textAt(match, "XAddrs") ?? "").split(/\s+/).map((url) => URL.parse(url));
  const own = (protocol: string): URL | null | undefined =>
    urls.find((url) => url?.protocol === protocol && url.hostname === sender);
  const [plain, secure] = [own("http:"), own("https:")];
  if (plain || !secure) return { address: sender, port: Number(plain?.port || 80) };
  return { address: sender, port: Number(secure.port || 443), isSecure: true };
}

function scopeOf(match: XmlElement, name: string): string | null {
  const start = `onvif://www.onvif.org/${name}/`;
  const scope = (at(match, "Scopes")?.text ?? "").split(/\s+/).find((each) => each.startsWith(start));
  if (scope === undefined) return null;
  try {
    return decodeURIComponent(scope.slice(start.length)).slice(0, 64).toWellFormed() || null;
  } catch {
    return null;
  }
}

/**
 * Asks who is there, and tells of each camera once until the signal aborts.
 * @param id a fresh UUID
 */
export async function discover(
  group: Place,
  reach: Reach,
  id: string,
  tell: (camera: Announced) => void,
  signal: AbortSignal,
): Promise<void> {
  const search: UdpSearch<Announced> = {
    group,
    question: probeMessage(id),
    reach,
    bytesMax: answerBytes,
    read: (message, sender) => readProbeMatches(message.toString("utf8"), sender),
    keyOf: ({ place }) => authorityOf(place),
  };
  await searchByUdp(search, tell, signal);
}
