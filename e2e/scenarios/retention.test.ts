// What is recorded about calls goes when it is old: the leader forgets it at its start, and every hour.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { aFolder, aGateway } from './gateway.fixture.ts'

const MINUTE = 60_000

it('calls, what was captured of them and their spans are kept for a time each [gw.setting.usage_retention_ms gw.setting.traffic_retention_ms gw.setting.trace_retention_ms ct.10.12.retention]', async () => {
  const folder = aFolder()
  await (await aGateway({}, folder)).stop()
  const file = new Database(join(folder, 'gantry.db'))
  const insert = file.prepare(
    `INSERT INTO calls (request_id, at_ms, principal, surface, tool, called_as, outcome, status_class, duration_ms, attempts, request_bytes, response_bytes)
     VALUES (?, ?, 'ci', 'shard', 'item', 'item', 'success', '2xx', 1, 1, 2, 2)`,
  )
  const at = Date.now()
  insert.run('old', at - 3 * MINUTE)
  insert.run('young', at - MINUTE)
  const capture = file.prepare(
    `INSERT INTO traffic (request_id, at_ms, principal, client, tool, called_as, args_redacted, preview_truncated, is_error, outcome, duration_ms)
     VALUES (?, ?, 'ci', 'shop', 'item', 'item', 0, 0, 0, 'success', 1)`,
  )
  capture.run('older', at - 5 * MINUTE)
  capture.run('old', at - 3 * MINUTE)
  const span = file.prepare(
    `INSERT INTO spans (trace_id, span_id, name, kind, start_ms, end_ms, status_code, attributes, events, outcome)
     VALUES (?, 'b7ad6b7169203331', 'tool_call shop__item', 'CLIENT', ?, ?, 1, '{}', '[]', 'success')`,
  )
  span.run('old', at - 4 * MINUTE, at - 4 * MINUTE)
  span.run('young', at - 2 * MINUTE, at - 2 * MINUTE)
  file.close()

  const env = {
    USAGE_RETENTION_MS: String(2 * MINUTE),
    TRAFFIC_RETENTION_MS: String(4 * MINUTE),
    TRACE_RETENTION_MS: String(3 * MINUTE),
  }
  const gateway = await aGateway(env, folder)
  const left = async (list: string, id = 'requestId'): Promise<unknown[]> => {
    const { json } = await gateway.admin(`/admin-api/${list}`)
    return (json as { items: Record<string, unknown>[] }).items.map((item) => item[id])
  }
  const kept = () => Promise.all([left('calls'), left('traffic'), left('traces', 'traceId')])
  await vi.waitFor(async () => expect(await kept()).toEqual([['young'], ['old'], ['young']]), {
    timeout: 20_000,
    interval: 50,
  })
})
