import { decades, periods, plain, type Table } from "./quantity.ts";

const clock = ["s", "min", "h", "d"] as const;

/** Primary VIFs, EN 13757-3, without the extension bit. */
export const primary: Table = new Map([
  ...decades(0x00, 8, -3, "Wh", "Energy"),
  ...decades(0x08, 8, 0, "J", "Energy"),
  ...decades(0x10, 8, -6, "m^3", "Volume"),
  ...decades(0x18, 8, -3, "kg", "Mass"),
  ...periods(0x20, clock, "On time"),
  ...periods(0x24, clock, "Operating time"),
  ...decades(0x28, 8, -3, "W", "Power"),
  ...decades(0x30, 8, 0, "J/h", "Power"),
  ...decades(0x38, 8, -6, "m^3/h", "Volume flow"),
  ...decades(0x40, 8, -7, "m^3/min", "Volume flow"),
  ...decades(0x48, 8, -9, "m^3/s", "Volume flow"),
  ...decades(0x50, 8, -3, "kg/h", "Mass flow"),
  ...decades(0x58, 4, -3, "°C", "Flow temperature"),
  ...decades(0x5c, 4, -3, "°C", "Return temperature"),
  ...decades(0x60, 4, -3, "K", "Temperature difference"),
  ...decades(0x64, 4, -3, "°C", "External temperature"),
  ...decades(0x68, 4, -3, "bar", "Pressure"),
  plain(0x6c, "Time point (date)", "-", { type: "date" }),
  plain(0x6d, "Time point (date & time)", "-", { type: "dateTime" }),
  plain(0x6e, "H.C.A.", "Units for H.C.A."),
  plain(0x6f, "Reserved", "Reserved"),
  ...periods(0x70, clock, "Averaging Duration"),
  ...periods(0x74, clock, "Actuality Duration"),
  plain(0x78, "Fabrication No", "", { type: "unsigned" }),
  plain(0x79, "(Enhanced) Identification", "", { type: "unsigned" }),
  plain(0x7a, "Bus Address", "", { type: "unsigned" }),
  plain(0x7e, "Any VIF"),
  plain(0x7f, "Manufacturer specific"),
]);
