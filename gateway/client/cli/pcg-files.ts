// PCG graphs for review, as files without a gateway or from an editor: to text and back, formatted, compared, merged, checked, changed. Exit codes: 0 same, 1 different, 2 trouble.
import { existsSync } from 'node:fs'
import {
  aligned,
  assetText,
  conflictText,
  diffGraphs,
  diffPicture,
  diffScene,
  diffText,
  emptyLayout,
  fixGraph,
  LINT_RULES,
  lintGraph,
  lintLine,
  mergeGraphs,
  printText,
  SEVERITIES,
  sarifOf,
  toAsset,
  toDocument,
} from '#pcg-review'
import { type Command, type Context, table, takes } from './command.ts'
import { editorNamed } from './editor-named.ts'
import { EXIT, Trouble, UsageError } from './exit.ts'
import { gitSetup } from './git-setup.ts'
import { type GraphFile, graphText, openGraph, patched, readGraphFile, readSteps, writeFile } from './graph-file.ts'
import { testCommand } from './pcg-test.ts'

const from = takes('editor', 'editor that has the graph, or the project open in it; else it is a file')
const output = takes('file', 'file to write; default: standard output', 'o')

function send({ text, tell }: Context, content: string): void {
  const file = text('output')
  if (file === undefined) tell(content)
  else writeFile(file, content)
}

function resolved(found: GraphFile): GraphFile {
  const { conflicts, file } = found
  if (conflicts.length > 0)
    throw new Trouble(
      `${file} has ${conflicts.length} unresolved conflict${conflicts.length === 1 ? '' : 's'}: correct the graph and remove the conflicts document`,
    )
  return found
}

const exportCommand: Command = {
  name: 'pcg export',
  summary: 'Write a graph in its text form; a file that exists keeps the ids of its nodes',
  args: ['graph'],
  options: { from, output, 'no-layout': { type: 'boolean', summary: 'leave out places, comments and bookmarks' } },
  async run(context) {
    const { graph } = resolved(await openGraph(context, context.arg(0)))
    const target = context.text('output')
    const kept = target !== undefined && existsSync(target) ? aligned(readGraphFile(target).graph, graph) : graph
    send(context, printText(context.flag('no-layout') ? { ...kept, layout: emptyLayout() } : kept))
  },
}

const importCommand: Command = {
  name: 'pcg import',
  summary: 'Build a graph from its text form: in an editor, or as a file of the embedded one (close its project first)',
  args: ['file'],
  options: {
    output,
    to: takes('editor', 'editor that builds it, or the project open in it, instead of a file'),
    as: takes('path', 'its path there; default: that in the file'),
    replace: { type: 'boolean', summary: 'replace the nodes of a graph that is there' },
  },
  async run(context) {
    const { api, arg, text, flag, tell, warn } = context
    const { graph } = resolved(readGraphFile(arg(0)))
    const editor = text('to')
    const target = text('output')
    if (editor === undefined) {
      const like = target !== undefined && existsSync(target) ? readGraphFile(target).asset : null
      send(context, assetText(like === null ? toAsset(graph) : toAsset(graph, like)))
      return
    }
    const path = text('as') ?? graph.path
    if (path === null) throw new UsageError('--as is missing: the file names no path')
    const body = { documents: [toDocument(graph, path)], path, replace: flag('replace') }
    const report = await api.pcg.importGraph({ params: { name: await editorNamed(api, editor) }, body })
    for (const { item, reason } of report.lost) warn(`not imported: ${item}: ${reason}`)
    tell(report, table(report.graphs, ['to', 'outcome', 'nodes', 'edges', 'parameters', 'comments']))
  },
}

