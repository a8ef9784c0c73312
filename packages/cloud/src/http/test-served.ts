import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createLogger } from "@ledge/host/logger";
import { closeServer, createServer, listen, onUpgrade } from "@ledge/host/server";
import { dialTunnel, tunnelPath } from "@ledge/link/tunnel";
import { until } from "@ledge/testkit";
import { Compile, type Validator } from "typebox/compile";
import type { CloudOptions } from "../cloud.ts";
import { resultSchema } from "../graph/document.ts";
import type { GraphResponse } from "../graph/graph.ts";
import { graphRows } from "../graph/rows.ts";
import { CloudMail } from "../mail/cloud-mail.ts";
import { type Mail, MailError } from "../mail/mailer.ts";
import { TestCloud, TestHub } from "../testdata/open-cloud.ts";
import { openPlatform, type Platform } from "../platform.ts";
import { Bearers } from "../oauth/bearers.ts";
import { namesAt } from "../oauth/names.ts";
import { isOAuth } from "../oauth/oauth.ts";
import type { Push } from "../push/pushes.ts";
import { TestRegisters } from "../push/test-registers.ts";
import { type Answer, TestTunnel } from "../relay/test-relay.ts";
import type { Relay } from "../relay/relay.ts";
import { openRelay } from "../relay/open-relay.ts";
import { Allowances } from "./allowances.ts";
import { createCloudApp } from "./app.ts";
import { trustIn } from "./caller-address.ts";
import { LanAddresses } from "./lan-addresses.ts";

/** A response; `json` is its body if the content type is JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Sending {
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as is, without a content type unless `headers` sets one. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of the caller, as a proxy reports it (default: a new one each time). */
  readonly from?: string;
}

/** A message to Graph. */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/** A cloud that serves HTTP and keeps all its mails. */
export class Served {
  readonly test: TestCloud;
  /** Writes devices into the registers of its hubs. */
  readonly registers: TestRegisters;
  #platform: Platform | undefined;
  readonly mails: Mail[] = [];
  /** Lines of the process log, as objects. */
  readonly log: Readonly<Record<string, unknown>>[] = [];
  isMailDown = false;
  #base = "";
  #stop: () => Promise<void> = async () => {};
  #callers = 0;
  #relay: Relay | undefined;
  readonly #tunnels: TestTunnel[] = [];

  private constructor(test: TestCloud) {
    this.test = test;
    this.registers = new TestRegisters(test.cloud);
  }

  /** Starts a cloud with a hub whose owner is logged in. */
  static async withHub(): Promise<{ served: Served; hub: TestHub; owner: string }> {
    const served = await Served.start();
    return { served, ...(await served.claimed("owner@example.org")) };
  }

