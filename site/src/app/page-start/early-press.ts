// A press of a button whose script has not arrived is kept, and pressed again once React has taken the button over: on a
// phone on slow 4G that is a second or more after the page is painted. What the browser does by itself, opening the mobile
// menu, is left alone.

/** Runs in the head of every page. React marks an element with properties of its own when it takes it over. */
export const KEEP_PRESSES =
  `addEventListener("click",event=>{const button=event.target.closest("button:not([popovertarget])");` +
  `const alive=()=>Object.keys(button).some(key=>key.startsWith("__reactP"));if(!button||alive())return;event.preventDefault();` +
  `const press=()=>alive()?button.click():button.isConnected&&setTimeout(press,50);press()},true);`;
