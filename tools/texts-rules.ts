// What of a source is a text for people, and what only looks like one.

/** Props and fields that are always texts. */
export const TEXT_NAMES = new Set(
  'label title placeholder aria-label description hint about confirm heading empty none note done submit text reason why error alt removed storedHint tooltip off header noun verb word'.split(
    ' ',
  ),
)

/** Props, fields and variables that are never texts. */
export const NOT_TEXT_NAMES =
  /^(className|class|key|to|type|id|href|src|d|fill|stroke|transform|style|look|tone|mark|width|height|role|path|caps|keys?|code|group|section|target|selector|target_?|fromPin|toPin|from_pin|to_pin|pin|types|left|top|background|outlined?|actionButton|icon|goTo|access|category|default|AllowedTypes|multiSelectionKeyCode|queryKey|autoComplete|accept|ue|blender|rel|cursor|color|colour|font|strong|plain|quiet|danger|quiet-danger|toast|neutral|bad|warn|ok|outline)$|^aria-(labelledby|describedby|controls)$|class|Class|CLASS|_KEY$/

/** Tables of colours, icons, classes and queries. */
export const NOT_TEXT_TABLES = /classNames|TONE|ICON|CLASS|LOOK|COLOU?R|SELECTOR|STYLE|Tones?$|Class$/

/** Calls whose arguments are never texts. */
export const NOT_TEXT_CALLS =
  /^(cx|has|includes|closest|matches|matchMedia|startsWith|endsWith|replace|replaceAll|split|join|indexOf|Set|Map|RegExp|getModifierState|querySelector|querySelectorAll|getElementById|addEventListener|removeEventListener|createElement|getItem|setItem|removeItem|anyPin|end|borderPins|withPins|formatToParts|test|literal|enum|DateTimeFormat|NumberFormat)$/

const CSS = /^-?[a-z0-9@[\]&*>#():./%!,_+=~'"-]+$/
const KEYS = /^(Enter|Escape|Tab|Space|Home|End|Delete|Backspace|Shift|Control|Meta|Alt|Arrow\w+|Page(Up|Down))$/

function isCss(text: string): boolean {
  const words = text.trim().split(/\s+/)
  if (!words.every((each) => CSS.test(each))) return false
  return (
    words.some((each) => /^[a-z0-9@[&*>:-]+[-:[][^\s]*[a-z0-9\])!]/.test(each) && !/^[a-z]+-[a-z]+$/.test(each)) ||
    words.some((each) => /^(flex|grid|truncate|card|block|hidden|relative|absolute|contents|eyebrow)$/.test(each))
  )
}

/** A capital and small letters, or several words; of markup, between its tags. */
export function isProse(text: string): boolean {
  if (/^\s*</.test(text)) return isProse(text.replace(/<[^>]*>|\{\}/g, ' ').trim())
  if (KEYS.test(text) || isCss(text) || /^https?:|^[A-Z][a-z]+[A-Z_]\w*$/.test(text)) return false
  if (/(^|\s)\{\}[,.:]? \p{L}{3,}|\p{L}{3,}:? \{\}/u.test(text)) return true
  return /^[A-Z][a-z]/.test(text) || /\p{L}{2,}[,.:;…]? +[^=<>]*\p{L}{2,}/u.test(text)
}
