// Finds and replaces metadata text that instructs the model instead of describing the tool.
import { withoutInvisible } from './invisible.ts'
import { normalForm } from './normal-form.ts'
import { isOrder, mayHoldOrder } from './orders.ts'
import { holdsStructure, withoutStructures } from './prompt-structures.ts'

const REMOVED = '[removed]'

// A sentence ends at punctuation, an empty line, or the start of a list item, heading or label.
const SENTENCE =
  /[^]*?(?:[.!?]["')\]]{0,2}(?=\s|$)|\n(?=[ \t]*(?:\n|[-*•#>[]|\d{1,3}[.)]|[A-Z][A-Za-z_ ]{0,30}:|[A-Z]{2,}))|$)/g

export function removeInstructions(text: string): string {
  if (text === '') return text
  const found = withoutInstructions(text)
  if (found !== text) return found
  // Models read full-width and look-alike letters like ASCII; the folded text is used only if it hides an instruction.
  const folded = normalForm(text, 'NFKC')
  if (folded === text) return text
  const foundFolded = withoutInstructions(folded)
  return foundFolded === folded ? text : foundFolded
}

/** Whether anything would be removed, even with invisible characters between letters. */
export function holdsInstructions(text: string): boolean {
  if (speaksToModel(text)) return true
  const folded = normalForm(withoutInvisible(text), 'NFKC')
  return folded !== text && speaksToModel(folded)
}

function speaksToModel(text: string): boolean {
  return holdsStructure(text) || (mayHoldOrder(text) && text.match(SENTENCE)?.some(isOrder) === true)
}

function withoutInstructions(text: string): string {
  const cleaned = withoutOrders(withoutStructures(text, REMOVED))
  return cleaned.includes(REMOVED) ? cleaned.replace(/\[removed\](?:[\s.]{0,4}\[removed\])+/g, REMOVED) : cleaned
}

function withoutOrders(text: string): string {
  if (!mayHoldOrder(text)) return text
  return text.replace(SENTENCE, (sentence) => {
    if (!isOrder(sentence)) return sentence
    const [before, after] = [sentence.length - sentence.trimStart().length, sentence.trimEnd().length]
    return `${sentence.slice(0, before)}${REMOVED}${sentence.slice(after)}`
  })
}
