import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

/** A name that is saved as soon as the field is left. What is typed stays while the home changes around it. */
export function NameField(props: {
  readonly label: string;
  readonly name: string;
  readonly isBlocked: boolean;
  /** Saves a name that differs and is not empty, without spaces around it; the name stands in the field until it settles. */
  readonly save: (name: string) => Promise<unknown>;
}): JSX.Element {
  const { label, name, isBlocked, save } = props;
  const typed = useSignal<string | null>(null);
  const leave = async (text: string): Promise<void> => {
    const to = text.trim();
    if (to !== "" && to !== name) await save(to);
    if (typed.peek() === text) typed.value = null;
  };
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        autoComplete="off"
        maxLength={64}
        value={typed.value ?? name}
        readOnly={isBlocked}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onChange={(event) => void leave(event.currentTarget.value)}
      />
    </label>
  );
}
