// Starts the double of an Unreal editor (real CPython, our real program) and gives it orders.
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bool, choice, type NodeType, node, text } from '../catalog/node-type.ts'
import { COMMON_PROPERTIES, NODE_TYPES } from '../catalog/node-types.ts'

const EDITOR = fileURLToPath(new URL('../../e2e/peers/unreal/editor.py', import.meta.url))
const ASKED = 'import sys; print(sys.executable if sys.version_info >= (3, 9) else "")'
const found = spawnSync(process.platform === 'win32' ? 'python' : 'python3', ['-c', ASKED], { encoding: 'utf8' })
/** Itself, and not a script of the machine that chooses one of several each time. */
const PYTHON = found.stdout?.trim() ?? ''
/** Why these tests cannot run here; null when they can. */
export const NO_PYTHON = PYTHON === '' ? 'skipped: no python3' : null

/** A node of PCGEx, a plugin: class, module, pins and settings as its documentation lists them. */
export const SPLINE_TO_PATH = node(
  'PCGExElementsPaths.PCGExSplineToPathSettings',
  'PCGEx',
  'Splines: Spline! -> Out: Point',
  {
    SampleInputs: choice('All|ClosedLoopsOnly|OpenLinesOnly'),
    bWriteArriveTangent: bool(),
    ArriveTangentName: text('ArriveTangent'),
  },
)

export type DoubleOptions = {
  readonly engine?: string
  readonly pcg?: boolean
  readonly toolsets?: boolean
  /** Tools that the editor's own toolset lacks. */
  readonly without?: readonly string[]
  /** False: an editor without scene captures. */
  readonly rendering?: boolean
  /** Classes of nodes that a plugin brings. */
  readonly plugins?: readonly NodeType[]
  /** A generation takes the results of nodes that the engine still holds, until its cache is flushed. */
  readonly stale?: boolean
  readonly remoteControl?: Readonly<Record<string, unknown>>
  readonly remoteExecution?: Readonly<Record<string, unknown>>
  readonly mcp?: Readonly<Record<string, unknown>>
  /** Not on Windows: no program sees the windows of another. */
  readonly windows?: boolean
  /** An existing project folder: what a restarted editor opens again. */
  readonly project?: string
}
/** What ran in the editor, and what of it stopped the game thread. */
type Ledger = {
  programs: string[]
  requests: string[]
  cost: { loads: number; walks: number }
  transactions: string[]
  /** Transactions that are not closed. */
  open: number
  submitted: { files: string[]; description: string }[]
  /** Files whose state source control was asked for. */
  asked: string[]
  files: Record<string, Record<string, unknown>>
  closed_by: string[]
  boxes: Record<string, Record<string, { text: string; nodes: string[] }>>
  /** Actors that a person selected, packages with changes, cameras of pictures and render targets that are left. */
  selected: string[]
  changed: string[]
  cameras: number
  targets: number
}
export type Double = {
  readonly project: string
  readonly pid: number
  readonly remoteControl: string
  readonly mcp: string
  order(order: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  ledger(): Promise<Ledger>
  kill(): void
  dispose(): Promise<void>
}

export async function startDouble(options: DoubleOptions): Promise<Double> {
  const project = options.project ?? (await mkdtemp(path.join(tmpdir(), 'unreal-double-')))
  await mkdir(project, { recursive: true })
  await writeFile(path.join(project, 'Double.uproject'), '{}')
  const table = path.join(project, 'node-types.json')
  await writeFile(table, JSON.stringify({ types: NODE_TYPES, common: COMMON_PROPERTIES }))
  const config = path.join(project, 'double.json')
  await writeFile(config, JSON.stringify({ engine: '5.8.0', actors: 60, ...options, project, table }))
  const child = spawn(PYTHON, ['-B', '-S', EDITOR, config], { stdio: ['pipe', 'pipe', 'pipe'] })
  const printed: string[] = []
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  const waiting: ((line: Record<string, unknown>) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line)))
  const ended = new Promise<never>((_resolve, reject) =>
    child.once('exit', () => reject(new Error(`The double ended: ${printed.join('').slice(-2000)}`))),
  )
  ended.catch(() => undefined)
  const next = () =>
    Promise.race([new Promise<Record<string, unknown>>((resolve) => void waiting.push(resolve)), ended])
  const ports = await next()
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const order = (asked: Readonly<Record<string, unknown>>) => {
    const answer = next()
    child.stdin.write(`${JSON.stringify(asked)}\n`)
    return answer
  }
  return {
    project,
    pid: Number(ports['pid']),
    remoteControl: `http://127.0.0.1:${ports['remoteControl']}`,
    mcp: `http://127.0.0.1:${ports['mcp']}/mcp`,
    order,
    async ledger() {
      // The double writes the ledger in this form.
      return (await order({ do: 'ledger' })) as unknown as Ledger
    },
    kill: () => child.kill('SIGKILL'),
    async dispose() {
      child.kill('SIGKILL')
      await exited
      if (options.project === undefined) await rm(project, { recursive: true, force: true })
    },
  }
}

/** A group of this test run's own, so that neither editors nor other runs answer. */
export function ownGroup(): string {
  const [a, b] = crypto.getRandomValues(new Uint8Array(2))
  return `239.77.${a}.${b}:${20_000 + Math.floor(Math.random() * 20_000)}`
}
