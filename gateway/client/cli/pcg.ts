// PCG editors on the command line: graphs and levels from one editor to another.
import type { Command } from './command.ts'
import { table } from './command.ts'
import { editorNamed } from './editor-named.ts'
import { UsageError } from './exit.ts'

const between = {
  from: { type: 'string', value: 'editor', summary: 'editor that has it, or the project open in it' },
  to: { type: 'string', value: 'editor', summary: 'editor that receives it, or the project open in it' },
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
      as: { type: 'string', value: 'path', summary: 'its path there; default: the same' },
      replace: { type: 'boolean', summary: 'replace the nodes of a graph that is there' },
    },
    async run({ api, arg, text, flag, tell, warn }) {
      const path = text('as')
      const report = await api.pcg.copyGraph({
        params: { name: await editorNamed(api, named('from', text('from'))) },
        body: {
          graph: arg(0),
          to: await editorNamed(api, named('to', text('to'))),
          replace: flag('replace'),
          ...(path === undefined ? {} : { path }),
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
      resolution: { type: 'string', value: 'number', summary: 'heights along the longer side; default 129, most 257' },
      replace: { type: 'boolean', summary: 'remove other actors without a PCG component, too' },
    },
    async run({ api, text, flag, tell, warn }) {
      const resolution = text('resolution')
      const report = await api.pcg.readLevel({
        params: { name: await editorNamed(api, named('to', text('to'))) },
        body: {
          from: await editorNamed(api, named('from', text('from'))),
          replace: flag('replace'),
          ...(resolution === undefined ? {} : { resolution: Number(resolution) }),
        },
      })
      for (const { item, reason } of report.skipped) warn(`not read: ${item}: ${reason}`)
      tell(report, table([report], ['level', 'landscapes', 'splines', 'volumes', 'heights', 'removed']))
    },
  },
]
