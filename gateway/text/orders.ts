// Sentences typical of attacks: certain words in order and close together.

/** Words in this order, each at most `within` characters after the previous one. */
type Link = { readonly words: RegExp; readonly within: number }
type Order = readonly [Link, ...Link[]]

const link = (within: number, words: string): Link => ({ words: new RegExp(words, 'gi'), within })
const first = (words: string): Link => link(Number.POSITIVE_INFINITY, words)

const OVERRIDES =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|do not (?:follow|obey)|stop following)'
const ORDERS =
  '(?:instructions?|directions|directives|rules|prompts?|guidelines|guardrails|restrictions|safety|content filter(?:s|ing)?|security (?:checks?|polic(?:y|ies))|polic(?:y|ies)|conversation|(?:rest of )?th(?:is|e) (?:data|conversation|document))'
const CONCEAL = '(?:mention|tell|reveal|disclose|inform|notify|explain|admit|be mentioned|be disclosed|show|say)'
const SECRET_FILES =
  '(?:\\.ssh\\b|id[_ ](?:rsa|ed25519|dsa)\\b|/etc/(?:passwd|shadow)\\b|mcp\\.json\\b|\\.aws/credentials|\\.netrc\\b|\\.git-credentials|\\.env file|(?:company|system)://)'
const ADDRESS = '[\\w.+-]@[\\w-]{1,64}\\.\\w'

/** Removes the whole sentence: half of it may still be an instruction. */
const CHAINS: readonly Order[] = [
  [
    first("\\b(?:do not|don't|never|must not|without|should never)\\b"),
    link(12, `\\b${CONCEAL}(?:ing)?\\b`),
    link(40, '\\b(?:users?|humans?|anyone|them|this|that you|to others)\\b'),
  ],
  [first('\\b(?:read|open|cat|access|load|include|send|pass|upload|copy|extract|retrieve)\\b'), link(80, SECRET_FILES)],
  [
    first('\\b(?:always|must|silently|secretly|also)\\b'),
    link(60, '\\b(?:bcc|cc|forward|send|copy|add)\\b'),
    link(140, ADDRESS),
  ],
  [first('\\b(?:bcc|forward)\\b'), link(120, ADDRESS)],
  [
    first('\\b(?:reveal|print|repeat|paste|output|show|share|leak|dump|tell me|list|put|encode)\\b'),
    link(
      60,
      '\\b(?:(?:system|initial|original|hidden|first) prompt|your (?:system )?(?:prompt|instructions)|chain[- ]of[- ]thought)\\b',
    ),
  ],
  [
    first('\\b(?:before|when|prior to|instead of)\\b'),
    link(20, '\\b(?:us|call|execut|invok|runn?)(?:e|ing)\\b'),
    link(80, '\\b(?:always (?:add|call|run|read|send|log)|copy all|redirect all)\\b'),
  ],
  [
    first('\\b(?:before|prior to)\\b'),
    link(20, '\\b(?:us|call|execut|invok)(?:e|ing)\\b'),
    link(60, '\\b(?:read|access|load) (?:the )?(?:file|resource|[`~/])'),
  ],
  [first('\\bwhen this tool is (?:called|available|used)\\b'), link(80, '\\bmust\\b')],
]

const PHRASES: readonly RegExp[] = [
  new RegExp(
    `\\b${OVERRIDES}\\b(?: (?:all|any|every|each|and|or|of|the|your|my|its|these|those|this|that|previous|prior|above|preceding|earlier|existing|former|other|original|initial|system|current|safety|security|user|user's)){0,8} ${ORDERS}\\b(?! (?:parameter|field|header|option|flag|setting|argument|object|resource|with id|id\\b))`,
    'i',
  ),
  /\brepeat the words above\b|\byou are (?:now )?(?:ChatGPT|DAN|an? unrestricted|jailbroken)\b|\bjailbreak mode\b/i,
  /\byou must (?:first|always) (?:read|access|run|execute|send|invoke)\b/i,
  /\b(?:exfiltrat(?:e|ing)|attacker[- ]controlled|p[w0]n(?:ed|d)\b)/i,
  /^\s*(?:ACT AS|SYSTEM(?: [A-Z]+){0,3}|[A-Z]+ (?:OVERRIDE|DIRECTIVE|INJECTION)(?: [A-Z]+){0,2}|IMPORTANT SYSTEM NOTE|ASSISTANT|JAILBREAK[A-Z ]*)\s?:/,
  /\bmaster ?password in (?:your|the) response\b|\binclude (?:these|the|your) credentials in your\b/i,
]

/**
 * A prefilter: a word that every sentence above contains, and few others. Punctuation between
 * words becomes spaces later, so a hint is one word, or two with any punctuation between them.
 */
