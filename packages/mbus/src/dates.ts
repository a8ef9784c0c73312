/**
 * A point in time as a meter tells it, without a time zone. Fields that are not part of it, as the hour of a date, are
 * absent. A meter may send fields out of range, as month 0.
 */
export interface TimePoint {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
  readonly isSummerTime?: boolean;
  /** The meter says that its clock is not right, or the date is "never" (all bits set). */
  readonly isInvalid: boolean;
}

/** Returns a date of type G (2 bytes), a date with time of type F (4) or I (6), or a time of type J (3). */
export function timePointOf(bytes: Uint8Array): TimePoint | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = bytes;
  switch (bytes.length) {
    case 2:
      return { ...dateOf(a, b), isInvalid: a === 0xff && b === 0xff };
    case 3:
      return {
        hour: c & 0x1f,
        minute: b & 0x3f,
        second: a & 0x3f,
        isInvalid: a === 0xff && b === 0xff && c === 0xff,
      };
    case 4:
      return {
        ...dateOf(c, d, (b >> 5) & 0x03),
        hour: b & 0x1f,
        minute: a & 0x3f,
        isSummerTime: (b & 0x80) !== 0,
        isInvalid: (a & 0x80) !== 0,
      };
    case 6:
      return {
        ...dateOf(d, e),
        hour: c & 0x1f,
        minute: b & 0x3f,
        second: a & 0x3f,
        isSummerTime: (a & 0x40) !== 0,
        isInvalid: (b & 0x80) !== 0,
      };
    default:
      return undefined;
  }
}

/**
 * Day, month and year from two bytes. Two digits of a year up to 80 are of this century, as EN 13757-3 asks.
 * @param hundreds centuries after 1900; 0 also stands for meters that do not know the field
 */
function dateOf(low: number, high: number, hundreds = 0): { day: number; month: number; year: number } {
  const digits = (low >> 5) | ((high & 0xf0) >> 1);
  const year = hundreds === 0 && digits <= 80 ? 2000 + digits : 1900 + 100 * hundreds + digits;
  return { day: low & 0x1f, month: high & 0x0f, year };
}

/** Returns a point in time as `2012-07-10T15:25`, `2012-07-10` or `15:25:30`. */
export function timePointText({ year, month, day, hour, minute, second }: TimePoint): string {
  const two = (part: number | undefined): string => String(part ?? 0).padStart(2, "0");
  const date = year === undefined ? "" : `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  const time =
    hour === undefined ? "" : [hour, minute, ...(second === undefined ? [] : [second])].map(two).join(":");
  return date !== "" && time !== "" ? `${date}T${time}` : `${date}${time}`;
}
