// Cancels a drag with Escape, wherever the focus is.

/** Calls back once on Escape and consumes it. Returns a function that stops listening. */
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
