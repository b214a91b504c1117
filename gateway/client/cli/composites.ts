// Composites and their scripts on the command line: read, saved from a file, tested, approved.
import { readFileSync } from 'node:fs'
import type { CompositeDetail } from '../../contract/index.ts'
import { type Command, type Context, table, takes } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { jsonIn } from './json-argument.ts'
import { listCommand, showCommand } from './noun-commands.ts'

const one = ({ api, arg }: Context): Promise<CompositeDetail> => api.composites.get({ params: { name: arg(0) } })

const sourceIn = (file: string): string => readFileSync(file === '-' ? 0 : file, 'utf8')

function toolsIn(text = ''): { targetClient: string; targetTool: string }[] {
  return text.split(',').map((name) => {
    const at = name.indexOf('__')
    if (at < 1) throw new UsageError('--tools: names such as backend__tool, with commas between them')
    return { targetClient: name.slice(0, at).trim(), targetTool: name.slice(at + 2).trim() }
  })
}

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
    name: 'composite add',
    summary: 'Create a composite from a script; a person approves it before it runs',
    args: ['name', 'file'],
    options: {
      tools: takes('a__b,c__d', 'the tools that it may call'),
      description: takes('text', 'what it does, for models'),
      input: takes('json', 'the schema of its arguments; @file reads it'),
      output: takes('json', 'the schema of its result; @file reads it'),
    },
    async run({ api, tell, arg, text }) {
      const [input, output] = [text('input'), text('output')]
      const made = await api.composites.create({
        body: {
          name: arg(0),
          description: text('description') ?? null,
          steps: toolsIn(text('tools')),
          script: { source: sourceIn(arg(1)), outputSchema: output === undefined ? null : jsonIn(output, '--output') },
          ...(input !== undefined && { inputSchema: jsonIn(input, '--input') }),
        },
      })
      tell(made, `${made.name} is saved; approve ${made.review?.hash ?? ''}`)
    },
  },
  {
    name: 'composite script',
    summary: 'Print the script of a composite, or save it from a file',
    args: ['name'],
    options: {
      from: takes('file', 'TypeScript to save; - for standard input'),
      output: takes('json', 'with --from: the schema of its result; @file reads it'),
    },
    async run(context) {
      const { api, tell, arg, text } = context
      const [file, output] = [text('from'), text('output')]
      const known = await one(context)
      if (file === undefined) {
        tell(known.script, known.script?.source ?? `${known.name} is a composite of steps`)
        return known.script ? EXIT.ok : EXIT.failed
      }
      const outputSchema = output === undefined ? (known.script?.outputSchema ?? null) : jsonIn(output, '--output')
      const body = { script: { source: sourceIn(file), outputSchema }, revision: known.revision }
      const saved = await api.composites.update({ params: { name: arg(0) }, body })
      tell(saved, `${saved.name} is saved; approve ${saved.review?.hash ?? ''}`)
      return EXIT.ok
    },
  },
  {
    name: 'composite check',
    summary: 'Check the script of a composite, or another text for it, against the schemas of its tools',
    args: ['name'],
    options: { from: takes('file', 'TypeScript to check; - for standard input') },
    async run(context) {
      const { api, tell, text } = context
      const { name, script, inputSchema, steps } = await one(context)
      const file = text('from')
      const source = file === undefined ? script?.source : sourceIn(file)
      if (source === undefined) throw new UsageError(`${name} is a composite of steps: --from names a script`)
      const tools = steps.map(({ targetClient, targetTool }) => ({ targetClient, targetTool }))
      const { problems } = await api.composites.check({
        body: { source, inputSchema, outputSchema: script?.outputSchema ?? null, tools },
      })
      const lines = problems.map((each) => `${each.line}:${each.column} ${each.severity}: ${each.message}`)
      tell({ problems }, lines.join('\n') || 'No problems found')
      return problems.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.ok
    },
  },
  {
    name: 'composite versions',
    summary: 'List the versions of the script of a composite; with a number, print that text',
    args: ['name', '[version]'],
    async run({ api, tell, arg, maybe }) {
      const { items } = await api.composites.versions({ params: { name: arg(0) } })
      const number = maybe(1)
      const found = items.find(({ version }) => String(version) === number)
      if (number !== undefined && found === undefined) throw new UsageError(`There is no version ${number}`)
      if (found) return tell(found, found.source)
      tell(
        items,
        table(
          items.map(({ tools, ...version }) => ({ ...version, tools: tools.join(' ') })),
          ['version', 'author', 'createdAt', 'approvedBy', 'approvedAt', 'tools', 'hash'],
        ),
      )
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
      args: takes('json', 'its arguments; @file reads them'),
      mocks: takes('json', 'results by tool, such as {"a__b":[{}]}; @file reads them'),
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
