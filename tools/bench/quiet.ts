// Whether others used the processor while something was measured. Linux; elsewhere every measurement counts as quiet.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The clock tick of /proc on Linux. */
const MS_PER_TICK = 10
/** Of one core. */
const MOST_FOREIGN = 0.1
const LINUX = existsSync('/proc/stat')

const ticksOf = (fields: readonly string[]): number => fields.reduce((sum, each) => sum + Number(each), 0)

/** Of all processes: user, nice, system, irq and softirq; idle, waiting and stolen time are left out. */
function machineMs(): number {
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').trim().split(/\s+/)
  const [user = '', nice = '', system = '', , , irq = '', softirq = ''] = fields
  return ticksOf([user, nice, system, irq, softirq]) * MS_PER_TICK
}

export function childrenOf(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks)
    .flatMap((task) => readFileSync(`${tasks}/${task}/children`, 'utf8').trim().split(' '))
    .flatMap((child) => (child === '' ? [] : [Number(child)]))
}

/** Of a process and its children, also of those that ended. */
export function treeMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const own = ticksOf(fields.slice(11, 15)) * MS_PER_TICK
    return childrenOf(pid).reduce((sum, child) => sum + treeMs(child), own)
  } catch {
    // It has ended, and its parent has its time.
    return 0
  }
}

/** What the work returns, or undefined where other programs used more than a tenth of a core during it. */
export async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  if (!LINUX) return work()
  const before = { at: performance.now(), machine: machineMs(), own: treeMs(process.pid) }
  const value = await work()
  const passed = performance.now() - before.at
  const foreign = machineMs() - before.machine - (treeMs(process.pid) - before.own)
  return foreign / passed <= MOST_FOREIGN ? value : undefined
}

/** So many quiet rounds, or as many of them as twice the attempts give. */
export async function quietRounds<T>(rounds: number, work: () => Promise<T>): Promise<readonly T[]> {
  const quiet: T[] = []
  for (let attempt = 0; attempt < 2 * rounds && quiet.length < rounds; attempt++) {
    const value = await quietly(work)
    if (value !== undefined) quiet.push(value)
  }
  return quiet
}

/** Fewer say nothing. */
export const FEWEST_ROUNDS = 3
