// A phone behind a server of ntfy, Gotify or Matrix, for trying out messages: docs/messages.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/phones/phone.ts KIND PORT TOKEN
//
// It prints each message that the phone shows, as a line of JSON.
import { PhoneServer, type PhoneServerKind } from "./phone-server.ts";

const [kind = "ntfy", port = "0", token = ""] = process.argv.slice(2);
const server = await PhoneServer.start(kind as PhoneServerKind, Number(port));
server.token = token;
process.stdout.write("ready\n");
for (let next = 0; ; next++) {
  await server.message((shown) => shown === server.shown[next]);
  process.stdout.write(`${JSON.stringify(server.shown[next])}\n`);
}