const fmtCommand: Command = {
  name: 'pcg fmt',
  summary: 'Format the text form of a graph in place',
  args: ['file'],
  options: {
    check: { type: 'boolean', summary: 'write nothing; exit code 1 if the file is not formatted' },
    'drop-comments': { type: 'boolean', summary: 'remove lines that start with #, which the text form does not keep' },
  },
  run({ arg, flag, tell }) {
    const found = readGraphFile(arg(0))
    if (found.asset !== null) throw new Trouble(`${arg(0)} is a file of the editor: gantry pcg export makes its text`)
    const [line] = found.comments
    if (line !== undefined && !flag('drop-comments'))
      throw new Trouble(
        `${arg(0)}:${line} has a comment, which the text form does not keep: use a title or a comment of the layout, or --drop-comments`,
      )
    const text = printText(found.graph, found.conflicts)
    const formatted = text === found.text
    if (!formatted && !flag('check')) writeFile(arg(0), text)
    tell({ file: arg(0), formatted }, formatted ? 'already formatted' : flag('check') ? 'not formatted' : 'formatted')
    return formatted || !flag('check') ? EXIT.ok : EXIT.failed
  },
}

const diffCommand: Command = {
  name: 'pcg diff',
  summary: 'Show what differs between two graphs; a renamed node is not removed and added',
  args: ['a', 'b'],
  options: {
    from,
    layout: { type: 'boolean', summary: 'exit code 1 also where only the layout differs' },
    svg: takes('file', 'write a picture of both graphs, for a pull request'),
    png: takes('file', 'the same as PNG, for places that show no SVG'),
    label: takes('path', 'path of the graph, if the files are temporary copies'),
  },
  async run(context) {
    const { arg, text, flag, tell } = context
    const label = text('label')
    const [before, after] = [await openGraph(context, arg(0), label), await openGraph(context, arg(1), label)]
    const diff = diffGraphs(before.graph, after.graph)
    const picture = text('svg')
    if (picture !== undefined) writeFile(picture, diffPicture(before.graph, diff))
    const pixels = text('png')
    if (pixels !== undefined) {
      const { pngDiff } = await import('#pcg-engine')
      writeFile(pixels, pngDiff(diffScene(before.graph, diff)))
    }
    const spoken = diffText(diff)
    tell({ changes: diff.changes, layout: diff.layout }, label === undefined ? spoken : `${label}\n${spoken}\n`)
    const differs = diff.changes.length > 0 || (flag('layout') && diff.layout.length > 0)
    return differs ? EXIT.failed : EXIT.ok
  },
}

const mergeCommand: Command = {
  name: 'pcg merge',
  summary: 'Merge two versions of a graph with their common base',
  args: ['base', 'ours', 'theirs'],
  options: {
    output,
    favor: takes('ours|theirs', 'side that the result has where both conflict; default ours'),
    label: takes('path', 'path of the graph, if the files are temporary copies'),
  },
  run(context) {
    const { arg, text, tell, warn, flag } = context
    const favor = text('favor') ?? 'ours'
    if (favor !== 'ours' && favor !== 'theirs') throw new UsageError('--favor is ours or theirs')
    const label = text('label')
    const [base, ours, theirs] = [0, 1, 2].map((at) => resolved(readGraphFile(arg(at), label)))
    if (!base || !ours || !theirs) return EXIT.trouble
    const { graph, conflicts, rekeyed } = mergeGraphs(base.graph, ours.graph, theirs.graph, favor)
    const merged = graphText(graph, ours, conflicts)
    const file = text('output')
    if (file !== undefined) writeFile(file, merged)
    for (const { kind, node, was } of rekeyed)
      warn(
        `${label ?? arg(2)}: ${was} is taken: ${kind === 'id' ? `the node of theirs is ${node} now` : `${node} has another name now`}`,
      )
    for (const conflict of conflicts) warn(`${label ?? arg(1)}: conflict: ${conflictText(conflict)}`)
    if (flag('json')) tell({ conflicts, rekeyed, ...(file === undefined ? { merged } : {}) })
    else if (file === undefined) tell(merged)
    return conflicts.length === 0 ? EXIT.ok : EXIT.failed
  },
}

