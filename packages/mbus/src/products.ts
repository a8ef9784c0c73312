/** Names of products as their makers sell them, by manufacturer and version of the header (hexadecimal). */
const products: Readonly<Record<string, string>> = {
  "ABB 02": "ABB Delta-Meter",
  "ABB 20": "ABB B21 113-100",
  "ACW 09": "Itron CF Echo 2",
  "ACW 0A": "Itron CF 51",
  "ACW 0B": "Itron CF 55",
  "ACW 0E": "Itron BM +m",
  "ACW 0F": "Itron CF 800",
  "ACW 14": "Itron CYBLE M-Bus 1.4",
  "EFE 00": "Engelmann SensoStar 2",
  "EFE 01": "Engelmann SensoStar 2C",
  "ELS 02": "Elster TMP-A",
  "ELS 0A": "Elster Falcon",
  "ELS 2F": "Elster F96 Plus",
  "EMH 00": "EMH DIZ",
  "EMU 10": "EMU Professional 3/75 M-Bus",
  "GMC E6": "GMC-I A230 EMMOD 206",
  "HYD 28": "ABB F95 Typ US770",
  "KAM 01": "Kamstrup 382 (6850-005)",
  "KAM 08": "Kamstrup Multical 601",
  "LSE 99": "Siemens WFH21",
  "LUG 02": "Landis & Gyr Ultraheat 2WR5",
  "LUG 03": "Landis & Gyr Ultraheat 2WR6",
  "LUG 04": "Landis & Gyr Ultraheat UH50",
  "LUG 07": "Landis & Gyr Ultraheat T230",
  "NZR 01": "NZR DHZ 5/63",
  "RAM 03": "Rossweiner ETK/ETW Modularis",
  "REL 08": "Relay PadPuls M1",
  "REL 12": "Relay PadPuls M4",
  "REL 20": "Relay Padin 4",
  "REL 40": "Relay PadPuls M2",
  "RKE 69": "Ista sensonic II mbus",
  "SEN 08": "Sensus PolluCom E",
  "SEN 0B": "Sensus PolluTherm",
  "SEN 0E": "Sensus PolluStat E",
  "SEN 19": "Sensus PolluCom E",
  "SLB 02": "Allmess Megacontrol CF-50",
  "SLB 06": "CF Compact / Integral MK MaXX",
  "SON 0D": "Sontex Supercal 531",
  "SPX 31": "Sensus PolluTherm",
  "SPX 34": "Sensus PolluTherm",
  "SVM 08": "Elster F2 / Deltamess F2",
  "SVM 09": "Elster F4 / Kamstrup SVM F22",
  "TCH 26": "Techem m-bus S",
  "TCH 40": "Techem ultra S3",
  "ZRM 81": "Minol Minocal C2",
  "ZRM 82": "Minol Minocal WR3",
};

/** Returns the name of a product; empty if unknown. */
export function productName(manufacturer: string, version: number, medium: number): string {
  if (manufacturer === "EFE" && version === 0 && medium === 0x06) return "Engelmann WaterStar";
  if (manufacturer === "AMT") {
    if (version >= 0xc0) return "Aquametro CALEC ST";
    if (version >= 0x80) return "Aquametro CALEC MB";
    return version >= 0x40 ? "Aquametro SAPHIR" : "Aquametro AMTRON";
  }
  if (manufacturer === "ELV" && version >= 0x14 && version <= 0x1d) return "Elvaco CMa10";
  if (manufacturer === "ELV" && version >= 0x32 && version <= 0x3b) return "Elvaco CMa11";
  return products[`${manufacturer} ${version.toString(16).toUpperCase().padStart(2, "0")}`] ?? "";
}