  /**
   * @param options further options of the app
   * @param wall as in `TestCloud.open`
   * @param cloudOptions further options of the cloud
   */
  static async start(
    options: Partial<Parameters<typeof createCloudApp>[0]> = {},
    wall?: number,
    cloudOptions: Partial<CloudOptions> = {},
  ): Promise<Served> {
    const served = new Served(await TestCloud.open(cloudOptions, wall));
    const logger = createLogger("silent", { write: (line) => void served.log.push(JSON.parse(line)) });
    const mailer = {
      send: (mail: Mail): Promise<void> => {
        if (served.isMailDown) return Promise.reject(new MailError("down"));
        served.mails.push(mail);
        return Promise.resolve();
      },
    };
    const { cloud, clock } = served.test;
    const relay = openRelay(cloud, clock, assert.fail);
    served.#relay = relay;
    const mail = new CloudMail(mailer, () => served.#base, logger, clock);
    const bearers = new Bearers(cloud, () => namesAt(served.#base));
    const shared = { cloud, mail, bearers, clock, logger, allowances: new Allowances() };
    const trustedProxies = ["127.0.0.1"];
    const originOf = trustIn(trustedProxies);
    const random = { newId: randomUUID, random: randomBytes, addressOfCloud: () => served.#base };
    const egressNetworks = ["127.0.0.0/8"];
    const platform = openPlatform({ ...shared, relay, originOf, ...random, egressNetworks });
    const lan = new LanAddresses();
    const app = createCloudApp({ ...shared, platform, lan, trustedProxies, ...options });
    served.#platform = platform;
    const { connections, oauth } = platform;
    const server = createServer((request, env) => app.fetch(request, env), {
      before(incoming, outgoing) {
        if (!isOAuth(incoming.url ?? "")) return connections.handle(incoming, outgoing);
        void oauth.handle(incoming, outgoing, originOf(incoming));
        return true;
      },
    });
    onUpgrade(server, (...asked) => {
      if (asked[0].url === tunnelPath) relay.upgrade(...asked);
      else connections.upgrade(...asked);
    });
    served.#base = await listen(server, "127.0.0.1", 0);
    assert.ok((server.address() as AddressInfo).port > 0);
    served.#stop = async () => {
      connections.stop();
      platform.replication.stop();
      platform.graph.stop();
      platform.watching.stop();
      await platform.egress.stop();
      for (const tunnel of served.#tunnels) tunnel.kill();
      let isClosed = false;
      void relay.close(0).then(() => (isClosed = true));
      // A tunnel whose other end is gone is given up when its grace time has passed.
      await until("the end of the tunnels", () => isClosed || void clock.pass(1));
      await closeServer(server, 0);
    };
    return served;
  }

  /** The cloud's address, without a path. */
  get base(): string {
    return this.#base;
  }

  get platform(): Platform {
    return this.#platform ?? assert.fail("the cloud is not served");
  }

  async stop(): Promise<void> {
    await this.#stop();
    await this.test.remove();
  }

  /** @param path begins at the root */
  async call(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    const { token, json, body, headers = {}, from = this.newCaller() } = sending;
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        "x-forwarded-for": from,
        ...(token !== undefined && { authorization: token }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      // Bytes, unlike strings, get no default content type.
      ...(sent !== undefined && { body: Buffer.from(sent as string) }),
    });
    const text = await response.text();
    const isJson = /^application\/(?:problem\+)?json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  /** Calls a path below `/ui/0.2`; see `call`. */
  ui(method: string, path: string, sending?: Sending): Promise<Reply> {
    return this.call(method, `/ui/0.2${path}`, sending);
  }

  /** Returns an address from which nobody has called. */
  newCaller(): string {
    const count = ++this.#callers;
    return `198.18.${count >> 8}.${count & 255}`;
  }

  /** Returns the newest mail to an address. */
  mailTo(email: string): Mail {
    return this.mails.findLast(({ to }) => to === email) ?? assert.fail(`no mail to ${email}`);
  }

  /** Returns the one-time password last sent to an address. */
  passwordOf(email: string): string {
    return /: ([A-Z2-9]{6})\n/.exec(this.mailTo(email).text)?.[1] ?? assert.fail("no password");
  }

  /** Returns the path of the link last sent to an address. */
  linkOf(email: string): string {
    const link = /^http\S+$/m.exec(this.mailTo(email).text)?.[0] ?? assert.fail("no link");
    assert.ok(link.startsWith(this.#base));
    return link.slice(this.#base.length);
  }

  /** Logs in over HTTP. @returns the cloud token */
  async logIn(email: string): Promise<string> {
    assert.equal((await this.ui("POST", "/user/requestlogin", { json: { email } })).status, 200);
    const password = this.passwordOf(email);
    const { status, text } = await this.ui("POST", "/user/emaillogin", { json: { email, password } });
    assert.equal(status, 200);
    return text;
  }

  /** Returns the id of the account of an address. */
  accountId(email: string): string {
    return this.test.cloud.directory.accountOf(email)?.id ?? assert.fail(`no account of ${email}`);
  }

  /** Logs an invited user in and accepts the invitation. @returns the cloud token */
  async join(email: string, hubId: string): Promise<string> {
    const token = await this.logIn(email);
    assert.equal((await this.ui("POST", "/user/invitation", { token, json: { hubId } })).status, 200);
    return token;
  }

  /** Has an owner or administrator invite somebody to a hub, who accepts. @returns the cloud token of the new user */
  async invited(by: string, hubId: string, email: string, role: number): Promise<string> {
    const json = { hubId, email, role };
    assert.equal((await this.ui("POST", "/user/invite", { token: by, json })).status, 200);
    return this.join(email, hubId);
  }

  /** Opens a hub's session over HTTP. @returns its token */
  async connect(hub: TestHub, more: object = {}, from: string = this.newCaller()): Promise<string> {
    const { json } = await this.call("POST", "/hub/challenge", { json: { hubId: hub.id }, from });
    const { nonce } = json as { nonce: string };
    const request = { ...(await hub.request(this.test.issuer, nonce)), ...more };
    const session = await this.call("POST", "/hub/session", { json: request, from });
    assert.equal(session.status, 200, session.text);
    return (session.json as { token: string }).token;
  }

  /**
   * Dials as a hub.
   * @param answer answers the requests that come through the tunnel
   * @param changes answers what the home has to tell
   */
  async dial(hubToken: string, answer: Answer, changes?: Answer): Promise<TestTunnel> {
    const signal = AbortSignal.timeout(60_000);
    const duplex = await dialTunnel({ url: this.#base, token: hubToken, transport: "upgrade", signal });
    const tunnel = new TestTunnel(duplex, answer, changes);
    this.#tunnels.push(tunnel);
    await tunnel.opened;
    return tunnel;
  }

  /** Returns whether a hub has a tunnel. */
  isConnected(hubId: string): boolean {
    return this.#relay?.tunnels.reach(hubId) === "open";
  }

  /** Sends a message to Graph. @returns its result, which must be what the type's schema says */
  async graph(token: string, message: Message): Promise<GraphResponse["result"]> {
    const isCommand = message.type.endsWith("Command");
    const [method, kind] = isCommand ? ["PUT", "command"] : ["POST", "query"];
    const reply = await this.call(method, `/graph/${kind}`, { token, json: { [kind]: message } });
    assert.equal(reply.status, 200, reply.text);
    const { result } = reply.json as GraphResponse;
    mustMatch(message.type, result);
    return result;
  }

  /** Fetches what waits for a session of pushes, and lets the wait elapse. @param wait seconds */
  async fetched(token: string, sessionId: string, wait: number): Promise<readonly Push[]> {
    let reply: Reply | undefined;
    const asked = this.call("POST", "/graph/push", { token, json: { sessionId, wait } });
    void asked.then((answer) => (reply = answer));
    await until("the end of the fetch", () => reply !== undefined || void this.test.clock.pass(wait * 50));
    assert.equal(reply?.status, 200);
    assert.equal(reply.headers.get("content-type"), "application/json");
    return (reply.json as { push: Push }[]).map(({ push }) => push);
  }

  /** Makes a hub with an owner. @returns the hub, its token and the owner's token */
  async claimed(
    email: string,
    more: object = {},
  ): Promise<{ hub: TestHub; hubToken: string; owner: string }> {
    const hub = await TestHub.make();
    const hubToken = await this.connect(hub, more);
    const { status } = await this.call("POST", "/hub/claim", { json: { email }, token: hubToken });
    assert.equal(status, 200);
    return { hub, hubToken, owner: await this.logIn(email) };
  }
}

const resultSchemas = new Map<string, Validator>();

/** Fails unless the result of a type matches the schema that the cloud publishes. */
function mustMatch(type: string, result: GraphResponse["result"]): void {
  const row = graphRows.find((each) => each.type === type);
  if (row === undefined) return;
  const validator = resultSchemas.get(type) ?? Compile(resultSchema(row));
  resultSchemas.set(type, validator);
  assert.ok(validator.Check(result), `${type}: ${JSON.stringify(result).slice(0, 500)}`);
}
