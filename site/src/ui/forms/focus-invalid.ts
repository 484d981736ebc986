/** Once React has shown what is wrong, the first field that needs a correction has the focus. */
export function focusFirstInvalid(form: Element | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
