/** A release: three numbers, and what makes it a preview, if anything. */
const pattern = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,32}))?$/;

/** Whether this is a version of a release, such as `0.3.0` or `0.3.0-rc1`. */
export function isVersion(text: string): boolean {
  return pattern.test(text);
}

/** Returns whether a release is newer than another. A preview comes before its release. Other texts are never newer. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [pattern.exec(version), pattern.exec(than)];
  if (one === null || other === null) return false;
  for (const part of [1, 2, 3]) {
    const difference = Number(one[part]) - Number(other[part]);
    if (difference !== 0) return difference > 0;
  }
  const [preview, otherPreview] = [one[4], other[4]];
  if (preview === undefined || otherPreview === undefined)
    return otherPreview !== undefined && preview === undefined;
  return preview.localeCompare(otherPreview, "en", { numeric: true }) > 0;
}
