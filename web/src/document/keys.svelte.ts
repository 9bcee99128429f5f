/** Whether single-letter keys are enabled (speech input needs them off), and whether confirming and linking go to the
 * next annotation. */

const KEPT = "linnet-single-keys";
const ONWARD = "linnet-move-on";

class Keys {
  on = $state(localStorage.getItem(KEPT) !== "off");

  onward = $state(localStorage.getItem(ONWARD) === "on");

  moveOn(onward: boolean): void {
    this.onward = onward;
    if (onward) localStorage.setItem(ONWARD, "on");
    else localStorage.removeItem(ONWARD);
  }

  set(on: boolean): void {
    this.on = on;
    if (on) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, "off");
  }
}

export const keys = new Keys();
