// Generates requests as bytes that no client sends: conflicting lengths, odd methods and targets, halves,
// upgrades.
import type { Random } from "../crash/random.ts";

export interface RawRequest {
  /** A short name for what is wrong with it. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** How many answers it must get at least, and how many requests it can contain at most. */
  readonly owed: number;
  readonly most: number;
}

/** The sender, and a marker for what nobody must do in their name. */
export interface RawSource {
  readonly random: Random;
  readonly hubId: string;
  /** Header lines of a user who may do everything. */
  readonly credentials: readonly string[];
  /** The name of a room. The request that creates it is hidden in the body of another. */
  readonly marker: string;
}

const host = "Host: localhost";
const end = "Connection: close";
const rooms = "/relay/cc/1.14/rooms";

type Make = (source: RawSource) => Omit<RawRequest, "kind" | "bytes"> & {
  readonly text: string | Buffer;
};

/**
 * Returns a GET request.
 * @param last adds a header that closes the connection
 */
function get(source: RawSource, path: string, { last = true, method = "GET", version = "HTTP/1.1" } = {}) {
  return head(`${method} ${path} ${version}`, host, ...source.credentials, ...(last ? [end] : []));
}

function head(...lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function put(credentials: readonly string[], ...lines: readonly string[]): string {
  return head(`PUT ${rooms} HTTP/1.1`, host, ...credentials, ...lines);
}

/** Returns the hidden request. */
function hidden({ credentials, marker }: RawSource): string {
  const body = JSON.stringify([{ type: "CMD_ROOM", id: null, name: marker }]);
  return put(credentials, `Content-Length: ${body.length}`) + body;
}

/** Returns a request around the hidden one, which is part of its body or not, depending on how the lines are read. */
function around(source: RawSource, ...lines: readonly ((inner: string) => string)[]): ReturnType<Make> {
  const inner = `0\r\n\r\n${hidden(source)}`;
  const said = lines.map((line) => line(inner));
  return {
    text: put(source.credentials, ...said) + inner,
    owed: 0,
    most: 2,
  };
}

const lengthOf = (inner: string): string => `Content-Length: ${inner.length}`;
const one = { owed: 1, most: 1 } as const;

const makers: Readonly<Record<string, Make>> = {
  "length and chunks": (source) => {
    const chunked = source.random.pick([
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: xchunked",
      "Transfer-Encoding: identity, chunked",
      "Transfer-Encoding: chunked, identity",
      "Transfer-Encoding: \tchunked",
      "Transfer-Encoding:\u000bchunked",
      "Transfer-Encoding : chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
      "Transfer_Encoding: chunked",
      "transfer-encoding: CHUNKED",
      "X: y\nTransfer-Encoding: chunked",
      "X: y\rTransfer-Encoding: chunked",
      "Transfer-Encoding:\r\n chunked",
    ]);
    const lines = [lengthOf, () => chunked];
    return around(source, ...(source.random.chance(0.5) ? lines : lines.toReversed()));
  },
  "two lengths": (source) => {
    const other = source.random.pick(["0", "5", "+0", "0x0", "-1", "5, 0", " ", "1e1"]);
    const lines = [lengthOf, () => `Content-Length: ${other}`];
    return around(source, ...(source.random.chance(0.5) ? lines : lines.toReversed()));
  },
  "odd length": (source) => {
    const { random } = source;
    const length = random.pick(["+5", "0x5", "5,5", "-1", "5 5", "99999999999999999999", "", "5.0", "٥"]);
    const text = put(source.credentials, `Content-Length: ${length}`);
    return { text: `${text}[1,2]${hidden(source)}`, owed: 0, most: 2 };
  },
  "odd chunks": (source) => {
    const size = source.random.pick([
      "0x5",
      "-5",
      "fffffffffffffffff",
      " 5",
      "5\n",
      `5;${"x".repeat(30_000)}`,
      "5 ;a=b",
      "",
      "5\r\nabcdefgh",
    ]);
    const start = put(source.credentials, "Transfer-Encoding: chunked", end);
    return { text: `${start}${size}\r\n[1,2]\r\n0\r\n\r\n`, owed: 0, most: 2 };
  },
  "odd line ends": (source) => {
    const text = get(source, "/relay/hub");
    const by = source.random.pick(["\n", "\r", "\r\r\n", "\n\r", "\u0000\r\n", "\r\n "]);
    const at = source.random.below(4);
    let seen = 0;
    return { text: text.replaceAll("\r\n", (found) => (seen++ === at ? by : found)), owed: 0, most: 1 };
  },
  "odd method": (source) => {
    const names = ["TRACE", "PROPFIND", "get", "X", "M-SEARCH", "SOURCE", "HEAD", "OPTIONS", "PRI", "QUERY"];
    const method = source.random.pick([...names, "G\u0000T", "CONNECT", "PATCH", "x".repeat(9000)]);
    return { text: get(source, "/relay/hub", { method }), owed: method === "CONNECT" ? 0 : 1, most: 1 };
  },
  "odd target": (source) => {
    const { hubId, random } = source;
    const target = random.pick([
      "*",
      "http://localhost/relay/hub",
      "http://evil.example/relay/hub",
      "http://[::1/relay/hub",
      "https://user:pass@localhost/relay/hub",
      "localhost:80",
      "//evil.example/relay/hub",
      "//relay/hub",
      "/relay/../ui/0.2/user",
      "/relay/cc/1.14/../../ui/0.2/user",
      "/relay/cc/1.14/%2e%2e/%2e%2e/ui/0.2/user",
      "/relay/cc/1.14/..;/console/status",
      "/relay/cc/1.14\\..\\..\\console\\status",
      "/relay/hub/../console/status",
      "/relay/%68ub",
      "/relay%2fhub",
      "/relay/cc/1.14/rooms%00",
      "/relay/cc/1.14/rooms%0d%0aX-Hub-Key:%20x",
      "/relay/cc/1.14/rooms?ts=%c3%28",
      "/relay/cc/1.14/rooms#/../users",
      "/relay/cc//hub/poll?ts=0",
      "/relay/cc/1.14/hub/poll?ts=0&ts=1&__proto__=1",
      "/relay/.ledge/ping",
      "/relay/cc/../.ledge/ping",
      `/ui/0.2/hub/${hubId}/remote/hub`,
      `/ui/0.2/hub/${hubId}%2f../remote/hub`,
      `/ui/0.2/hub/__proto__/remote/hub`,
      `/legacy/ui/0.2/hub/remote/cc/1.14/console/status`,
      "/relay/cc/1.14/console/status",
      "/relay/healthz",
      "/metrics",
      "",
      "?",
      `/relay/cc/1.14/${"a/".repeat(7000)}`,
      `/relay/cc/${"9".repeat(400)}.${"9".repeat(400)}/rooms`,
      "/relay/cc/1.14/r\u00f6\u00f6ms",
      "/relay/cc/1.14/rooms two",
    ]);
    return { text: get(source, target), ...one };
  },
  "long head": (source) => {
    const lines = source.random.pick([
      [`X-Long: ${"x".repeat(20_000)}`],
      Array.from({ length: 300 }, (_, at) => `X-${at}: ${at}`),
      Array.from({ length: 90 }, (_, at) => `X-${at}: ${"\u00ff".repeat(100)}`),
      [`${"N".repeat(15_000)}: 1`],
      [`Accept-Language: ${"fi;q=0.1,".repeat(1500)}`],
    ]);
    return { text: head("GET /relay/hub HTTP/1.1", host, ...source.credentials, ...lines, end), ...one };
  },
  "many at once": (source) => {
    const count = 2 + source.random.below(40);
    const each = get(source, source.random.pick(["/relay/hub", "/healthz", rooms]), { last: false });
    return { text: each.repeat(count - 1) + get(source, "/relay/hub"), owed: 0, most: count };
  },
  half: (source) => {
    const whole = `${put(source.credentials, "Content-Length: 500")}[{"type":"CMD_ROOM"`;
    return { text: whole.slice(0, source.random.below(whole.length)), owed: 0, most: 1 };
  },
  upgrade: (source) => {
    const { random } = source;
    const path = random.pick(["/hub/tunnel", "/relay/hub", "/relay/cc/1.14/hub/events", "/", "//", "*"]);
    const to = random.pick(["websocket", "h2c", "ledge-tunnel", "TLS/1.0", ""]);
    const lines = [`Upgrade: ${to}`, "Connection: Upgrade, HTTP2-Settings", "Sec-WebSocket-Version: 13"];
    const more = random.pick([
      ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="],
      ["HTTP2-Settings: AAMAAABk"],
      [],
    ]);
    const start = head(`GET ${path} HTTP/1.1`, host, ...source.credentials, ...lines, ...more);
    return { text: start + (random.chance(0.5) ? hidden(source) : ""), owed: 0, most: 2 };
  },
  garbage: ({ random }) => ({
    text: random.pick([
      Buffer.from("160301020001000001fc0303", "hex"),
      Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Buffer.alloc(3000),
      Buffer.from("\r\n\r\n\r\nGET"),
      Buffer.from(Array.from({ length: 500 }, () => random.below(256))),
      Buffer.from("GET\r\n\r\n"),
      Buffer.from(`GET ${"\u{1f600}".repeat(50)} HTTP/1.1\r\n\r\n`),
    ]),
    owed: 0,
    most: 3,
  }),
  "odd version": (source) => {
    const version = source.random.pick([
      "HTTP/1.0",
      "HTTP/0.9",
      "HTTP/2.0",
      "HTTP/9.9",
      "http/1.1",
      "ICE/1.0",
      "",
    ]);
    return { text: get(source, "/relay/hub", { version }), owed: 0, most: 1 };
  },
  "named as of the connection": (source) => {
    const named = source.random.pick([
      "X-Hub-Key",
      "Authorization, X-Forwarded-For",
      "close, Content-Type, Host",
      "keep-alive, :path, __proto__",
      "Transfer-Encoding, Content-Length",
      `close${", x".repeat(3000)}`,
    ]);
    const lines = [...source.credentials, `Connection: ${named}`, "Keep-Alive: timeout=1", "TE: trailers"];
    return { text: head("GET /relay/hub HTTP/1.1", host, ...lines), ...one };
  },
  "said twice": (source) => {
    const more = source.random.pick([
      ["X-Hub-Key: x"],
      ["Authorization: x"],
      ["Host: evil.example"],
      ["X-Forwarded-For: 127.0.0.1, ::1", "X-Forwarded-For: 10.0.0.1"],
      ["Content-Type: a", "Content-Type: b", "Cookie: a=b", "Cookie: c=d"],
      ["__proto__: x", "constructor: y"],
      ["X-Ledge-Caller: console", "X-Real-IP: 127.0.0.1", "Forwarded: for=127.0.0.1"],
    ]);
    const lines = source.random.chance(0.5)
      ? [...source.credentials, ...more]
      : [...more, ...source.credentials];
    return { text: head("GET /relay/cc/1.14/hub/users HTTP/1.1", host, ...lines, end), ...one };
  },
  "behind the body": (source) => {
    const start = put(
      source.credentials,
      "Transfer-Encoding: chunked",
      "Trailer: Authorization, X-Hub-Key",
      end,
    );
    const trailers = source.random.pick([
      "Authorization: x\r\nX-Hub-Key: y\r\n",
      "Content-Length: 5\r\n",
      `X: ${"y".repeat(20_000)}\r\n`,
    ]);
    return { text: `${start}2\r\n[]\r\n0\r\n${trailers}\r\n`, owed: 0, most: 1 };
  },
  "packed body": (source) => {
    const encoding = source.random.pick(["gzip", "br", "deflate, gzip", "identity", "x"]);
    const start = put(
      source.credentials,
      `Content-Encoding: ${encoding}`,
      "Content-Type: application/json; charset=utf-16",
      "Content-Length: 2",
      end,
    );
    return { text: `${start}[]`, ...one };
  },
  "asks to wait": (source) => {
    const expects = source.random.pick(["100-continue", "100-Continue, x", "200-ok", ""]);
    const lines = [...source.credentials, `Expect: ${expects}`, "Content-Length: 2", end];
    return { text: `${put(lines)}[]`, ...one };
  },
};

const kinds = Object.keys(makers);

/** Generates malformed bytes of one of many kinds. */
export function rawFor(source: RawSource): RawRequest {
  const kind = source.random.pick(kinds);
  const { text, ...counts } = (makers[kind] as Make)(source);
  return { kind, bytes: typeof text === "string" ? Buffer.from(text, "latin1") : text, ...counts };
}
