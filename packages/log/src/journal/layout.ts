/*
 * The journal is one file of regions that is never resized. Frames fill each region from its start. They begin
 * and end at page boundaries, so that no page with acknowledged data is written again within a lap.
 */

/** The unit (bytes) of direct writes and of frames. */
export const pageBytes = 4096;
export const regionBytes = 1_048_576;
export const regionCount = 4;
export const journalBytes = regionBytes * regionCount;

export function padded(bytes: number): number {
  return Math.ceil(bytes / pageBytes) * pageBytes;
}
