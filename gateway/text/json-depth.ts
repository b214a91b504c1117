// The nesting depth of JSON, measured on the raw text before recursive parsing.

const QUOTE = 34
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** The index of the quote that ends the string opened at `from`, or the end of the text. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at
  }
  return text.length
}

/** Whether JSON text nests deeper than `maxDepth`, ignoring brackets in strings. */
export function nestsDeeper(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) depth -= 1
  }
  return false
}
