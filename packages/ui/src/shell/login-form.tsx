import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX, TargetedSubmitEvent } from "preact";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/problem.tsx";
import { t } from "../texts/texts.ts";

/** Returns the text of a field, without blanks around it. */
export type FieldText = (name: string) => string;

/** A form that says in words what is wrong. @param act resolves with a problem, or nothing */
export function LoginForm(props: {
  readonly action: string;
  readonly act: (field: FieldText) => Promise<string>;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { action, act, children } = props;
  const problem = useSignal("");
  const isAsking = useSignal(false);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    isAsking.value = true;
    problem.value = await act((name) => {
      const typed = form.get(name);
      return typeof typed === "string" ? typed.trim() : "";
    });
    isAsking.value = false;
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      {children}
      <Problem>{problem.value}</Problem>
      <Button isMain isBlocked={isAsking.value}>
        {action}
      </Button>
    </form>
  );
}

/** A field of a line. */
export function LineField(props: {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly kind?: "text" | "email";
}): JSX.Element {
  const { name, label, value, kind = "text" } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        inputMode={kind}
        name={name}
        autoComplete={kind === "email" ? "email" : "off"}
        spellcheck={false}
        defaultValue={value}
        maxLength={kind === "email" ? 254 : 64}
      />
    </label>
  );
}

/** Whether the browser keeps the key. */
export function KeepBox(): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" name="keep" defaultChecked />
      <span>{t("login.keep")}</span>
    </label>
  );
}
