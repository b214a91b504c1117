// The way out of a drag, wherever the focus is meanwhile.

/** Calls back once for Escape, which then means nothing else. Returns what ends the listening. */
export function onEscape(cancel: () => void): () => void {
  const listener = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    cancel()
  }
  window.addEventListener('keydown', listener, { capture: true })
  return () => window.removeEventListener('keydown', listener, { capture: true })
}
