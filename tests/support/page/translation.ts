// A page that the browser translates. The words stay the same, so tests find what they look for.
import type { Page } from "@playwright/test";

/** Chrome and Google replace a text node; others move it into their own element. */
export type Translator = "replaces" | "moves";

/** Call before the page is opened: every text is in <font><font> once the page can be used, and again whenever it changes. */
export const translate = (page: Page, translator: Translator): Promise<unknown> =>
  page.addInitScript((translator) => {
    const untouched = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TITLE", "TEXTAREA", "OPTION", "FONT"]);
    function wrap(text: Text) {
      const parent = text.parentElement;
      if (!parent || untouched.has(parent.tagName) || !text.data.trim()) return;
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      outer.append(inner);
      if (translator === "replaces") inner.append(text.data);
      text.replaceWith(outer);
      if (translator === "moves") inner.append(text);
    }
    function wrapAll(root: Node) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts = root instanceof Text ? [root] : [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) wrap(text);
    }
    addEventListener("load", () =>
      setTimeout(() => {
        wrapAll(document.body);
        new MutationObserver((records) => {
          for (const { target, addedNodes } of records)
            for (const node of [target, ...addedNodes]) if (node.isConnected) wrapAll(node);
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      }, 0),
    );
  }, translator);

/** React #418: the page was translated before React took it over, so React renders it anew. */
export function forgiveNewStart(pageErrors: string[]): void {
  const others = pageErrors.filter((error) => !error.includes("React error #418"));
  pageErrors.splice(0, pageErrors.length, ...others);
}
