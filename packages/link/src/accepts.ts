/** Whether `Accept-Encoding` names a coding, and not with weight 0 (RFC 9110 12.5.3). */
export function accepts(header: string | undefined, coding: "br" | "gzip"): boolean {
  const found = (header ?? "").split(",").map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return found.some(([name, weight]) => name === coding && !/^q=0(?:\.0*)?$/.test(weight ?? ""));
}
