export { createDispatch } from "./dispatch.ts";
export type { Match } from "./echo.ts";
export type * from "./submission.ts";
