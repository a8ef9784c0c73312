/** General application errors, EN 13757-3, by the byte that follows the CI field 70h. */
const errors: readonly string[] = [
  "unspecified error",
  "the CI field is not implemented",
  "the buffer is too long: data was cut",
  "there are too many records",
  "a record ends too early",
  "there are more than 10 DIFEs",
  "there are more than 10 VIFEs",
  "reserved error",
  "the application is busy: read later",
  "too many readouts: this meter limits them per time",
];

/** Returns what a meter says of itself. @param code undefined if the meter sends none */
export function applicationError(code: number | undefined): string {
  if (code === undefined) return "the meter reports an error without a code";
  return `the meter reports error ${code}: ${errors[code] ?? "reserved error"}`;
}
