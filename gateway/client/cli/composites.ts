// Composites and their scripts on the command line: read, saved from a file, tested, approved.
import { readFileSync } from 'node:fs'
import type { CompositeDetail } from '../../contract/index.ts'
import type { Command, Context } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { jsonIn } from './json-argument.ts'
import { listCommand, showCommand } from './noun-commands.ts'

const one = ({ api, arg }: Context): Promise<CompositeDetail> => api.composites.get({ params: { name: arg(0) } })

/** Each mock is the list of the results of a tool. */
function mocksIn(text: string | undefined): Record<string, never[]> {
  const given = text === undefined ? {} : jsonIn(text, '--mocks')
  for (const [tool, results] of Object.entries(given))
    if (!Array.isArray(results)) throw new UsageError(`--mocks: "${tool}" must be a list of results`)
  return given as Record<string, never[]> // lists, by the line above; the gateway reads the values
}

export const COMPOSITES: readonly Command[] = [
  listCommand('composite', {
    summary: 'List composites; "approved" is of those that are scripts',
    columns: ['name', 'enabled', 'stepsCount', 'approved', 'bundles'],
    read: (api, query) => api.composites.list({ query }),
  }),
  showCommand('composite', 'name', (api, name) => api.composites.get({ params: { name } })),
  {
    name: 'composite script',
    summary: 'Print the script of a composite, or save it from a file',
    args: ['name'],
    options: { from: { type: 'string', value: 'file', summary: 'TypeScript to save; - for standard input' } },
    async run(context) {
      const { api, tell, arg, text } = context
      const file = text('from')
      const known = await one(context)
      if (file === undefined) {
        tell(known.script, known.script?.source ?? `${known.name} is a composite of steps`)
        return known.script ? EXIT.ok : EXIT.failed
      }
      const source = readFileSync(file === '-' ? 0 : file, 'utf8')
      const body = { script: { source, outputSchema: known.script?.outputSchema ?? null }, revision: known.revision }
      const saved = await api.composites.update({ params: { name: arg(0) }, body })
      tell(saved, `${saved.name} is saved; approve ${saved.review?.hash ?? ''}`)
      return EXIT.ok
    },
  },
  {
    name: 'composite types',
    summary: 'Print the TypeScript declarations for the script of a composite',
    args: ['name'],
    async run({ api, tell, arg }) {
      const types = await api.composites.types({ params: { name: arg(0) } })
      tell({ types }, types)
    },
  },
  {
    name: 'composite convert',
    summary: 'Print the steps of a composite as a script that does the same',
    args: ['name'],
    async run({ api, tell, arg }) {
      const { source } = await api.composites.converted({ params: { name: arg(0) } })
      tell({ source }, source)
    },
  },
  {
    name: 'composite test',
    summary:
      'Test a composite without calls: a script has answers from mocks and captured calls. --live calls its tools',
    args: ['name'],
    options: {
      args: { type: 'string', value: 'json', summary: 'its arguments; @file reads them' },
      mocks: { type: 'string', value: 'json', summary: 'results by tool, such as {"a__b":[{}]}; @file reads them' },
      live: { type: 'boolean', summary: 'call its tools' },
    },
    async run({ api, tell, arg, text, flag }) {
      const args = text('args')
      const tested = await api.composites.test({
        params: { name: arg(0) },
        body: {
          args: args === undefined ? {} : jsonIn(args, '--args'),
          mocks: mocksIn(text('mocks')),
          dryRun: !flag('live'),
        },
      })
      const { result, steps, logs } = tested
      const lines = steps.map(
        ({ client, tool, outcome, durationMs }) => `${client}__${tool} ${outcome}, ${durationMs}ms`,
      )
      const printed = result.content.map((block) => ('text' in block ? String(block.text) : JSON.stringify(block)))
      tell(tested, [...logs, ...lines, ...printed].join('\n'))
      return result.isError ? EXIT.failed : EXIT.ok
    },
  },
  {
    name: 'composite approve',
    summary: 'Approve the script of a composite, by the hash that "composite show" prints',
    args: ['name', 'hash'],
    async run({ api, tell, arg }) {
      const approved = await api.composites.approve({ params: { name: arg(0) }, body: { hash: arg(1) } })
      tell(approved, `${approved.name} is approved`)
    },
  },
]
