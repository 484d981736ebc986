/** The classes of a dialog's sheet and of what covers the page behind it. */
export const sheetLook =
  "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-8*var(--spacing))] w-[calc(100vw-8*var(--spacing))] max-w-xl -translate-x-1/2 -translate-y-1/2 overflow-y-auto border-4 border-ink bg-paper p-6 text-ink wrap-break-word shadow-[10px_10px_0_0_var(--color-candy)] outline-none sm:p-8";
export const veilLook = "fixed inset-0 z-50 bg-ink/70 animate-fade-in";
