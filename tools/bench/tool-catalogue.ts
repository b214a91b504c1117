// The 527 real tools of the search benchmark, and the tasks with the tools they need.
import { readFileSync } from 'node:fs'
import type { Searchable } from '../../gateway/surfaces/search-index.ts'
import { createSearchLearning, learnedName } from '../../gateway/surfaces/search-learning.ts'
import { searchTools } from '../../gateway/surfaces/search-tools.ts'

type Tool = {
  readonly server: string
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
}
type Task = { readonly question: string; readonly steps: readonly string[]; readonly tools: readonly string[] }

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../e2e/corpora/tool-search/${name}.json`, import.meta.url), 'utf8')) as T // as its README says

const wired = ({ server, name }: Tool): string => `${server.replace(/[^\w-]/g, '_')}__${name}`
const tools = read<readonly Tool[]>('tools')
const tasks = read<readonly Task[]>('tasks')
const names = new Map(tools.map((tool) => [wired(tool), tool.name]))

export const CATALOGUE = tools.map(
  (tool) =>
    ({
      listed: {
        name: wired(tool),
        title: '',
        description: tool.description ?? '',
        inputSchema: tool.inputSchema ?? {},
        annotations: {},
      },
      backend: { name: tool.server },
    }) as unknown as Searchable, // what a search reads of a listed tool
)

export type Finds = (query: string, most: number) => readonly string[]

export function gantryFinds(
  query: string,
  most: number,
  learned?: Parameters<typeof searchTools>[2],
): readonly string[] {
  const { structuredContent } = searchTools(CATALOGUE, { query: query.slice(0, 512), limit: most }, learned) ?? {}
  const { matches = [] } = (structuredContent ?? {}) as { matches?: readonly { name: string }[] } // contract 5.7
  return matches.map(({ name }) => names.get(name) ?? '')
}

const words = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Plain BM25 over name and description, with the usual k1 and b. */
export function plainBm25(): Finds {
  const [k1, b] = [1.2, 0.75]
  const documents = tools.map(({ name, description = '' }) => words(`${name} ${description}`))
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const holding = new Map<string, number>()
  for (const document of documents)
    for (const word of new Set(document)) holding.set(word, (holding.get(word) ?? 0) + 1)
  return (query, most) => {
    const scored = documents.map((document, at) => {
      let score = 0
      for (const word of new Set(words(query))) {
        const times = document.filter((each) => each === word).length
        const rarity = Math.log(1 + (tools.length - (holding.get(word) ?? 0) + 0.5) / ((holding.get(word) ?? 0) + 0.5))
        score += (rarity * times * (k1 + 1)) / (times + k1 * (1 - b + (b * document.length) / mean))
      }
      return { at, score }
    })
    return scored
      .sort((x, y) => y.score - x.score)
      .slice(0, most)
      .map(({ at }) => tools[at]?.name ?? '')
  }
}

type Recall = { readonly question: number; readonly steps: number }

/** The share of a task's tools among the first ten, on average: by its question, and by the union over its steps. */
export function recall(finds: Finds, over: readonly Task[] = tasks): Recall {
  const by = (queriesOf: (task: Task) => readonly string[]): number => {
    const shares = over.map((task) => {
      const needed = new Set(task.tools)
      const found = new Set(queriesOf(task).flatMap((query) => finds(query, 10)))
      return [...needed].filter((name) => found.has(name)).length / needed.size
    })
    return shares.reduce((sum, share) => sum + share, 0) / shares.length
  }
  return { question: by(({ question }) => [question]), steps: by(({ steps }) => steps) }
}

/** Each task as use: a search for its question, then a call of each tool that it needs. */
function used(over: readonly Task[]): Finds {
  const learned = new Map(CATALOGUE.map((entry) => [names.get(entry.listed.name) ?? '', learnedName(entry)]))
  const learning = createSearchLearning(() => 0)
  for (const { question, tools: needed } of over)
    for (const tool of needed) {
      learning.searched('agent', null, question)
      learning.called('agent', learned.get(tool) ?? tool)
    }
  return (query, most) => gantryFinds(query, most, (text) => learning.gains(null, text))
}

/** Recall after use: of the half of tasks that were not replayed, and, by its steps, of the same tasks in other words. */
export function learnedRecall(): { readonly others: Recall; readonly same: Recall; readonly before: Recall } {
  const half = (which: number): readonly Task[] => tasks.filter((_task, at) => at % 2 === which)
  return {
    before: recall(gantryFinds, half(1)),
    others: recall(used(half(0)), half(1)),
    same: recall(used(half(1)), half(1)),
  }
}
