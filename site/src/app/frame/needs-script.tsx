interface NeedsScriptProps {
  title?: string;
  /** What the page does with it. */
  purpose?: string;
}

/** Shown when scripts are off, on pages that are about one person. */
export function NeedsScript({ title, purpose = "sign you in" }: NeedsScriptProps) {
  return (
    <noscript>
      {title && <h1 className="display mb-5 text-title">{title}</h1>}
      <p className="mb-8 max-w-prose border-l-8 border-brisket pl-4 text-lead">
        This page needs JavaScript to {purpose}. Turn it on in your browser and reload the page.
      </p>
    </noscript>
  );
}
