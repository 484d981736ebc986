// Keeps a press of a button, or of an area of the map, whose script has not arrived, and repeats it once React has taken over the
// button. On a phone on slow 4G that is a second or more after the page is painted. What the browser does on its own, such as
// opening the mobile menu, is left alone.

declare global {
  /** Set by the router. A press while React still takes the page over would be lost, or make it start over. */
  var isHydrated: boolean | undefined;
}

/** Runs in the head of every page. React adds its own properties to an element when it takes it over. */
export const KEEP_PRESSES =
  `addEventListener("click",event=>{const button=event.target.closest("button:not([popovertarget]),g[role]");` +
  `const alive=()=>globalThis.isHydrated&&/__reactP/.test(Object.keys(button));if(!button||alive())return;event.preventDefault();` +
  `const press=()=>alive()?button.dispatchEvent(new MouseEvent("click",event)):button.isConnected&&setTimeout(press,50);press()},true);`;
