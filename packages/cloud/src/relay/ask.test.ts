import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:http2";
import { Duplex, duplexPair } from "node:stream";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "@ledge/kernel";
import { ask } from "./ask.ts";

test("a request to a hub does not keep its session open, even if the answer comes in one piece", async () => {
  const [cloudEnd, hubEnd] = duplexPair();
  let answered = 0;
  const hub = createServer((request, response) => {
    response.statusCode = request.url === "/yes" ? 200 : 404;
    request.resume();
    request.once("end", () => response.end("true"));
    request.stream.once("close", () => (answered += 1));
  });
  hub.emit("connection", hubEnd);
  const tunnel = new Duplex({
    read: () => {},
    write: (chunk, _encoding, done) => void cloudEnd.write(chunk, done),
    final: (done) => void cloudEnd.end(done),
  });
  const session = connect("http://hub", { createConnection: () => tunnel });
  const answers = ["/yes", "/no", "/yes"].map((path) => ask(session, path, {}, systemClock, 60_000));
  while (answered < answers.length) await setImmediate();
  tunnel.push(cloudEnd.read());
  cloudEnd.on("data", (chunk) => tunnel.push(chunk)).once("end", () => tunnel.push(null));
  assert.deepEqual(await Promise.all(answers), [true, false, true]);
  session.close();
  await once(session, "close");
});
