// What is recorded about calls goes when it is old: the leader forgets it at its start, and every hour.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { aFolder, aGateway } from './gateway.fixture.ts'

const MINUTE = 60_000

it('calls and what was captured of them are kept for a time each [gw.setting.usage_retention_ms gw.setting.traffic_retention_ms ct.10.12.retention]', async () => {
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
  file.close()

  const gateway = await aGateway(
    { USAGE_RETENTION_MS: String(2 * MINUTE), TRAFFIC_RETENTION_MS: String(4 * MINUTE) },
    folder,
  )
  const left = async (list: string): Promise<string[]> => {
    const { json } = await gateway.admin(`/admin-api/${list}`)
    return (json as { items: { requestId: string }[] }).items.map(({ requestId }) => requestId)
  }
  await vi.waitFor(async () => expect([await left('calls'), await left('traffic')]).toEqual([['young'], ['old']]), {
    timeout: 20_000,
    interval: 50,
  })
})
