// A media renderer on the wire: SSDP, descriptions and SOAP of UPnP AV. It shares no code with the hub.
import type { IncomingMessage, ServerResponse } from "node:http";
import { SoapServer } from "../soap-server.ts";

export interface SimulatedRendererOptions {
  readonly udn: string;
  readonly name?: string;
  /** Its number for full volume. */
  readonly loudest?: number;
  /** Whether it has a content directory with its queue. */
  readonly hasDirectory?: boolean;
}

const serviceType = (name: string): string => `urn:schemas-upnp-org:service:${name}:1`;

/** A renderer on 127.0.0.1, with three tracks. */
export class SimulatedRenderer {
  readonly options: SimulatedRendererOptions;
  state = "STOPPED";
  track = 1;
  position = "0:00:00";
  volume = 0;
  mute = false;
  playMode = "NORMAL";
  /** Takes actions and never answers them. */
  hangs = false;
  /** The names of the actions that it has taken. */
  readonly taken: string[] = [];
  readonly #server = new SoapServer({
    request: (request, response, body) => this.#hear(request, response, body),
    search: (message) => this.#found(message),
  });

  constructor(options: SimulatedRendererOptions) {
    this.options = options;
  }

  get port(): number {
    return this.#server.port;
  }

  /** Starts it, again at the port that it had. */
  async listen(port?: number): Promise<this> {
    await this.#server.listen(port);
    return this;
  }

  /** Answers SSDP. @returns the UDP port */
  async announce(): Promise<number> {
    return await this.#server.announce();
  }

  async unplug(): Promise<void> {
    await this.#server.unplug();
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  #found(message: string): string | undefined {
    const st = /^ST: *(.+?)\r?$/m.exec(message)?.[1];
    if (st === undefined) return undefined;
    const headers = [
      "CACHE-CONTROL: max-age=1800",
      `LOCATION: http://127.0.0.1:${this.port}/description.xml`,
      `ST: ${st}`,
      `USN: ${this.options.udn}::${st}`,
    ];
    return ["HTTP/1.1 200 OK", ...headers, "", ""].join("\r\n");
  }

  #hear(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.method === "GET") {
      const text = request.url === "/description.xml" ? this.#description() : this.#ranges();
      response.writeHead(200, { "Content-Type": "text/xml" }).end(text);
      return;
    }
    const [, service = "", action = ""] =
      /:service:(\w+):1#(\w+)"?$/.exec(String(request.headers["soapaction"])) ?? [];
    const isRead = action.startsWith("Get") || action === "Browse";
    if (this.hangs && !isRead) return;
    const field = (name: string): string =>
      unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? "");
    const results = this.#act(action, field);
    if (!isRead) this.taken.push(action);
    const wrapped = (content: string): string =>
      `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">` +
      `<s:Body>${content}</s:Body></s:Envelope>`;
    if (typeof results === "number") {
      const fault =
        `<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>` +
        `<UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>${results}</errorCode>` +
        `<errorDescription>No</errorDescription></UPnPError></detail></s:Fault>`;
      response.writeHead(500, { "Content-Type": "text/xml" }).end(wrapped(fault));
      return;
    }
    const fields = Object.entries(results).map(
      ([name, value]) => `<${name}>${escaped(String(value))}</${name}>`,
    );
    const answer = `<u:${action}Response xmlns:u="${serviceType(service)}">${fields.join("")}</u:${action}Response>`;
    response.writeHead(200, { "Content-Type": "text/xml" }).end(wrapped(answer));
  }

  /** @returns the results of an action, or an error of UPnP */
  #act(action: string, field: (name: string) => string): Readonly<Record<string, unknown>> | number {
    switch (action) {
      case "GetTransportInfo":
        return { CurrentTransportState: this.state, CurrentTransportStatus: "OK", CurrentSpeed: 1 };
      case "GetPositionInfo":
        return {
          Track: this.track,
          TrackDuration: "0:03:20",
          TrackMetaData: didl([this.track]),
          RelTime: this.position,
        };
      case "GetMediaInfo":
        return { NrTracks: titles.length, NextURIMetaData: didl([this.track + 1]) };
      case "GetTransportSettings":
        return { PlayMode: this.playMode };
      case "GetVolume":
        return { CurrentVolume: this.volume };
      case "GetMute":
        return { CurrentMute: Number(this.mute) };
      case "SetVolume":
        this.volume = Number(field("DesiredVolume"));
        return {};
      case "SetMute":
        this.mute = field("DesiredMute") === "1";
        return {};
      case "SetPlayMode":
        this.playMode = field("NewPlayMode");
        return {};
      case "Play":
        this.state = "PLAYING";
        return {};
      case "Pause":
        this.state = "PAUSED_PLAYBACK";
        return {};
      case "Stop":
        this.state = "STOPPED";
        return {};
      case "Next":
      case "Previous":
        return this.#goto(this.track + (action === "Next" ? 1 : -1));
      case "Seek":
        if (field("Unit") === "TRACK_NR") return this.#goto(Number(field("Target")));
        this.position = field("Target");
        return {};
      case "Browse":
        return this.#browse(
          field("ObjectID"),
          Number(field("StartingIndex")),
          Number(field("RequestedCount")),
        );
      default:
        return 401;
    }
  }

  #goto(track: number): Readonly<Record<string, unknown>> | number {
    if (track < 1 || track > titles.length) return 711;
    this.track = track;
    return {};
  }

  #browse(id: string, start: number, count: number): Readonly<Record<string, unknown>> | number {
    if (this.options.hasDirectory !== true) return 401;
    if (id === "0")
      return {
        Result: wrapDidl('<container id="music"><dc:title>Music</dc:title></container>'),
        TotalMatches: 1,
      };
    if (id !== "music" && id !== "Q:0") return 701;
    const all = titles.map((_, index) => index + 1);
    return { Result: didl(all.slice(start, start + count)), TotalMatches: all.length };
  }

  #description(): string {
    const service = (name: string): string =>
      `<service><serviceType>${serviceType(name)}</serviceType><serviceId>urn:upnp-org:serviceId:${name}</serviceId>` +
      `<SCPDURL>/${name}.xml</SCPDURL><controlURL>/control/${name}</controlURL><eventSubURL>/event</eventSubURL></service>`;
    const names = [
      "RenderingControl",
      "AVTransport",
      ...(this.options.hasDirectory ? ["ContentDirectory"] : []),
    ];
    return (
      `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor>` +
      `</specVersion><device><deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType>` +
      `<friendlyName>${this.options.name ?? "Speaker"}</friendlyName><manufacturer>Ledge</manufacturer>` +
      `<modelName>Sound 1</modelName><UDN>${this.options.udn}</UDN>` +
      `<serviceList>${names.map(service).join("")}</serviceList></device></root>`
    );
  }

  #ranges(): string {
    return (
      `<?xml version="1.0"?><scpd xmlns="urn:schemas-upnp-org:service-1-0"><serviceStateTable><stateVariable>` +
      `<name>Volume</name><dataType>ui2</dataType><allowedValueRange><minimum>0</minimum>` +
      `<maximum>${this.options.loudest ?? 100}</maximum></allowedValueRange></stateVariable></serviceStateTable></scpd>`
    );
  }
}

const titles = ["Morning", "Noon & after", "Evening"];

function didl(tracks: readonly number[]): string {
  const items = tracks.flatMap((track) => {
    const title = titles[track - 1];
    if (title === undefined) return [];
    return [
      `<item id="music/${track}"><dc:title>${escaped(title)}</dc:title><upnp:artist>The Simulated</upnp:artist>` +
        `<upnp:album>One Day</upnp:album><res duration="0:03:20.000">http://192.0.2.1/${track}.mp3</res></item>`,
    ];
  });
  return wrapDidl(items.join(""));
}

function wrapDidl(content: string): string {
  return (
    `<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
    `xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">${content}</DIDL-Lite>`
  );
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
