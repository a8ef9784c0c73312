// A camera that speaks ONVIF, on the wire: SOAP over HTTP, WS-Security, WS-Discovery. It shares no code with the hub.
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { SoapServer } from "../soap-server.ts";
import { messageOf, responses, tagged } from "./responses.ts";

/** How a camera misbehaves. */
export type CameraTrouble =
  /** Takes connections and never answers. */
  | "hangs"
  /** Answers only what needs no login, and nothing after it. */
  | "stalls"
  /** Is some other device with a web page. */
  | "html"
  | "notFound"
  /** Never finishes a picture. */
  | "slowPictures"
  /** Ends every connection without an answer. */
  | "resets"
  | "noVideo"
  /** Answers with a document type whose entities grow. */
  | "entities"
  /** Answers without end. */
  | "huge";

export interface SimulatedCameraOptions {
  readonly serial: string;
  readonly manufacturer?: string;
  readonly model?: string;
  /** Absent: it is open to everybody. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Whether it asks for the login in the terms of HTTP instead of WS-Security. */
  readonly httpDigest?: boolean;
  /** How far its clock is ahead (ms). It refuses messages of more than five minutes. */
  readonly aheadMs?: number;
  readonly moves?: boolean;
  readonly seesMotion?: boolean;
  /** The host that it names in the addresses of its services; its own when absent. */
  readonly names?: string;
  /** Whether it knows only Media2, as of profile T. */
  readonly media2?: boolean;
  /** Whether it takes HTTPS alone, with a certificate of its own. */
  readonly isSecure?: boolean;
}

const skewMs = 300_000;
const realm = "camera";

