// Loads the file of a route that a link leads to. The page stays while that fails, says so, and opens the other once there is a network.
// Until ask-again.ts has come, which on a page of the back office may be earlier.
globalThis.askAgain ??= () => new Promise((done) => addEventListener("online", () => done(), { once: true }));

globalThis.loadPage = async (address) => {
  for (;;) {
    try {
      return await importAgain(address.slice("/assets/".length));
    } catch {
      // Where the server answers, the file went with an older build: a reload brings the new one.
      if ((await fetch("", { method: "HEAD" }).catch(() => {}))?.ok) {
        location.reload();
        return new Promise(() => {});
      }
      await askAgain();
    }
  }
};
