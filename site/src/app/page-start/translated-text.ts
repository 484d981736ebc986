// Keeps React working on a page that is being translated. Chrome's and Google's translation put <font> elements in the place of
// text nodes that React still holds: removing such a node, or inserting before it, would throw, and its new words would never be
// shown. Mending the tree's own methods covers every text at once, those of libraries too.

/** What stands in the page for a text of React's, and the reverse. */
const standIns = new WeakMap<Node, Element>();
const originals = new WeakMap<Node, Node>();

const isFont = (node: Node | null): node is Element => node?.nodeName === "FONT";

export function surviveTranslation(): void {
  const observer = new MutationObserver((records) => {
    for (const record of records)
      if (record.type === "characterData") showAgain(record.target);
      else for (const node of record.removedNodes) noteReplacement(node, record);
  });

  function noteReplacement(node: Node, { addedNodes, previousSibling, nextSibling }: MutationRecord): void {
    const text = node.nodeType === Node.TEXT_NODE ? node : originals.get(node);
    if (!text || text.isConnected) return;
    const font = [...addedNodes, previousSibling, nextSibling].find(
      (near) => near && isFont(near) && !originals.has(near),
    );
    if (!font) return;
    standIns.set(text, font as Element);
    originals.set(font, text);
    observer.observe(text, { characterData: true });
  }

  observer.observe(document, { childList: true, subtree: true });
  mendTree();
}

/** New words replace the translation of the old ones, and are then translated. */
function showAgain(text: Node): void {
  if (!text.isConnected) standIns.get(text)?.replaceWith(text);
}

/** The outermost element of a translator that shows the text. Some translators move the text into it. */
function shownBy(text: Node): ChildNode | undefined {
  let outermost: Element | undefined = standIns.get(text);
  for (let { parentNode } = text; isFont(parentNode); { parentNode } = parentNode) outermost = parentNode;
  return outermost;
}

function mendTree(): void {
  const { insertBefore, removeChild } = Node.prototype;

  /** What to act on in the parent instead of a child that a translator has taken out of it. */
  function inPlace(parent: Node, child: Node): Node | null {
    if (child.parentNode === parent || child.nodeType !== Node.TEXT_NODE) return child;
    const shown = shownBy(child);
    return shown?.parentNode === parent ? shown : null;
  }

  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    const present = inPlace(this, child);
    if (present) removeChild.call(this, present);
    return child;
  };
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, next: Node | null): T {
    if (node.nodeType === Node.TEXT_NODE) shownBy(node)?.remove();
    return insertBefore.call(this, node, next && inPlace(this, next)) as T;
  };
  Node.prototype.appendChild = function <T extends Node>(this: Node, node: T): T {
    return this.insertBefore(node, null);
  };
}
