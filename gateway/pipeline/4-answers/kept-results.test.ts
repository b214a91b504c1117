// Kept results on a real database: they end, and no principal takes the room of others.
import { expect, it } from 'vitest'
import { aDatabase } from '../../storage/database.fixture.ts'
import { anyEnded, keptResultsOf } from '../../storage/kept-results.ts'
import { createKeptResults, type Owner } from './kept-results.ts'

const ANN: Owner = { principal: 'ann', sessionHash: null }
const BOB: Owner = { principal: 'bob', sessionHash: null }
const OF = { client: 'shop', tool: 'find' }
const ALL = { path: '', where: [], offset: 0, limit: 1 }
const big = (bytes: number) => ({ content: [], structuredContent: { text: 'x'.repeat(bytes - 11) } })

async function aStore(mostBytes: number) {
  let nowMs = 1_000_000
  const database = await aDatabase()
  const results = createKeptResults({
    store: keptResultsOf(database),
    clock: { now: () => nowMs },
    settings: { RESULT_HANDLE_TTL_MS: 60_000, RESULT_HANDLES_MAX_BYTES: mostBytes, MAX_BODY_BYTES: 1_000 },
  })
  const has = async (handle: string | undefined, owner: Owner): Promise<boolean> =>
    'text' in (await results.query(handle ?? '', owner, ALL))
  return { database, ...results, has, pass: (ms: number) => void (nowMs += ms), nowMs: () => nowMs }
}

it('a result ends, and what is stored of it goes', async () => {
  const { database, keep, has, pass, nowMs } = await aStore(1_000_000)
  const kept = await keep(big(1_000), ANN, 500, OF)
  expect([kept?.bytes, await has(kept?.handle, ANN), await has(kept?.handle, BOB)]).toEqual([1_000, true, false])
  pass(59_999)
  expect([await has(kept?.handle, ANN), await anyEnded(database, nowMs())]).toEqual([true, false])
  pass(1)
  expect([await has(kept?.handle, ANN), await anyEnded(database, nowMs())]).toEqual([false, true])
  await keep(big(1_000), BOB, 500, OF)
  expect(await anyEnded(database, nowMs())).toBe(false)
})

it('one principal holds a quarter at most, its oldest go first, and those of others never', async () => {
  const { keep, has } = await aStore(40_000)
  const theirs = await keep(big(6_000), BOB, 500, OF)
  const [first, second] = [await keep(big(6_000), ANN, 500, OF), await keep(big(3_000), ANN, 500, OF)]
  const third = await keep(big(4_000), ANN, 500, OF)
  expect(await Promise.all([first, second, third].map((kept) => has(kept?.handle, ANN)))).toEqual([false, true, true])
  expect(await has(theirs?.handle, BOB)).toBe(true)
  expect(await keep(big(10_001), ANN, 500, OF)).toBeUndefined()
  const others = await Promise.all(
    ['cy', 'dan', 'eve'].map((principal) => keep(big(9_500), { principal, sessionHash: null }, 500, OF)),
  )
  expect(others.filter((kept) => kept === undefined)).toHaveLength(1)
})

it('a result without data is not kept, and a value may be too long for an argument', async () => {
  const { keep, pick } = await aStore(100_000)
  expect(
    await keep({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, ANN, 500, OF),
  ).toBeUndefined()
  const kept = await keep(big(2_000), ANN, 500, OF)
  expect(await pick(kept?.handle ?? '', ANN, '/text')).toMatchObject({ problem: expect.stringContaining('1000 bytes') })
  expect(await pick(kept?.handle ?? '', BOB, '/text')).toMatchObject({ problem: expect.stringContaining('No result') })
})
