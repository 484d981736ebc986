/** The ticket list for browsers without JavaScript. The server fills it in. */
export function TicketsWithoutScript() {
  return (
    <noscript>
      <h2 className="display text-title">Tickets and Parking</h2>
      <ul data-offers="" className="display mt-5 space-y-3 text-heading" />
      <p className="mt-5 max-w-prose">
        Buying tickets requires JavaScript. Turn it on in your browser and reload this page.
      </p>
    </noscript>
  );
}
