// What is recorded about calls goes when it is old: the leader forgets it at its start, and every hour.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { aFolder, aGateway } from './gateway.fixture.ts'

const MINUTE = 60_000

it('calls are kept for USAGE_RETENTION_MS [gw.setting.usage_retention_ms]', async () => {
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
  file.close()

  const gateway = await aGateway({ USAGE_RETENTION_MS: String(2 * MINUTE) }, folder)
  const left = async (): Promise<string[]> => {
    const { json } = await gateway.admin('/admin-api/calls')
    return (json as { items: { requestId: string }[] }).items.map(({ requestId }) => requestId)
  }
  await vi.waitFor(async () => expect(await left()).toEqual(['young']), { timeout: 20_000, interval: 50 })
})
