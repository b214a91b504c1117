// `pcg test`: the assertions of a graph, of a file in this process or of an editor through a gateway; text, JSON, JUnit.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { AssertionResult } from '#pcg-contract'
import type { ReviewGraph } from '#pcg-review'
import { milliseconds } from '../../text/amounts.ts'
import { type Command, type Context, takes } from './command.ts'
import { editorNamed } from './editor-named.ts'
import { EXIT, Trouble, UsageError } from './exit.ts'
import { readGraphFile, writeFile } from './graph-file.ts'

const Report = z.object({ results: z.array(AssertionResult), instances: z.number(), ms: z.number() })
type Report = z.infer<typeof Report>

const SUFFIXES = ['.pcg.yaml', '.pcg.json']
/** `/Game/PCG/Inner` below the Content folder of the file, or beside the file. */
function besides(file: string): (path: string) => ReviewGraph | null {
  const parts = file.replaceAll('\\', '/').split('/')
  const root = parts.lastIndexOf('Content')
  return (path) => {
    const inner = path.replace(/^\/Game\//, '').split('/')
    const places = [
      ...(root < 0 ? [] : [join(parts.slice(0, root + 1).join('/'), ...inner)]),
      join(dirname(file), inner.at(-1) ?? ''),
    ]
    const found = places.flatMap((place) => SUFFIXES.map((suffix) => place + suffix)).find((each) => existsSync(each))
    return found === undefined ? null : readGraphFile(found).graph
  }
}

async function testFile(file: string): Promise<Report> {
  const { graph, conflicts } = readGraphFile(file)
  if (conflicts.length > 0) throw new Trouble(`${file} has unresolved conflicts`)
  if (!graph.tests) throw new Trouble(`${file} has no assertions: add a section tests to its text`)
  const { runGraph } = await import('#pcg-engine')
  try {
    const { assertions, instances, ms } = runGraph(graph, besides(file))
    return { results: [...assertions], instances, ms }
  } catch (error) {
    throw new Trouble(`${file} does not generate: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function testInEditor({ api, arg, text }: Context, editor: string): Promise<Report> {
  const actor = text('actor')
  const args = { pcg_graph_path: arg(0), ...(actor === undefined ? {} : { actor_name: actor }) }
  const answer = await api.pcg.call({
    params: { name: await editorNamed(api, editor) },
    body: { tool: 'test_pcg_graph', args },
  })
  if (answer.ok) return Report.parse(answer.result)
  const { error, refusal } = answer
  throw new Trouble(`${arg(0)}: ${error?.message ?? String(refusal?.['message'] ?? refusal?.code ?? 'not tested')}`)
}

const escaped = (value: string): string =>
  value
    // Characters that XML does not have.
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

export function junit(graph: string, { results, ms }: Report): string {
  const failures = results.filter(({ passed }) => !passed).length
  const seconds = (ms / 1000).toFixed(3)
  const cases = results.map(({ assertion, passed, found }) => {
    const head = `    <testcase classname="${escaped(graph)}" name="${escaped(assertion)}" time="0">`
    return passed ? `${head}</testcase>` : `${head}<failure message="${escaped(found)}"/></testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${results.length}" failures="${failures}" time="${seconds}">
  <testsuite name="${escaped(graph)}" tests="${results.length}" failures="${failures}" errors="0" time="${seconds}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`
}

export const testCommand: Command = {
  name: 'pcg test',
  summary: 'Generate a graph and check its assertions; a file is generated here, without a gateway',
  args: ['graph'],
  options: {
    from: takes('editor', 'editor that has the graph; else it is a file'),
    actor: takes('name', 'with --from: its component is generated; a real editor needs it'),
    junit: takes('file', 'write the results as JUnit XML'),
  },
  async run(context) {
    const { arg, text, tell } = context
    const editor = text('from')
    if (editor === undefined && text('actor') !== undefined) throw new UsageError('--actor needs --from')
    const report = editor === undefined ? await testFile(arg(0)) : await testInEditor(context, editor)
    const file = text('junit')
    if (file !== undefined) writeFile(file, junit(arg(0), report))
    const lines = report.results.map(
      ({ assertion, passed, found }) => `${passed ? 'passed' : 'FAILED'} ${assertion} (${found})`,
    )
    tell(
      report,
      [
        ...lines,
        `${report.instances} ${report.instances === 1 ? 'instance' : 'instances'} in ${milliseconds(report.ms)}`,
      ].join('\n'),
    )
    return report.results.every(({ passed }) => passed) ? EXIT.ok : EXIT.failed
  },
}
