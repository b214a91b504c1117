// Finds text in metadata that speaks to the model instead of describing the tool, and replaces it.

const REMOVED = '[removed]'

const TAGS =
  'important|hidden|system|systems?[-_ ]?(?:prompt|message|note)|instructions?|secret|critical|admin|assistant|override|directive|developer[-_ ]?(?:note|message)|internal[-_ ]?note'

/** Structures that only a prompt has: tags with their content, chat-template tokens, directives in brackets, comments with orders. */
const STRUCTURES: readonly RegExp[] = [
  new RegExp(`<\\s{0,4}(${TAGS})\\b[^<>]{0,80}>[^]{0,8192}?<\\s{0,4}/\\s{0,4}\\1\\s{0,4}>`, 'gi'),
  new RegExp(`<\\s{0,4}/?\\s{0,4}(?:${TAGS})\\s{0,4}/?>`, 'gi'),
  /<!--(?=(?:(?!-->)[^]){0,2048}?\b(?:system|assistant|always|never|ignore|must|instruction|secretly|do not)\b)(?:(?!-->)[^]){0,4096}-->/gi,
  /<\|[^|>\n]{1,40}\|>|<\/?\|?(?:im_start|im_end|endoftext)\|?>/gi,
  /\[\/?INST\]|<<\/?SYS>>/g,
  /\[\s{0,3}(?:(?:system|hidden|admin|secret) (?:instruction|note|message|prompt|override|directive)s?|[^\][\n]{0,40}\b(?:directive|override))\s{0,3}\](?!\():?[^.\n]{0,300}/gi,
  /\[admin\][^.\n]{0,300}/gi,
  /(?<=^|\n|\s)#{1,6}\s{0,4}(?:system|instructions?|new instructions?|response|human|assistant)\s{0,4}:[^\n]{0,300}/gi,
]

const OVERRIDES =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|do not (?:follow|obey)|stop following)'
const ORDERS =
  '(?:instructions?|directions|directives|rules|prompts?|guidelines|guardrails|restrictions|safety|content filter(?:s|ing)?|security (?:checks?|polic(?:y|ies))|polic(?:y|ies)|conversation|(?:rest of )?th(?:is|e) (?:data|conversation|document))'
const CONCEAL = '(?:mention|tell|reveal|disclose|inform|notify|explain|admit|be mentioned|be disclosed|show|say)'
const SECRET_FILES =
  '(?:\\.ssh\\b|id_(?:rsa|ed25519|dsa)\\b|/etc/(?:passwd|shadow)\\b|mcp\\.json\\b|\\.aws/credentials|\\.netrc\\b|\\.git-credentials|\\.env file|(?:company|system)://)'

