// Telegrams of our own, made from the examples and tables of the public M-Bus documentation, each with what it says.
// A line is function, storage, tariff/device (- without DIFEs), unit, quantity, value as the normalised XML has them.

export interface ExampleFrame {
  readonly title: string;
  /** The whole frame. */
  readonly hex: string;
  readonly lines: readonly string[];
}

/** A frame with CI 72h: the header of a meter, then records. */
function variable(title: string, records: string, ...lines: readonly string[]): ExampleFrame {
  const header = "08 02 72 78 56 34 12 24 40 01 07 55 00 00 00";
  return { title, hex: framed(`${header} ${records}`), lines };
}

function framed(body: string): string {
  const bytes = body.split(" ").map((digits) => Number.parseInt(digits, 16));
  const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
  const sum = bytes.reduce((total, byte) => (total + byte) & 0xff, 0);
  return `68 ${hex(bytes.length)} ${hex(bytes.length)} 68 ${body} ${hex(sum)} 16`;
}

export const exampleFrames: readonly ExampleFrame[] = [
  {
    title: "the example of variable data in the M-Bus documentation",
    hex: "68 1F 1F 68 08 02 72 78 56 34 12 24 40 01 07 55 00 00 00 03 13 15 31 00 DA 02 3B 13 01 8B 60 04 37 18 02 18 16",
    lines: [
      "Instantaneous value|0|-|m^3|Volume|12.565000",
      "Maximum value|5|0/0|m^3/h|Volume flow|0.113000",
      "Instantaneous value|0|2/1|Wh|Energy|218370.000000",
    ],
  },
  {
    title: "the example of fixed data in the M-Bus documentation",
    hex: "68 13 13 68 08 05 73 78 56 34 12 0A 00 E9 7E 01 00 00 00 35 01 00 00 3C 16",
    lines: ["Actual value|l|1", "Stored value|l|135"],
  },
  {
    title: "fixed data with binary counters",
    hex: framed("08 05 73 78 56 34 12 0A 01 05 2C 00 01 00 00 FF FF FF FF"),
    lines: ["Actual value|kWh|256", "Actual value|m^3|-1"],
  },
  variable(
    "integers of 1, 2, 3, 4, 6 and 8 bytes, negative ones",
    "01 03 FF 02 03 FE FF 03 03 FD FF FF 04 03 FC FF FF FF 06 03 FB FF FF FF FF FF 07 03 FA FF FF FF FF FF FF FF",
    ...[-1, -2, -3, -4, -5, -6].map((value) => `Instantaneous value|0|-|Wh|Energy|${value}.000000`),
  ),
  variable(
    "BCD of 2, 4, 6, 8 and 12 digits, a negative one",
    "09 13 12 0A 13 34 12 0B 13 56 34 12 0C 13 78 56 34 12 0E 13 12 90 78 56 34 12 0B 13 34 12 F0",
    "Instantaneous value|0|-|m^3|Volume|0.012000",
    "Instantaneous value|0|-|m^3|Volume|1.234000",
    "Instantaneous value|0|-|m^3|Volume|123.456000",
    "Instantaneous value|0|-|m^3|Volume|12345.678000",
    "Instantaneous value|0|-|m^3|Volume|123456789.012000",
    "Instantaneous value|0|-|m^3|Volume|-1.234000",
  ),
  variable(
    "real numbers",
    "05 5B 00 00 B8 42 05 2B 00 00 C0 FF 05 2B 00 00 80 7F",
    "Instantaneous value|0|-|°C|Flow temperature|92.000000",
    "Instantaneous value|0|-|W|Power|nan",
    "Instantaneous value|0|-|W|Power|inf",
  ),
  variable(
    "no data, and data to be read out",
    "00 13 08 13",
    "Instantaneous value|0|-|m^3|Volume|",
    "Instantaneous value|0|-|m^3|Volume|",
  ),
  variable(
    "points in time of types G, F and I",
    "02 6C DF 1C 04 6D 1E 08 61 19 06 6D 1E 2D 0B 98 11 02 04 6D 9E 08 61 19",
    "Instantaneous value|0|-|-|Time point (date)|2014-12-31",
    "Instantaneous value|0|-|-|Time point (date & time)|2011-09-01T08:30:00Z",
    "Instantaneous value|0|-|-|Time point (date & time)|2012-01-24T11:45:30Z",
    "Instantaneous value|0|-|-|Time point (date & time)|1900-01-00T00:00:00Z",
  ),
  variable(
    "the four functions, and storage, tariff and device over several DIFEs",
    "41 13 01 11 13 02 21 13 03 31 13 04 81 81 41 13 05 C1 BF BF 40 13 06",
    "Instantaneous value|1|-|m^3|Volume|0.001000",
    "Maximum value|0|-|m^3|Volume|0.002000",
    "Minimum value|0|-|m^3|Volume|0.003000",
    "Value during error state|0|-|m^3|Volume|0.004000",
    "Instantaneous value|34|0/2|m^3|Volume|0.005000",
    "Instantaneous value|511|15/4|m^3|Volume|0.006000",
  ),
  variable(
    "the first extension table",
    "02 FD 48 44 09 04 FD 59 E8 03 00 00 0C FD 11 21 43 65 87 01 FD 3A 2A 02 FD 6C 18 00 01 FD 6E 02",
    "Instantaneous value|0|-|V|Voltage|237.200000",
    "Instantaneous value|0|-|A|Current|1.000000",
    "Instantaneous value|0|-||Customer|87654321.000000",
    "Instantaneous value|0|-||dimensionless / no VIF|42.000000",
    "Instantaneous value|0|-|s|Operating time battery|86400.000000",
    "Instantaneous value|0|-|s|Operating time battery|5259487.660000",
  ),
  variable(
    "the second extension table",
    "01 FB 01 07 01 FB 09 07 01 FB 11 07 01 FB 28 07 01 FB 5B 07",
    "Instantaneous value|0|-|Wh|Energy|7000000.000000",
    "Instantaneous value|0|-|J|Energy|7000000000.000000",
    "Instantaneous value|0|-|m^3|Volume|7000.000000",
    "Instantaneous value|0|-|W|Power|700000.000000",
    "Instantaneous value|0|-|°F|Flow temperature|7.000000",
  ),
  variable(
    "codes that later editions added are reserved here",
    "02 FD 74 0A 00 01 FB 02 07",
    "Instantaneous value|0|-|Reserved|Reserved|10.000000",
    "Instantaneous value|0|-|Reserved|Reserved|7.000000",
  ),
  variable(
    "texts, as data and as VIF, with a correction behind the text",
    "0D FD 0B 06 35 33 32 44 56 52 02 FC 03 48 52 25 74 D4 11 0D 7C 02 42 41 00",
    "Instantaneous value|0|-||Parameter set identification|RVD235",
    "Instantaneous value|0|-|-|%RH|45.640000",
    "Instantaneous value|0|-|-|AB|",
  ),
  variable(
    "numbers of variable length",
    "0D 13 C2 34 12 0D 13 D1 42 0D 13 E2 00 01",
    "Instantaneous value|0|-|m^3|Volume|1.234000",
    "Instantaneous value|0|-|m^3|Volume|-0.042000",
    "Instantaneous value|0|-|m^3|Volume|0.256000",
  ),
  variable(
    "fillers around a record, then data of the manufacturer",
    "2F 2F 01 13 01 2F 0F 01 AB",
    "Instantaneous value|0|-|m^3|Volume|0.001000",
    "Manufacturer specific|0|-|||01 AB",
  ),
  variable(
    "more records that follow, and a quantity of the manufacturer",
    "01 FF 93 00 05 1F",
    "Instantaneous value|0|-||Manufacturer specific|5.000000",
    "More records follow|0|-|||",
  ),
];
