import { once } from "node:events";
import type { HubOptions } from "../api.ts";
import { HubError } from "../errors.ts";

/**
 * The methods and streams that fuzzed frames call.
 * @param connections says how many connections the hub has
 */
export function fuzzedMethods(connections: () => number): Pick<HubOptions, "methods" | "streams"> {
  return {
    methods: {
      here: () => "here",
      echo: (_call, ...args) => args,
      fail: () => {
        throw new HubError("failed");
      },
      connections,
    },
    streams: {
      *items(_call, ...args) {
        yield* args;
      },
      watch: async ({ signal }) => void (await once(signal, "abort")),
    },
  };
}