/** Sentences that only an attack says. A sentence is removed whole: half of it is still an order. */
const SENTENCES: readonly RegExp[] = [
  new RegExp(
    `\\b${OVERRIDES}\\b(?: (?:all|any|every|each|and|or|of|the|your|my|its|these|those|this|that|previous|prior|above|preceding|earlier|existing|former|other|original|initial|system|current|safety|security|user|user's)){0,8} ${ORDERS}\\b(?! (?:parameter|field|header|option|flag|setting|argument|object|resource|with id|id\\b))`,
    'i',
  ),
  new RegExp(
    `\\b(?:do not|don't|never|must not|without|should never)\\b.{0,12}\\b${CONCEAL}(?:ing)?\\b.{0,40}\\b(?:users?|humans?|anyone|them|this|that you|to others)\\b`,
    'i',
  ),
  new RegExp(
    `\\b(?:read|open|cat|access|load|include|send|pass|upload|copy|extract|retrieve)\\b.{0,80}${SECRET_FILES}`,
    'i',
  ),
  /\b(?:always|must|silently|secretly|also)\b.{0,60}\b(?:bcc|cc|forward|send|copy|add)\b.{0,140}[\w.+-]@[\w-]{1,64}\.\w/i,
  /\b(?:bcc|forward)\b.{0,120}[\w.+-]@[\w-]{1,64}\.\w/i,
  /\b(?:reveal|print|repeat|paste|output|show|share|leak|dump|tell me|list|put|encode)\b.{0,60}\b(?:(?:system|initial|original|hidden|first) prompt|your (?:system )?(?:prompt|instructions)|chain[- ]of[- ]thought)\b/i,
  /\brepeat the words above\b|\byou are (?:now )?(?:ChatGPT|DAN|an? unrestricted|jailbroken)\b|\bjailbreak mode\b/i,
  /\b(?:before|when|prior to|instead of)\b.{0,20}\b(?:us|call|execut|invok|runn?)(?:e|ing)\b.{0,80}\b(?:always (?:add|call|run|read|send|log)|copy all|redirect all)\b/i,
  /\b(?:before|prior to)\b.{0,20}\b(?:us|call|execut|invok)(?:e|ing)\b.{0,60}\b(?:read|access|load) (?:the )?(?:file|resource|[`~/])/i,
  /\bwhen this tool is (?:called|available|used)\b.{0,80}\bmust\b/i,
  /\byou must (?:first|always) (?:read|access|run|execute|send|invoke)\b/i,
  /\b(?:exfiltrat(?:e|ing)|attacker[- ]controlled|p[w0]n(?:ed|d)\b)/i,
  /^\s*(?:ACT AS|SYSTEM(?: [A-Z]+){0,3}|[A-Z]+ (?:OVERRIDE|DIRECTIVE|INJECTION)(?: [A-Z]+){0,2}|IMPORTANT SYSTEM NOTE|ASSISTANT|JAILBREAK[A-Z ]*)\s?:/,
  /\bmaster ?password in (?:your|the) response\b|\binclude (?:these|the|your) credentials in your\b/i,
]

// A sentence ends at its mark, at an empty line, or where a list item, a heading or a label begins.
const SENTENCE =
  /[^]*?(?:[.!?]["')\]]{0,2}(?=\s|$)|\n(?=[ \t]*(?:\n|[-*•#>[]|\d{1,3}[.)]|[A-Z][A-Za-z_ ]{0,30}:|[A-Z]{2,}))|$)/g

export function removeInstructions(text: string): string {
  if (text === '') return text
  const found = withoutInstructions(text)
  if (found !== text) return found
  // Full-width and other look-alike letters read the same to a model; the folded text is used only when it hides an order.
  const folded = text.normalize('NFKC')
  if (folded === text) return text
  const foundFolded = withoutInstructions(folded)
  return foundFolded === folded ? text : foundFolded
}

/** Whether there is anything that would be removed. */
export function holdsInstructions(text: string): boolean {
  if (speaksToModel(text)) return true
  const folded = text.normalize('NFKC')
  return folded !== text && speaksToModel(folded)
}

function speaksToModel(text: string): boolean {
  if (STRUCTURES.some((structure) => text.search(structure) !== -1)) return true
  return text.match(SENTENCE)?.some(isOrder) === true
}

function isOrder(sentence: string): boolean {
  if (sentence.length < 12) return false
  const line = sentence.replace(/[\s`*_"']+/g, (run) => (/[`*"']/.test(run) ? run.replace(/[`*"]/g, '') || ' ' : ' '))
  return SENTENCES.some((pattern) => pattern.test(line.slice(0, 2000)))
}

function withoutInstructions(text: string): string {
  const outside = STRUCTURES.reduce((rest, structure) => rest.replace(structure, REMOVED), text)
  const cleaned = outside.replace(SENTENCE, (sentence) => {
    if (!isOrder(sentence)) return sentence
    return `${/^\s*/.exec(sentence)?.[0] ?? ''}${REMOVED}${/\s*$/.exec(sentence)?.[0] ?? ''}`
  })
  return cleaned.replace(/\[removed\](?:[\s.]{0,4}\[removed\])+/g, REMOVED)
}
