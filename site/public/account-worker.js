// The service worker of /dashboard, registered where codes are kept. Without a network it leads to /my-tickets, which opens without
// one; it keeps nothing itself. Apart from that page's worker, because each version of that one drops what the one before has kept.
const PATIENCE_MS = 4000;

addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(accountOrTickets(event.request));
});

async function accountOrTickets(request) {
  const late = new Promise((_, fail) => setTimeout(fail, PATIENCE_MS));
  return Promise.race([fetch(request), late]).catch(() => Response.redirect("/my-tickets"));
}
