// A client that sends whatever a test wants it to, over a WebSocket or by single requests.
import { once } from "node:events";
import { until } from "@ledge/testkit";
import { WebSocket } from "ws";

type Record = Readonly<{ [key: string]: unknown }>;

export class RawClient {
  readonly webSocket: WebSocket;
  /** The text that came, without what was taken. */
  #text = "";
  /** Every JSON message that came, the answer to the handshake included. */
  readonly messages: Record[] = [];
  /** The bytes that came, as WebSocket messages. */
  readonly chunks: Buffer[] = [];
  isClosed = false;

  private constructor(webSocket: WebSocket) {
    this.webSocket = webSocket;
    webSocket.on("error", () => {});
    webSocket.on("close", () => (this.isClosed = true));
    webSocket.on("message", (data: Buffer, isBinary) => {
      this.chunks.push(data);
      if (isBinary) return;
      const records = (this.#text + data.toString()).split("\x1e");
      this.#text = records.pop() ?? "";
      for (const record of records) this.messages.push(JSON.parse(record) as Record);
    });
  }

  /** Opens a socket. @throws Error with the status if the upgrade is refused. */
  static async open(url: string, headers: { readonly [name: string]: string } = {}): Promise<RawClient> {
    const webSocket = new WebSocket(url.replace(/^http/, "ws"), { headers, perMessageDeflate: false });
    const client = new RawClient(webSocket);
    await once(webSocket, "open");
    return client;
  }

  /** Opens a socket and does the handshake of the JSON protocol. */
  static async start(url: string, headers: { readonly [name: string]: string } = {}): Promise<RawClient> {
    const client = await RawClient.open(url, headers);
    client.send({ protocol: "json", version: 1 });
    await client.until(1);
    client.messages.splice(0, 1);
    return client;
  }

  /** Sends JSON messages in one piece. */
  send(...messages: readonly object[]): void {
    this.webSocket.send(messages.map((message) => `${JSON.stringify(message)}\x1e`).join(""));
  }

  /** Resolves to the messages once there are so many. */
  async until(count: number): Promise<readonly Record[]> {
    await until(`${count} messages`, () => this.messages.length >= count);
    return this.messages;
  }

  async untilClosed(): Promise<void> {
    await until("the socket is closed", () => this.isClosed);
  }
}

/** Negotiates by hand. */
export async function negotiate(
  url: string,
  query = "?negotiateVersion=1",
  headers: { readonly [name: string]: string } = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Record }> {
  const response = await fetch(`${url}/negotiate${query}`, { method: "POST", headers });
  const text = await response.text();
  const body = text.startsWith("{") ? (JSON.parse(text) as Record) : { text };
  return { status: response.status, headers: response.headers, body };
}

/** Negotiates, and gives the address of the connection. */
export async function negotiated(url: string, query?: string): Promise<string> {
  const { body } = await negotiate(url, query);
  return `${url}?id=${String(body["connectionToken"])}`;
}
