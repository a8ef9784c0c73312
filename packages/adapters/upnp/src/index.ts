export { createAdapter } from "./adapter.ts";
