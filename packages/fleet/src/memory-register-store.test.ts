import { registerStoreContract } from "./contract/index.ts";
import { memoryRegisterStore } from "./memory-register-store.ts";

registerStoreContract("a store in memory", () => {
  const time = { now: 1000 };
  return {
    time,
    isDurable: false,
    open: async (bounds) => memoryRegisterStore(() => time.now, bounds),
    remove: async () => {},
  };
});
