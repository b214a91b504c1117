// The words of a tool and of a query: split, without stop words, reduced to stems, with their synonyms.

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Scripts without spaces: every two neighbours are a word. */
function pairsOf(word: string): readonly string[] {
  const letters = Array.from(word)
  return letters.length < 2 ? [word] : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** `getUserById`, `get_user`, `get-user` all fall into the same words. */
export const tokens = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .flatMap((word) => (HAN_OR_KANA.test(word) ? pairsOf(word) : word))

/** What a question consists of beside its subject. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be been before being below between both but by can could
  did do does down during each every few for from further had has have having he help her here his how i if in into is it
  its just know let make many may me might more most must my need no nor not now of off on once only or other our out over
  own per please same shall she should so some such than that the their them then there these they this those through to
  too under until up us use used using very via want was we were what when where which while who whom whose why will with
  within without would you your`.split(/\s+/),
)

const ENDINGS =
  'ization ational fulness iveness ations ation ments ment ings ing edly ed ions ion ers er ors or ally ly ity ive ize ise able al ance ence ness'.split(
    ' ',
  )
const VOWEL = /[aeiouy]/
const LATIN = /^[a-z]{4,}$/
const DOUBLED = /([bdfgmnprt])\1$/

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

/** English endings removed: "repositories", "created" and "creating" meet "repository" and "create". */
export function stemOf(word: string): string {
  if (!LATIN.test(word)) return word
  let stem = singular(word)
  for (const ending of ENDINGS) {
    const rest = stem.slice(0, -ending.length)
    if (!stem.endsWith(ending) || rest.length < (ending.length <= 3 ? 3 : 4) || !VOWEL.test(rest)) continue
    stem = rest
    break
  }
  if (stem.endsWith('e') && stem.length > 3) stem = stem.slice(0, -1)
  if (DOUBLED.test(stem)) stem = stem.slice(0, -1)
  return stem.endsWith('y') && stem.length > 3 ? `${stem.slice(0, -1)}i` : stem
}

/** Words that people and tool authors use for the same thing, abbreviations included; one group a line. */
const SYNONYMS = `
  image picture pic img photo photograph screenshot
  film movie cinema
  video clip
  music song audio sound track
  document doc docx word
  spreadsheet excel xlsx xls workbook worksheet sheet
  presentation powerpoint ppt pptx slide deck
  weather forecast climate
  temperature temp
  stock share equity ticker
  price quote cost
  currency exchange money
  crypto cryptocurrency bitcoin coin token
  email mail message msg
  url link address
  webpage website site page
  browser navigate open visit
  search find lookup query seek
  create add new insert build generate
  delete remove erase drop destroy
  update edit modify change set
  list show display enumerate view
  fetch get retrieve read obtain download load
  write save store
  execute run
  convert transform translate
  translation language
  extract parse
  compute calculate evaluate
  multiply product
  subtract minus difference
  sum total
  divide quotient
  average avg mean
  maximum max
  minimum min
  compare diff
  analyze analyse analysis
  summarize summarise summary
  chart graph plot diagram visualize visualization
  location place geocode coordinate
  route direction navigation path
  restaurant food dining
  recipe cook dish meal ingredient
  hotel accommodation lodging stay
  flight airline plane airport
  train railway rail ticket
  paper article publication literature research
  book novel
  news headline
  gene dna genome
  drug medicine medication
  company firm business corporation
  organization organisation org
  department dept
  employee staff person people
  user account profile member
  job career position vacancy
  resume cv
  repository repo git
  issue ticket bug
  pull pr
  comment reply
  tag label
  file filename
  directory folder
  database db sql table
  archive zip compress
  time date clock
  schedule calendar event appointment
  notification alert
  terminal shell command cmd
  information info detail
  configuration config settings
  environment env
  authentication authorization auth
  identifier id
  parameter param argument
  text string
  number integer
  color colour
  kubernetes k8s
`

const synonyms: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const found = new Map<string, Set<string>>()
  for (const line of SYNONYMS.trim().split('\n')) {
    const group = line.trim().split(' ').map(stemOf)
    for (const stem of group) {
      const others = found.get(stem) ?? new Set()
      for (const other of group) if (other !== stem) others.add(other)
      found.set(stem, others)
    }
  }
  return found
})()

export const synonymsOf = (stem: string): Iterable<string> => synonyms.get(stem) ?? []

/** The stems of a text, repeated as they occur; of stop words alone, those. */
export function stemsOf(text: string): readonly string[] {
  const words = tokens(text)
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return (telling.length > 0 ? telling : words).map(stemOf)
}
