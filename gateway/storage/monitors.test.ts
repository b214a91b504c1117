import { expect, it } from 'vitest'
import { deleteTools, insertBackend, insertTools, toolsOf, updateTool } from './backends.ts'
import { aDatabase } from './database.fixture.ts'
import { jsonText } from './json-text.ts'
import {
  allMonitors,
  deleteMonitor,
  driftedTools,
  type MonitorRow,
  monitorOf,
  putMonitor,
  updateMonitor,
} from './monitors.ts'

const at = '2026-11-23T00:00:00.000Z'

const monitor = (tool_id: number): MonitorRow => ({
  tool_id,
  set_at: at,
  baseline: jsonText({}),
  baseline_hash: 'a',
  seen: null,
  seen_at: null,
  drift: null,
  drift_since: null,
  last_status: null,
  last_error: null,
  last_latency_ms: null,
  last_run_at: null,
  failures: 0,
  next_run_at: at,
  set_by: null,
  approved_by: null,
  approved_at: null,
  approved_hash: null,
})

async function monitored() {
  const database = await aDatabase()
  const ids = await database.write(async (tx) => {
    const backend = await insertBackend(tx, {
      name: 'shop',
      kind: 'rest',
      source: 'manual',
      enabled: 1,
      base_url: 'http://shop.test',
      tags: jsonText([]),
      discovered_at: at,
      revision: 1,
      created_at: at,
      updated_at: at,
    })
    const tools = ['list', 'item'].map((name) => ({
      backend_id: backend,
      name,
      source_name: name,
      definition: '{}',
      config: jsonText({}),
      tags: jsonText([]),
      schema_hash: 'a',
      revision: 1,
      updated_at: at,
    }))
    await insertTools(tx, tools)
    const rows = await toolsOf(tx, backend)
    for (const { id } of rows) await putMonitor(tx, monitor(id))
    return rows.map(({ id }) => id)
  })
  const [item = 0, list = 0] = ids
  return { database, item, list }
}

it('are listed by backend and tool, and reported as drifted while they are and their tool exists', async () => {
  const { database, item, list } = await monitored()
  expect((await allMonitors(database.query)).map(({ client, tool }) => `${client}/${tool}`)).toEqual([
    'shop/item',
    'shop/list',
  ])
  expect(await driftedTools(database.query)).toEqual([])
  await database.write((tx) => updateMonitor(tx, list, { drift_since: at, drift: jsonText([]) }))
  expect(await driftedTools(database.query)).toEqual([{ client: 'shop', tool: 'list', teamId: null }])
  await database.write((tx) => updateTool(tx, list, { missing_since: at }))
  expect(await driftedTools(database.query)).toEqual([])
  await database.write((tx) => putMonitor(tx, { ...monitor(item), drift_since: at }))
  expect(await driftedTools(database.query)).toEqual([{ client: 'shop', tool: 'item', teamId: null }])
})

it('go when they are taken away, and with their tool', async () => {
  const { database, item, list } = await monitored()
  await database.write((tx) => deleteMonitor(tx, item))
  expect(await monitorOf(database.query, item)).toBeUndefined()
  await database.write((tx) => deleteTools(tx, [list]))
  expect(await allMonitors(database.query)).toEqual([])
})
