import type { Text } from "../text.ts";

/** The texts of the panel on a wall, in English. */
export const panel = {
  "panel.title": "Panel on the wall",
  "panel.how":
    "A panel fills the screen with one room or the whole home. It dims after a minute without a touch, and wakes when an alarm is raised. This browser stays a panel, also after it is opened anew, until somebody leaves it.",
  "panel.shows": "What it shows",
  "panel.whole": "The whole home",
  "panel.pin": "PIN to leave it, if you want one",
  "panel.pinHow": "4 to 8 digits. They keep passers-by out of the other screens.",
  "panel.badPin": "A PIN has 4 to 8 digits.",
  "panel.guest":
    "This browser is in with your own key. Let a tablet on a wall in as a panel, under People: then its key opens no more than a guest may.",
  "panel.start": "Show the panel",
  "panel.gone": "This room is gone.",
  "panel.goneHow": "Leave the panel, and choose another room.",
  "panel.empty": "Nothing is in here.",
  "panel.emptyHow": "Devices that are put into this room show up here by themselves.",
  "panel.leave": "Leave the panel",
  "panel.pinField": "PIN",
  "panel.wrongPin": "That is not the PIN.",
  "panel.pause": "Too many wrong ones. Try again in {s} s.",
  "panel.forgotten":
    "Has nobody the PIN? Shut this device out under People, in another browser, and let it in again.",
  "panel.rests": "The panel rests",
  "panel.wake": "Touch to go on",
} as const satisfies Readonly<Record<string, Text>>;
