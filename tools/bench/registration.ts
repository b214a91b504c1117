// Discovery of the largest real spec beside a plain parse of it, and what five hundred backends of a hundred tools cost to hold.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parse } from 'yaml'
import { discoverInWorker } from '../../gateway/discovery/discover-in-worker.ts'
import { held } from './held-backends.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { median, wait } from './server.ts'
import { timed } from './timed.ts'

const CORPORA = path.join(import.meta.dirname, '../../../shared/corpora/openapi')
const ROUNDS = 5
const LIMITS = { maxTools: 10_000, graphqlMaxTypes: 2000, graphqlSelectionMaxDepth: 2, graphqlInputMaxDepth: 3 }
const MIB = 1024 * 1024

/** The largest spec beside the project, or one of the same size made here. */
function largestSpec(): { readonly name: string; readonly text: string } {
  const files = existsSync(CORPORA) ? readdirSync(CORPORA) : []
  const texts = files.map((name) => ({ name, text: readFileSync(path.join(CORPORA, name), 'utf8') }))
  const [largest] = texts.toSorted((a, b) => b.text.length - a.text.length)
  if (largest) return largest
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `field${at}`,
      { type: 'string', description: 'A field of a record. '.repeat(4) },
    ]),
  )
  const operation = (at: number) => ({
    post: {
      operationId: `operation${at}`,
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
    },
  })
  const paths = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`/p${at}`, operation(at)]))
  return { name: 'a generated spec', text: JSON.stringify({ openapi: '3.1.0', info: {}, paths }) }
}

/** How late the event loop was at worst while something went on elsewhere. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

async function discovery(): Promise<readonly BenchRow[]> {
  const { name, text } = largestSpec()
  const plain: number[] = []
  const whole: number[] = []
  const turns: number[] = []
  const idle: number[] = []
  let peak = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await timed(() => (text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text))))
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss() - before)), 5)
    const discover = async () =>
      whole.push(await timed(() => discoverInWorker({ kind: 'openapi', text }, LIMITS, { timeoutMs: 120_000 })))
    turns.push(await longestTurn(discover))
    clearInterval(watch)
    idle.push(await longestTurn(() => wait(500)))
  }
  return [
    {
      label: `discover ${name} (${(text.length / MIB).toFixed(1)} MiB)`,
      value: `${median(whole).toFixed(0)} ms`,
      beside: `${median(plain).toFixed(0)} ms plain parse`,
      ratio: median(whole.map((ms, at) => ms / (plain[at] ?? ms))).toFixed(2),
    },
    {
      label: 'longest turn of the event loop meanwhile',
      value: `${median(turns).toFixed(0)} ms`,
      beside: `${median(idle).toFixed(0)} ms idle`,
      aim: '≤ 50',
    },
    { label: 'peak memory of it', value: `${(peak / MIB).toFixed(0)} MiB` },
  ]
}

export const registration: BenchPart = {
  name: 'registration',
  run: async () => [...(await discovery()), ...(await held(100, 100)), ...(await held(500, 100))],
}
