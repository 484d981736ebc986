/** Focuses the first invalid field once React has rendered the errors. */
export function focusFirstInvalid(form: Element | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