const HINTS: readonly RegExp[] = [
  /(?:mention|tell|reveal|disclose|inform|notify|explain|admit|show|say)(?:ing|e?d)?(?![a-z])/iy,
  /(?:always|before|prompt|instructions?|thought|tool|prior|copy|redirect|above|master|follow|obey|stop)(?![a-z])/iy,
  /ignor|disregard|forget|overrid|bypass|chatgpt|dan(?![a-z])|unrestricted|jailbr|credentials|exfiltrat|attacker|p[w0]n/iy,
  /must[\s`*_"']{1,2000}first/iy,
  /\.ssh|(?:rsa|dsa|ed25519)(?![a-z])|\/etc\/|mcp\.json|\.aws|\.netrc|\.git-|\.env|(?:company|system):\/\//iy,
  /\bACT\b|SYSTEM|OVERRIDE|DIRECTIVE|INJECTION|IMPORTANT|ASSISTANT|JAILBREAK/y,
]
/** How each hint begins, without case. After three characters anything may follow, and after `act` no letter. */
const BEGINNINGS =
  `ment tell reve disc info noti expl admi show say alwa befo prom inst thou tool prio copy redi abov mast
foll obey stop igno disr forg over bypa chat dan unre jail cred exfi atta pwn p0n must .ssh rsa dsa ed25 /etc mcp. .aws .net
.git .env comp syst act# dire inje impo assi`.split(/\s/)

const BITS = 5
const LETTERS = 26
/** Each UTF-16 unit in five bits: a letter without its case, the other characters of beginnings, or neither. */
const CODES = new Uint8Array(65_536)
for (let letter = 1; letter <= LETTERS; letter++) CODES[letter + 64] = CODES[letter + 96] = letter
for (const [at, others] of ['.', '/', '0123456789'].entries())
  for (const other of others) CODES[other.charCodeAt(0)] = LETTERS + 1 + at

/** By the codes of three characters, a bit for each code that may follow. */
const FOLLOWING = new Uint32Array(1 << (3 * BITS))
for (const beginning of BEGINNINGS) {
  const [a = 0, b = 0, c = 0, d] = Array.from(beginning, (character) => CODES[character.charCodeAt(0)] ?? 0)
  const known = (((a << BITS) | b) << BITS) | c
  const follows = d === undefined ? -1 : d === 0 ? ~(((1 << LETTERS) - 1) << 1) : 1 << d
  FOLLOWING[known] = (FOLLOWING[known] ?? 0) | follows
}

/**
 * Whether a text may contain an instruction; if false, it contains none. One pass finds where a hint may begin: a pattern
 * of all of them tries each at every character.
 */
export function mayHoldOrder(text: string): boolean {
  if (text.includes('@')) return true
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = CODES[text.charCodeAt(at)] ?? 0
    if (((FOLLOWING[before] ?? 0) >>> code) & 1 && isHint(text, at - 3)) return true
    before = ((before << BITS) | code) & (FOLLOWING.length - 1)
  }
  return ((FOLLOWING[before] ?? 0) & 1) === 1 && isHint(text, text.length - 3)
}

function isHint(text: string, at: number): boolean {
  return HINTS.some((hint) => {
    hint.lastIndex = at
    return hint.test(text)
  })
}

const SHORTEST = 12
const MOST_READ = 2000

/** Walks each word list once; of several earlier words the nearest counts. */
function holdsChain(line: string, order: Order): boolean {
  let ends: readonly number[] = []
  for (const [step, { words, within }] of order.entries()) {
    const reached: number[] = []
    let at = -1
    for (const { index, 0: found } of line.matchAll(words)) {
      while ((ends[at + 1] ?? Number.POSITIVE_INFINITY) <= index) at += 1
      if (step === 0 || index - (ends[at] ?? Number.NEGATIVE_INFINITY) <= within) reached.push(index + found.length)
    }
    if (reached.length === 0) return false
    ends = reached
  }
  return true
}

export const isOrder = (sentence: string): boolean => mayHoldOrder(sentence) && isOrderByPatterns(sentence)

export function isOrderByPatterns(sentence: string): boolean {
  if (sentence.length < SHORTEST) return false
  // A single space stays.
  const line = sentence
    .replace(/[\s`*_"']{2,}|[^\S ]|[`*_"']/g, (run) => (/[`*"']/.test(run) ? run.replace(/[`*"]/g, '') || ' ' : ' '))
    .slice(0, MOST_READ)
  return PHRASES.some((phrase) => phrase.test(line)) || CHAINS.some((order) => holdsChain(line, order))
}
