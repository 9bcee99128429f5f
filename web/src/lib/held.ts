/** Enter, held down, presses a button again and again: of a held key, only the first press counts. */
export function stopHeld(event: KeyboardEvent): void {
  if (!event.repeat || event.key !== "Enter" || event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  event.stopPropagation();
}
