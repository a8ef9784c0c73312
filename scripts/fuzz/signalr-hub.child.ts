// A SignalR hub for the fuzzer. Says its address, then what its functions throw.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHub, type Hub } from "@ledge/signalr";
import { fuzzedMethods } from "@ledge/signalr/testing";

const hub: Hub = createHub({
  path: "/hub",
  ...fuzzedMethods(() => hub.connections.size),
  onError: (error) => process.send?.({ error: String(error) }),
});
const server = createServer();
hub.attach(server);
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/hub` });
});
process.on("disconnect", () => process.exit());