const lintCommand: Command = {
  name: 'pcg lint',
  summary: 'Find mistakes in a graph before it is generated',
  args: ['graph'],
  options: {
    from,
    sarif: { type: 'boolean', summary: 'print SARIF 2.1.0, for code review tools' },
    fix: takes('rule,rule|all', 'apply the quick fixes of these rules, and write the file'),
    level: takes('error|warning|info', 'exit code 1 from this severity on; default warning'),
  },
  async run(context) {
    const { arg, text, flag, tell, version } = context
    const level = text('level') ?? 'warning'
    const bound = SEVERITIES.findIndex((severity) => severity === level)
    if (bound < 0) throw new UsageError(`--level is one of ${SEVERITIES.join(', ')}`)
    const found = resolved(await openGraph(context, arg(0)))
    const rules = text('fix')?.split(',') ?? []
    const unknown = rules.find((rule) => rule !== 'all' && !LINT_RULES.some(({ id }) => id === rule))
    if (unknown !== undefined) throw new UsageError(`--fix: there is no rule ${unknown}`)
    if (rules.length > 0 && !existsSync(arg(0))) throw new UsageError('--fix writes a file: export the graph first')
    const { graph, fixed } = fixGraph(found.graph, (rule) => rules.includes('all') || rules.includes(rule))
    if (fixed.length > 0) writeFile(arg(0), graphText(graph, found))
    const findings = lintGraph(graph)
    const lines = [...fixed.map((finding) => `fixed ${lintLine(finding)}`), ...findings.map(lintLine)]
    if (flag('sarif')) tell(JSON.stringify(sarifOf(arg(0), findings, version, found.lineOf), null, 2))
    else tell({ findings, fixed }, lines.length === 0 ? 'no findings' : lines.join('\n'))
    return findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= bound) ? EXIT.failed : EXIT.ok
  },
}

const patchCommand: Command = {
  name: 'pcg patch',
  summary: 'Change a graph by a list of steps, all of them or none',
  args: ['graph', 'steps'],
  options: {
    to: takes('editor', 'editor that has the graph; else it is a file'),
    output: { ...output, summary: 'file to write; default: the graph file' },
    'dry-run': { type: 'boolean', summary: 'change nothing: show what would change, and what the linter finds then' },
  },
  async run({ api, arg, text, flag, tell, warn }) {
    const steps = readSteps(arg(1))
    const editor = text('to')
    if (editor !== undefined) {
      const body = { graph: arg(0), steps: [...steps], dryRun: flag('dry-run') }
      const report = await api.pcg.patchGraph({ params: { name: await editorNamed(api, editor) }, body })
      for (const [id, name] of Object.entries(report.names)) if (id !== name) warn(`${id} is named ${name}`)
      if (report.different.length > 0) warn(`the editor stored ${report.different.length} of the values otherwise`)
      const lines = report.findings.map((finding) => lintLine(finding))
      tell(report, [`${report.changes.length} changes${report.applied ? '' : ' (dry run)'}`, ...lines].join('\n'))
      return report.findings.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.ok
    }
    const found = resolved(readGraphFile(arg(0)))
    const graph = patched(found.graph, steps, arg(1))
    const { changes, layout, ...diff } = diffGraphs(found.graph, graph)
    const known = new Set(lintGraph(found.graph).map(lintLine))
    const findings = lintGraph(graph).filter((finding) => !known.has(lintLine(finding)))
    if (!flag('dry-run')) writeFile(text('output') ?? arg(0), graphText(graph, found))
    tell({ changes, layout, findings }, [diffText({ changes, layout, ...diff }), ...findings.map(lintLine)].join('\n'))
    return findings.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.ok
  },
}

export const PCG_FILES: readonly Command[] = [
  exportCommand,
  importCommand,
  fmtCommand,
  diffCommand,
  mergeCommand,
  lintCommand,
  patchCommand,
  testCommand,
  gitSetup,
]
