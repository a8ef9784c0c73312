export { accepts } from "./accepts.ts";
export * from "./access-token.ts";
export * from "./activation-code.ts";
export * from "./addresses.ts";
export * from "./hub-id.ts";
export * from "./answer-headers.ts";
export * from "./authorization-list.ts";
export { toBase32 } from "./base32.ts";
export * from "./body.ts";
export * from "./changes.ts";
export * from "./cloud-token.ts";
export * from "./hub-assertion.ts";
export { type JsonLineBounds, parseJsonLines } from "./json-lines.ts";
export * from "./health.ts";
export {
  counter,
  gauge,
  type Metric,
  renderMetrics,
  RequestFigures,
  type RowFigures,
  type Sample,
} from "./metrics.ts";
export * from "./problems.ts";
export * from "./rate-limit.ts";
export * from "./refused.ts";
export * from "./web-files.ts";
export {
  generateIssuerKey,
  type IssuerKey,
  type Jwks,
  jwksOf,
  type KeySet,
  keySetFrom,
  keySetOf,
  type TokenProblem,
} from "./signed.ts";
export {
  type HubKey,
  type HubKeyClaims,
  type HubKeyIssuer,
  signHubKey,
  type Verification,
  verifyHubKey,
} from "./token.ts";
