/*
 * The journal is one file of regions, each filled with frames from its start; never resized. Frames begin and
 * end at pages, so that no page that holds acknowledged data is written again within a lap.
 */

/** The unit (bytes) of direct writes and of frames. */
export const pageBytes = 4096;
export const regionBytes = 1_048_576;
export const regionCount = 4;
export const journalBytes = regionBytes * regionCount;

export function padded(bytes: number): number {
  return Math.ceil(bytes / pageBytes) * pageBytes;
}
