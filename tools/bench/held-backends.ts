// What many backends cost to hold: restoring them at start, memory for each tool, one page of a list over all of them.

import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { DiscoveredTool } from '../../gateway/discovery/tool.ts'
import { createOutbound } from '../../gateway/net/outbound.ts'
import { createPresenter } from '../../gateway/operations/backends/present.ts'
import { createTools } from '../../gateway/operations/tools/tools.ts'
import { createRegistry } from '../../gateway/registry/registry.ts'
import { schemaHash } from '../../gateway/registry/tool-diff.ts'
import { insertBackend, insertTools } from '../../gateway/storage/backends.ts'
import { openDatabase } from '../../gateway/storage/database.ts'
import { jsonText } from '../../gateway/storage/json-text.ts'
import { aFolder } from './gateway.ts'
import type { BenchRow } from './index.ts'
import { median } from './server.ts'
import { longestTurn, timed } from './timed.ts'

const ROUNDS = 5

const toolOf = (backend: number, at: number): DiscoveredTool => ({
  name: `operation_${at}`,
  sourceName: `operation${at}`,
  description: `Does thing ${at} of backend ${backend}`,
  method: 'GET',
  endpoint: `/things/${at}/:id`,
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', description: 'Which one' }, page: { type: 'integer', minimum: 1 } },
    required: ['id'],
  },
  places: { id: { in: 'path', name: 'id' }, page: { in: 'query', name: 'page' } },
})

function collected(): number {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc === 'function') gc()
  return process.memoryUsage().heapUsed
}

type Held = {
  /** Of the main thread: what else runs on the machine does not count. */
  readonly loadMs: number
  readonly longestTurnMs: number
  readonly bytesEach: number
  readonly listMs: number
}

async function holding(count: number, each: number): Promise<Held> {
  const folder = aFolder()
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const quiet = { ...log, child: () => quiet }
  const database = await openDatabase({
    path: path.join(folder, 'gantry.db'),
    dataDir: folder,
    appVersion: '1.0.0',
    strict: true,
    backupBeforeMigrate: false,
    log,
    clock: Date,
  })
  const at = new Date().toISOString()
  const pins = jsonText({ base: { url: 'http://93.184.215.14', addresses: ['93.184.215.14'] } })
  const common = {
    kind: 'rest',
    source: 'manual',
    input: 'tools',
    enabled: 1,
    tags: jsonText([]),
    discovered_at: at,
    updated_at: at,
    created_at: at,
    revision: 1,
  } as const
  await database.write(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const id = await insertBackend(tx, {
        ...common,
        name: `backend-${index}`,
        base_url: 'http://93.184.215.14',
        pins,
        pinned_at: at,
      })
      const tools = Array.from({ length: each }, (_, number) => toolOf(index, number))
      await insertTools(
        tx,
        tools.map((tool) => ({
          backend_id: id,
          name: tool.name,
          source_name: tool.sourceName,
          definition: JSON.stringify(tool),
          config: jsonText({}),
          tags: jsonText([]),
          schema_hash: schemaHash(tool.inputSchema),
          updated_at: at,
          revision: 1,
        })),
      )
    }
  })
  const outbound = createOutbound({ allowPrivate: false, connections: 1 })
  const never = () => undefined
  const credentials = {
    get: never,
    forget: never,
    refresh: async () => false,
    fetchToken: async () => ({ expiresInMs: null }),
  }
  const registry = createRegistry({ query: database.query, outbound, credentials, log: quiet })
  const before = collected()
  const started = process.threadCpuUsage()
  const longestTurnMs = await longestTurn(() => registry.load())
  const { user, system } = process.threadCpuUsage(started)
  const bytesEach = (collected() - before) / (count * each)
  const none = { find: never, stateOf: never, clear: never } as never // a list asks for no more of them
  const present = createPresenter({
    registry,
    breakers: none,
    quarantines: none,
    monitors: none,
    targets: none,
    autoGateWriteMethods: false,
  })
  const changes = () => Promise.reject(new Error('nothing changes'))
  const tools = createTools({
    changes,
    registry,
    quarantines: none,
    monitors: none,
    present,
    purge: () => 0,
    clock: Date,
    world: none,
  })
  const actor = { name: 'bench', kind: 'system', role: 'admin', teamId: null } as const
  const listMs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) listMs.push(await timed(() => tools.list(actor, { limit: 200 })))
  await outbound.close()
  await database.close()
  return { loadMs: (user + system) / 1000, longestTurnMs, bytesEach, listMs: median(listMs) }
}

const PASSES = 3
const EACH = 100
const FEW = 100
const MANY = 500

/** Five times as many should cost five times as much, and an equal share of memory each. */
export async function held(): Promise<readonly BenchRow[]> {
  const few: Held[] = []
  const many: Held[] = []
  for (let pass = 0; pass < PASSES; pass += 1) {
    few.push(await holding(FEW, EACH))
    many.push(await holding(MANY, EACH))
  }
  const of = (all: readonly Held[], what: keyof Held): number => median(all.map((one) => one[what]))
  const ratio = (what: keyof Held): string =>
    median(many.map((one, at) => one[what] / (few[at]?.[what] ?? one[what]))).toFixed(2)
  const row = (label: string, what: keyof Held, unit: string, scale = 1): Omit<BenchRow, 'aim'> => ({
    label: `${MANY} backends × ${EACH} tools: ${label}`,
    value: `${(of(many, what) / scale).toFixed(2)} ${unit}`,
    beside: `${(of(few, what) / scale).toFixed(2)} ${unit} for ${FEW}`,
    ratio: ratio(what),
  })
  return [
    { ...row('restored at start (main thread)', 'loadMs', 'ms'), aim: `about ${MANY / FEW}` },
    { ...row('longest turn in the meantime', 'longestTurnMs', 'ms'), aim: '≤ 50 ms' },
    { ...row('memory of a tool', 'bytesEach', 'KiB', 1024), aim: 'about 1' },
    row('a page of 200 tools', 'listMs', 'ms'),
  ]
}
