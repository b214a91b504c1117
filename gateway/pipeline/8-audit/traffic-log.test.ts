// Captured calls on their way to the database: excess ones, and those that cannot be written, are dropped and counted.

import { expect, it } from 'vitest'
import { aDatabase } from '../../storage/database.fixture.ts'
import { jsonText } from '../../storage/json-text.ts'
import { createCapturing } from './captured.ts'
import type { Ended } from './ended.ts'
import { createTrafficLog } from './traffic-log.ts'

const SETTINGS = { TRAFFIC_CAPTURE: true, TRAFFIC_MAX_BODY_BYTES: 100 }
const capturing = createCapturing({ settings: SETTINGS, toolOf: () => undefined, teamOf: () => null })

function unknownCall(name: string): Ended {
  const row = {
    request_id: name,
    at_ms: 1,
    principal: 'ci',
    surface: 'shard',
    tool: '',
    called_as: name,
    outcome: 'refused',
    deny_code: 'unknown_tool',
    status_class: 'none',
    duration_ms: 0,
    attempts: 0,
    request_bytes: 2,
    response_bytes: 0,
  }
  // No more of the call is asked.
  return {
    of: 'unknown',
    startedAt: 0,
    row,
    call: { client: null, code: 'unknown_tool', calledAs: name } as Extract<Ended, { of: 'unknown' }>['call'],
  }
}

async function aLog(more: Partial<Parameters<typeof createTrafficLog>[0]> = {}) {
  const database = await aDatabase()
  const message = { written: 0, dropped: 0, errors: 0 }
  const log = createTrafficLog({
    database,
    capturing,
    onWritten: (rows) => void (message.written += rows),
    onDropped(rows, error) {
      message.dropped += rows
      if (error !== undefined) message.errors += 1
    },
    ...more,
  })
  const names = async () =>
    (await database.query.selectFrom('traffic').select('called_as').orderBy('id').execute()).map((row) => row.called_as)
  return { log, message, names }
}

it('are written together, in their order, once their calls are over', async () => {
  const { log, message, names } = await aLog()
  for (const name of ['a', 'b', 'c']) log.note(unknownCall(name))
  expect(await names()).toEqual([])
  await log.close()
  expect(await names()).toEqual(['a', 'b', 'c'])
  expect(message).toEqual({ written: 3, dropped: 0, errors: 0 })
})

it('are dropped where too many wait, or too much, and the next have room again [ct.8.6.harmless]', async () => {
  const { log, message, names } = await aLog({ mostRows: 2 })
  for (const name of ['a', 'b', 'c']) log.note(unknownCall(name))
  expect(message.dropped).toBe(1)
  await log.close()
  log.note(unknownCall('d'))
  await log.close()
  expect(await names()).toEqual(['a', 'b', 'd'])
  const small = await aLog({
    mostLength: 30,
    capturing: {
      ...capturing,
      rowOf: (ended, rule) => ({ ...capturing.rowOf(ended, rule), args: jsonText({ a: 3 }) }),
    },
  })
  for (const name of ['a', 'b']) small.log.note(unknownCall(name))
  await small.log.close()
  expect(await small.names()).toEqual(['a'])
})

it('are dropped where they cannot be made or written, and only the log reports it [ct.8.6.harmless]', async () => {
  const refused = await aLog({ database: { burst: () => Promise.reject(new Error('the disk is full')) } })
  refused.log.note(unknownCall('a'))
  await refused.log.close()
  expect(refused.message).toEqual({ written: 0, dropped: 1, errors: 1 })
  const broken = await aLog({
    capturing: {
      ...capturing,
      rowOf() {
        throw new Error('no row')
      },
    },
  })
  broken.log.note(unknownCall('a'))
  await broken.log.close()
  expect(broken.message).toEqual({ written: 0, dropped: 1, errors: 1 })
})
