import type { Certainty } from "../match.ts";

/** What a known stick reports, without serial numbers. */
interface Example {
  readonly id: string;
  readonly usb: string;
  readonly byId: string;
  readonly manufacturer: string;
  readonly certainty?: Certainty;
}

const dresden = "dresden elektronik ingenieurtechnik GmbH";
const texas = "Texas Instruments";

export const examples: readonly Example[] = [
  of("conbee-2", "1cf1:0030", dresden, "dresden_elektronik_ingenieurtechnik_GmbH_ConBee_II_DE2132111-if00"),
  { ...of("conbee-2", "1cf1:0030", "dresden", "0001-if00"), certainty: "likely" },
  of("conbee-3", "0403:6015", dresden, "dresden_elektronik_ConBee_III_DE03188111-if00-port0"),
  of("skyconnect", "10c4:ea60", "Nabu Casa", "Nabu_Casa_SkyConnect_v1.0_3abe54797c91ed118fc3-if00-port0"),
  of("zbt-1", "10c4:ea60", "Nabu Casa", "Nabu_Casa_Home_Assistant_Connect_ZBT-1_3abe5479-if00-port0"),
  of("zbt-2", "303a:4001", "Nabu Casa", "Nabu_Casa_ZBT-2_10B41DE58D6C-if00"),
  of("zbt-2", "303a:831a", "Nabu Casa", "Nabu_Casa_ZBT-2_10B41DE58D6C-if00"),
  of("zbdongle-e", "1a86:55d4", "ITEAD", "ITEAD_SONOFF_Zigbee_3.0_USB_Dongle_Plus_V2_20240122184111-if00"),
  of("zbdongle-e", "1a86:55d4", "ITead", "ITead_Sonoff_Zigbee_3.0_USB_Dongle_Plus_186ff44314e2-if00-port0"),
  of(
    "zbdongle-e-cp",
    "10c4:ea60",
    "Itead",
    "Itead_Sonoff_Zigbee_3.0_USB_Dongle_Plus_V2_a6ee897e4d1f-if00-port0",
  ),
  of("zbdongle-p", "10c4:ea60", "ITead", "ITead_Sonoff_Zigbee_3.0_USB_Dongle_Plus_b8b49abd27a6-if00-port0"),
  {
    ...of(
      "zbdongle-p",
      "10c4:ea60",
      "Silicon Labs",
      "Silicon_Labs_Sonoff_Zigbee_3.0_USB_Dongle_Plus_0111-if00-port0",
    ),
    certainty: "likely",
  },
  of("dongle-max", "10c4:ea60", "SONOFF", "SONOFF_SONOFF_Dongle_Max_MG24_08965d6b0674-if00-port0"),
  of("dongle-plus-mg24", "10c4:ea60", "SONOFF", "SONOFF_SONOFF_Dongle_Plus_MG24_b023a583a66b-if00-port0"),
  of("dongle-lite-mg21", "10c4:ea60", "SONOFF", "SONOFF_SONOFF_Dongle_Lite_MG21_c82fc0a1a36b-if00-port0"),
  of(
    "dongle-plus-cc2674p10",
    "10c4:ea60",
    "SONOFF",
    "SONOFF_SONOFF_Dongle_Plus_CC2674P10_141ff85f6b12-if00-port0",
  ),
  of("slzb-06m", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-06M_be9faa0786e1-if00-port0"),
  of("slzb-07", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-07_be9faa0786e1-if00-port0"),
  of("slzb-07mg24", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-07mg24_be9faa0786e1-if00-port0"),
  of("slzb-07p7", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-07p7_be9faa0786e1-if00-port0"),
  of("slzb-06p7", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-06p7_82e43faf9872-if00-port0"),
  of("slzb-06p10", "10c4:ea60", "SMLIGHT", "SMLIGHT_SMLIGHT_SLZB-06p10_40df2f3e3977-if00-port0"),
  of("zzh", "0403:6015", "Electrolama", "Electrolama_zzh_0001-if00-port0"),
  of(
    "slaesh-cc2652rb",
    "10c4:ea60",
    "Silicon Labs",
    "Silicon_Labs_slae.sh_cc2652rb_stick_00_12_4B-if00-port0",
  ),
  of("cc2538", "0451:16c8", texas, "Texas_Instruments_CC2538_USB_CDC-if00"),
  of("cc2531", "0451:16a8", texas, "Texas_Instruments_TI_CC2531_USB_CDC___0X00124B0018ED1111-if00"),
  {
    ...of("ti-launchpad", "0451:bef3", texas, "Texas_Instruments_XDS110__03.00_L1100H86-if00"),
    certainty: "likely",
  },
  {
    ...of("tubeszb", "10c4:ea60", "Silicon Labs", "Silicon_Labs_TubesZB_0111-if00-port0"),
    certainty: "likely",
  },
  { ...of("tubeszb", "1a86:7523", "1a86", "1a86_TubesZB-if00-port0"), certainty: "likely" },
  { ...of("zigstar", "1a86:7523", "1a86", "1a86_ZigStar_Stick-if00-port0"), certainty: "likely" },
  of("zigate-blue", "067b:2303", "zigate_PL2303", "zigate_PL2303_ZiGate-if00-port0"),
  of("zigate-red", "10c4:ea60", "zigate_cp2102", "zigate_cp2102_ZiGate_0001-if00-port0"),
  { ...of("zigate-2", "0403:6015", "FTDI", "FTDI_ZiGate_ZIGATE+-if00-port0"), certainty: "likely" },
  of("nordic-ncp", "2fe3:0100", "ZEPHYR", "ZEPHYR_Zigbee_NCP_54ACCFAFA6DAD111-if00"),
  of("zwa-2", "303a:4001", "Nabu Casa", "Nabu_Casa_ZWA-2_D83BDA75A1B2-if00"),
  { ...of("zwave-500", "0658:0200", "0658", "0658_0200-if00"), certainty: "likely" },
  {
    ...of(
      "husbzb-1",
      "10c4:8a2a",
      "Silicon Labs",
      "Silicon_Labs_HubZ_Smart_Home_Controller_C13008B6-if00-port0",
    ),
    certainty: "likely",
  },
  {
    ...of(
      "zwave-700",
      "10c4:ea60",
      "Silicon Labs",
      "Silicon_Labs_CP2102N_USB_to_UART_Bridge_Controller_a2-if00-port0",
    ),
    certainty: "unsure",
  },
];

function of(id: string, usb: string, manufacturer: string, named: string): Example {
  return { id, usb, manufacturer, byId: `usb-${named}` };
}
