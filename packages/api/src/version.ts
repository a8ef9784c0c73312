/** `1.14` of `1.14.15.1`: what stands in versioned paths (hub-api 9). */
export function apiVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Whether `version` is `since` or later, component by component. */
export function hasVersion(version: string, since: string): boolean {
  const have = version.split(".").map(Number);
  for (const [index, wanted] of since.split(".").map(Number).entries()) {
    const component = have[index] ?? 0;
    if (component !== wanted) return component > wanted;
  }
  return true;
}

/** Whether a path has a well-formed version prefix that is not the one served. */
export function isOtherVersion(path: string, served: string): boolean {
  const prefix = /^\/cc\/(\d{1,6}\.\d{1,6})(?:\/|$)/.exec(path)?.[1];
  return prefix !== undefined && prefix !== served;
}
