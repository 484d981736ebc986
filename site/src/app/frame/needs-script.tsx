/** Shown when scripts are off, on pages that depend on the signed-in user. */
export function NeedsScript({ title }: { title?: string }) {
  return (
    <noscript>
      {title && <h1 className="display mb-5 text-title">{title}</h1>}
      <p className="mb-8 max-w-prose border-l-8 border-brisket pl-4 text-lead">
        This page needs JavaScript to sign you in. Turn it on in your browser and reload the page.
      </p>
    </noscript>
  );
}
