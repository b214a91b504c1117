// Search over real tools: how many of the tools that a task needs are among the first ten.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Searchable } from '../gateway/surfaces/search-index.ts'
import { searchTools } from '../gateway/surfaces/search-tools.ts'

type Tool = {
  readonly server: string
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
}
type Task = { readonly question: string; readonly steps: readonly string[]; readonly tools: readonly string[] }

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`corpora/tool-search/${name}.json`, import.meta.url), 'utf8')) as T // as its README says

const wired = ({ server, name }: Tool): string => `${server.replace(/[^\w-]/g, '_')}__${name}`
const tools = read<readonly Tool[]>('tools')
const tasks = read<readonly Task[]>('tasks')
const names = new Map(tools.map((tool) => [wired(tool), tool.name]))
const list = tools.map(
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

function firstTen(query: string): readonly string[] {
  const { structuredContent } = searchTools(list, { query: query.slice(0, 512) }) ?? {}
  const { matches = [] } = (structuredContent ?? {}) as { matches?: readonly { name: string }[] } // contract 5.7
  return matches.map(({ name }) => names.get(name) ?? '')
}

function recall(queriesOf: (task: Task) => readonly string[]): number {
  const shares = tasks.map((task) => {
    const needed = new Set(task.tools)
    const found = new Set(queriesOf(task).flatMap(firstTen))
    return [...needed].filter((name) => found.has(name)).length / needed.size
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}

// Plain BM25 reaches .424 and .755 here.
it('finds more of them than plain BM25, by the question and by its steps', () => {
  expect(recall(({ question }) => [question])).toBeGreaterThan(0.48)
  expect(recall(({ steps }) => steps)).toBeGreaterThan(0.8)
})
