/** A held Enter key would press a button repeatedly: only the first press counts. */
export function stopKeyRepeat(event: KeyboardEvent): void {
  if (!event.repeat || event.key !== "Enter" || event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  event.stopPropagation();
}
