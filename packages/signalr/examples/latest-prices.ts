// Prices to any number of watchers. A watcher that is behind gets the newest price of each symbol when it catches up,
// and none of those between.
//
//   node examples/latest-prices.ts
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createHub, type Serialized, serializeOnce, type StreamCall } from "@ledge/signalr";

interface Price {
  readonly symbol: string;
  readonly price: number;
}

/** Serves prices at `/prices`, stream `watch`. Returns the server, and a function that publishes a price. */
export function servePrices(): { readonly server: Server; readonly publish: (price: Price) => void } {
  /** Each watcher with what it could not take yet: at most one price of a symbol. */
  const watchers = new Map<StreamCall, Map<string, Serialized<Price>>>();
  const hub = createHub({
    path: "/prices",
    streams: {
      async watch(call) {
        watchers.set(call, new Map());
        await once(call.signal, "abort");
        watchers.delete(call);
      },
    },
  });

  function publish(price: Price): void {
    const item = serializeOnce(price);
    for (const [call, behind] of watchers) {
      if (behind.size === 0 && !call.isCongested) call.write(item);
      else {
        if (behind.size === 0) void catchUp(call, behind);
        behind.set(price.symbol, item);
      }
    }
  }

  async function catchUp(call: StreamCall, behind: Map<string, Serialized<Price>>): Promise<void> {
    await call.ready();
    for (const item of behind.values()) call.write(item);
    behind.clear();
  }

  const server = createServer();
  hub.attach(server);
  return { server, publish };
}

if (import.meta.main) {
  const { server, publish } = servePrices();
  server.listen(8080);
  setInterval(() => publish({ symbol: "LEDGE", price: Math.round(1000 * Math.random()) / 10 }), 1000);
}
