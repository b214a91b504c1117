// Keyboard shortcuts, of one stroke or of two in a row. Pure: strokes and a clock go in, the binding comes out.
export type Stroke = {
  readonly key: string
  readonly mod: boolean
  readonly alt: boolean
  /** In a text field, only strokes with the modifier count. */
  readonly typing: boolean
}

const PAUSE_MS = 1200

/** Bindings read like `?`, `mod+k`, `g o`. */
export function createKeySequence<T>(
  bindings: ReadonlyMap<string, T>,
  monotonic: () => number,
): (stroke: Stroke) => T | undefined {
  let first = ''
  let firstAtMs = 0
  return (stroke) => {
    const name = nameOf(stroke)
    if (!name || (stroke.typing && !stroke.mod)) {
      first = ''
      return undefined
    }
    const second = first !== '' && monotonic() - firstAtMs <= PAUSE_MS ? bindings.get(`${first} ${name}`) : undefined
    if (second !== undefined) {
      first = ''
      return second
    }
    first = name
    firstAtMs = monotonic()
    return bindings.get(name)
  }
}

function nameOf({ key, mod, alt }: Stroke): string | undefined {
  if (alt || key.length !== 1) return undefined
  return mod ? `mod+${key.toLowerCase()}` : key
}

export function strokeOf(event: KeyboardEvent): Stroke {
  return {
    key: event.key,
    mod: event.metaKey || event.ctrlKey,
    alt: event.altKey,
    typing: event.isComposing || (event.target instanceof Element && takesText(event.target)),
  }
}

function takesText(element: Element): boolean {
  return element.closest('input, textarea, select, [contenteditable=""], [contenteditable="true"]') !== null
}
