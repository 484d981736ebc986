// Keeps a press of a button whose script has not arrived, and repeats it once React has taken over the button. On a phone
// on slow 4G that is a second or more after the page is painted. What the browser does on its own, such as opening the
// mobile menu, is left alone.

/** Runs in the head of every page. React adds its own properties to an element when it takes it over. */
export const KEEP_PRESSES =
  `addEventListener("click",event=>{const button=event.target.closest("button:not([popovertarget])");` +
  `const alive=()=>Object.keys(button).some(key=>key.startsWith("__reactP"));if(!button||alive())return;event.preventDefault();` +
  `const press=()=>alive()?button.click():button.isConnected&&setTimeout(press,50);press()},true);`;
