import type { JSX } from "preact";
import { t } from "../texts/texts.ts";
import { openSheet, type Opened } from "./opened-sheet.ts";

/** Opens the sheet of a device or group, for who holds nothing. */
export function MoreControls({ kind, id, name }: Opened & { readonly name: string }): JSX.Element {
  return (
    <button
      type="button"
      class="button quiet"
      aria-haspopup="dialog"
      aria-label={t("home.more", { name })}
      onClick={({ currentTarget }) => {
        // Not every browser gives a button the focus that is pressed.
        currentTarget.focus();
        openSheet({ kind, id });
      }}
    >
      ⋯
    </button>
  );
}