/** A camera on 127.0.0.1. */
export class SimulatedCamera {
  readonly options: SimulatedCameraOptions;
  /** The names of the requests that it has answered, with those that it has refused. */
  readonly asked: string[] = [];
  readonly refused: string[] = [];
  trouble: CameraTrouble | undefined;
  password: string | undefined;
  serial: string;
  readonly position = { pan: 0, tilt: 0, zoom: 0 };
  preset: string | undefined;
  /** Pictures that were fetched. */
  pictures = 0;
  readonly #subscriptions = new Map<string, Subscription>();
  #isMoving = false;
  readonly #server = new SoapServer({
    request: (request, response, body) => this.#hear(request, response, body),
    connection: (socket) => {
      if (this.trouble === "resets") socket.destroy();
    },
    search: (message) => this.#found(message),
  });

  constructor(options: SimulatedCameraOptions) {
    this.options = options;
    this.password = options.login?.password;
    this.serial = options.serial;
    if (options.isSecure === true) this.replaceCertificate();
  }

  /** Gives it another certificate, which it shows when it listens again. */
  replaceCertificate(): void {
    this.#server.certificate = makeSelfSigned("camera");
  }

  get port(): number {
    return this.#server.port;
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Starts it, again at the port that it had. */
  async listen(port?: number): Promise<this> {
    await this.#server.listen(port);
    return this;
  }

  /** Answers WS-Discovery. @returns the UDP port */
  async announce(): Promise<number> {
    return await this.#server.announce();
  }

  /** Takes it off the network, and all that it remembers of its clients. */
  async unplug(): Promise<void> {
    this.#subscriptions.clear();
    await this.#server.unplug();
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
    await this.#server.close();
  }

  /** Somebody moves before it, or no longer does. */
  moves(isMoving: boolean): void {
    this.#isMoving = isMoving;
    for (const subscription of this.#subscriptions.values())
      subscription.tell(responses.motion(isMoving, "Changed"));
  }

  #found(message: string): string | undefined {
    const id = /<(?:\w+:)?MessageID[^>]*>([^<]+)</.exec(message)?.[1];
    if (id === undefined) return undefined;
    const service = `${this.#scheme}://127.0.0.1:${this.port}/onvif/device_service`;
    return responses.probeMatches(id, randomUUID(), service, this.#names);
  }

  get #scheme(): string {
    return this.options.isSecure === true ? "https" : "http";
  }

  get #base(): string {
    return `${this.#scheme}://${this.options.names ?? "127.0.0.1"}:${this.port}`;
  }

  get #names(): { readonly manufacturer: string; readonly model: string } {
    return { manufacturer: this.options.manufacturer ?? "Ledge", model: this.options.model ?? "Lens 1" };
  }

  async #hear(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    if (this.#misbehaves(response)) return;
    if (request.method === "GET") return this.#picture(request, response);
    const name = /<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)/.exec(body)?.[1] ?? "";
    if (this.trouble === "stalls" && name !== "GetSystemDateAndTime") return;
    const isOpen = this.options.login === undefined || name === "GetSystemDateAndTime";
    if (!isOpen && !this.#isUser(request, body)) {
      this.refused.push(name);
      if (this.options.httpDigest === true) return this.#challenge(response);
      return respond(response, 400, responses.notAuthorized);
    }
    this.asked.push(name);
    await this.#answer(name, request, body, response);
  }

  #misbehaves(response: ServerResponse): boolean {
    switch (this.trouble) {
      case undefined:
      case "noVideo":
      case "resets":
      case "slowPictures":
      case "stalls":
        return false;
      case "hangs":
        return true;
      case "html":
        response.writeHead(200, { "Content-Type": "text/html" }).end("<!DOCTYPE html><html><p>Router</html>");
        return true;
      case "notFound":
        response.writeHead(404, { "Content-Type": "text/html" }).end("<html>404</html>");
        return true;
      case "entities":
        respond(response, 200, responses.entities);
        return true;
      case "huge": {
        response.writeHead(200, { "Content-Type": "application/soap+xml" });
        const part = Buffer.alloc(65_536, " ");
        const more = (): void => {
          while (!response.destroyed && response.write(part));
        };
        response.on("drain", more);
        more();
        return true;
      }
    }
  }

  async #answer(
    name: string,
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const { moves = false, seesMotion = false, media2 = false } = this.options;
    const base = this.#base;
    const say = (text: string): void => respond(response, 200, messageOf(text));
    switch (name) {
      case "GetSystemDateAndTime":
        return say(responses.time(Date.now() + (this.options.aheadMs ?? 0)));
      case "GetDeviceInformation":
        return say(responses.information(this.#names, this.serial));
      case "GetServices":
        return say(
          responses.services(base, { moves, seesMotion, media2, video: this.trouble !== "noVideo" }),
        );
      case "GetProfiles":
        return say(responses.profiles(moves, media2));
      case "GetStreamUri":
        return say(
          responses.uri(
            "GetStreamUri",
            `rtsp://${this.options.names ?? "127.0.0.1"}:8554/${tagged(body, "ProfileToken")}`,
          ),
        );
      case "GetSnapshotUri":
        return say(responses.uri("GetSnapshotUri", `${base}/picture.jpg?of=${tagged(body, "ProfileToken")}`));
      case "GetPresets":
        return say(responses.presets);
      case "GetStatus":
        return say(responses.status(this.position));
      case "GotoPreset":
        this.preset = tagged(body, "PresetToken");
        this.position.pan = this.preset === "gate" ? 0.5 : -0.5;
        return say("<tptz:GotoPresetResponse/>");
      case "AbsoluteMove": {
        const [, pan = "", tilt = ""] = /<(?:\w+:)?PanTilt[^>]* x="([^"]*)" y="([^"]*)"/.exec(body) ?? [];
        const zoom = /<(?:\w+:)?Zoom[^>]* x="([^"]*)"/.exec(body)?.[1];
        if (pan !== "") Object.assign(this.position, { pan: Number(pan), tilt: Number(tilt) });
        if (zoom !== undefined) this.position.zoom = Number(zoom);
        return say("<tptz:AbsoluteMoveResponse/>");
      }
      case "SetUser":
        this.password = tagged(/<(?:\w+:)?Body.*/s.exec(body)?.[0] ?? "", "Password");
        return say("<tds:SetUserResponse/>");
      case "GetEventProperties":
        return say(responses.eventProperties);
      default:
        return await this.#events(name, request, response);
    }
  }

  async #events(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const say = (text: string): void => respond(response, 200, messageOf(text));
    const id = /\/events\/(.+)$/.exec(request.url ?? "")?.[1] ?? "";
    const subscription = this.#subscriptions.get(id);
    if (name === "CreatePullPointSubscription") {
      const fresh = randomUUID();
      const begun = new Subscription();
      begun.tell(responses.motion(this.#isMoving, "Initialized"));
      this.#subscriptions.set(fresh, begun);
      return say(responses.subscription(`${this.#base}/events/${fresh}`, Date.now()));
    }
    if (subscription === undefined) return respond(response, 400, responses.notSupported);
    if (name === "PullMessages") {
      const messages = await subscription.next(response);
      return say(responses.pulled(messages, Date.now()));
    }
    if (name === "Unsubscribe") this.#subscriptions.delete(id);
    return say(`<wsnt:${name}Response/>`);
  }

  #picture(request: IncomingMessage, response: ServerResponse): void {
    if (this.options.login !== undefined && !this.#isHttpUser(request)) return this.#challenge(response);
    if (this.trouble === "slowPictures") return response.writeHead(200).flushHeaders();
    this.pictures += 1;
    response.writeHead(200, { "Content-Type": "image/jpeg" }).end(jpeg);
  }

  #challenge(response: ServerResponse): void {
    const header = `Digest realm="${realm}", qop="auth", nonce="${randomUUID()}", algorithm=MD5`;
    response.writeHead(401, { "WWW-Authenticate": header }).end("<html>Unauthorized</html>");
  }

  #isUser(request: IncomingMessage, body: string): boolean {
    if (this.options.httpDigest === true) return this.#isHttpUser(request);
    const { username } = this.options.login ?? { username: "" };
    const [created, nonce] = [tagged(body, "Created"), tagged(body, "Nonce")];
    const own = Date.now() + (this.options.aheadMs ?? 0);
    if (Math.abs(Date.parse(created) - own) > skewMs) return false;
    const digest = createHash("sha1")
      .update(Buffer.from(nonce, "base64"))
      .update(created + (this.password ?? ""))
      .digest("base64");
    return tagged(body, "Username") === username && tagged(body, "Password") === digest;
  }

  #isHttpUser({ headers, method, url }: IncomingMessage): boolean {
    const said = Object.fromEntries(
      [...(headers.authorization ?? "").matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
    const { username } = this.options.login ?? { username: "" };
    const [ha1, ha2] = [md5(`${username}:${realm}:${this.password}`), md5(`${method}:${url}`)];
    const expected = md5(`${ha1}:${said["nonce"]}:${said["nc"]}:${said["cnonce"]}:${said["qop"]}:${ha2}`);
    return said["username"] === username && said["uri"] === url && said["response"] === expected;
  }
}

/** Messages for one client, which it pulls. */
class Subscription {
  #messages: string[] = [];
  #wake: () => void = () => {};

  tell(message: string): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Waits for messages, at most five seconds. */
  async next(response: ServerResponse): Promise<readonly string[]> {
    if (this.#messages.length === 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 5000);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        response.on("close", this.#wake);
      });
    return this.#messages.splice(0);
  }
}

/** The smallest that passes as a picture: its first and last marker. */
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "application/soap+xml; charset=utf-8" }).end(text);
}
