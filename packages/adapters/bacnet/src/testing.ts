/** What long runs need of the adapter; not for the product. */
export { HostileNetwork } from "./network/test-hostile.ts";
