// PCG editors on the command line: graphs and levels from one editor to another.
import { type Command, table, takes } from './command.ts'
import { editorNamed } from './editor-named.ts'
import { UsageError } from './exit.ts'

const between = {
  from: takes('editor', 'editor that has it, or the project open in it'),
  to: takes('editor', 'editor that receives it, or the project open in it'),
} as const

function named(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${option} is missing: the name of an editor`)
  return value
}

export const PCG: readonly Command[] = [
  {
    name: 'pcg copy',
    summary: 'Copy a graph with the graphs it embeds to another editor',
    args: ['graph'],
    options: {
      ...between,
      as: takes('path', 'its path there; default: the same'),
      replace: { type: 'boolean', summary: 'replace the nodes of a graph that is there' },
    },
    async run({ api, arg, text, flag, tell, warn }) {
      const report = await api.pcg.copyGraph({
        params: { name: await editorNamed(api, named('from', text('from'))) },
        body: {
          graph: arg(0),
          to: await editorNamed(api, named('to', text('to'))),
          replace: flag('replace'),
          path: text('as'),
        },
      })
      for (const { graph, item, reason } of report.lost) warn(`not copied: ${graph}: ${item}: ${reason}`)
      tell(report, table(report.graphs, ['to', 'outcome', 'nodes', 'edges', 'parameters', 'comments']))
    },
  },
  {
    name: 'pcg read-level',
    summary: 'Read landscapes, splines and volumes of a real editor into an embedded one',
    options: {
      ...between,
      resolution: takes('number', 'heights along the longer side; default 129, most 257'),
      replace: { type: 'boolean', summary: 'remove other actors without a PCG component, too' },
    },
    async run({ api, text, flag, tell, warn }) {
      const resolution = text('resolution')
      const report = await api.pcg.readLevel({
        params: { name: await editorNamed(api, named('to', text('to'))) },
        body: {
          from: await editorNamed(api, named('from', text('from'))),
          replace: flag('replace'),
          resolution: resolution === undefined ? undefined : Number(resolution),
        },
      })
      for (const { item, reason } of report.skipped) warn(`not read: ${item}: ${reason}`)
      tell(report, table([report], ['level', 'landscapes', 'splines', 'volumes', 'heights', 'removed']))
    },
  },
]
