// What several processes share through their parent, without processes: permits, metrics, and a parent that does not answer.
import { expect, it, vi } from 'vitest'
import type { Actor } from '../contract/role.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { mergedExposition } from './exposition.ts'
import { createLink } from './link.ts'
import type { ToParent, ToProcess } from './messages.ts'
import { pauseAfter } from './parent.ts'
import { createPermitTable } from './permit-table.ts'

const ADMIN: Actor = { name: 'admin', kind: 'key', role: 'admin', teamId: null }
const want = (count: number, limit = 10) => ({ key: 'k', limit, want: count, holdMs: 500 })

it('permits: all wants or none, no more than the limit in a minute, returned ones again, and forgotten after it', () => {
  let nowMs = 1_000
  const table = createPermitTable(() => nowMs)
  const first = table.take([want(6)], [])
  expect(first).toMatchObject({ ok: true, grants: [{ count: 6 }] })
  expect(table.take([want(6), { ...want(1), key: 'other' }], [])).toMatchObject({
    ok: true,
    grants: [{ count: 4 }, { count: 1 }],
  })
  expect(table.take([{ ...want(1), key: 'other' }, want(1)], [])).toMatchObject({ ok: false, index: 1 })
  // The refused one took nothing of the other.
  expect(table.take([{ ...want(9), key: 'other' }], [])).toMatchObject({ ok: true, grants: [{ count: 9 }] })
  const run = first.ok ? (first.grants[0]?.run ?? 0) : 0
  expect(table.take([want(6)], [{ key: 'k', run, count: 2 }])).toMatchObject({ ok: true, grants: [{ count: 2 }] })
  expect(table.size()).toBe(2)
  nowMs += 62_000
  expect(table.take([want(10)], [])).toMatchObject({ ok: true, grants: [{ count: 10 }] })
  expect(table.size()).toBe(1)
})

it('metrics: one description, and every series of every process with its name', () => {
  const [one, two] = [createMetrics(), createMetrics()]
  one.inc('mcp_tool_calls_total', { outcome: 'success' })
  two.set('mcp_leader', 1)
  const text = mergedExposition([
    { process: 'g-2', text: two.render() },
    { process: 'g-1', text: one.render() },
  ])
  const lines = text.split('\n')
  expect(lines.filter((line) => line === '# TYPE mcp_leader gauge')).toHaveLength(1)
  const at = lines.indexOf('# TYPE mcp_leader gauge')
  expect(lines.slice(at + 1, at + 3)).toEqual(['mcp_leader{process="g-1"} 0', 'mcp_leader{process="g-2"} 1'])
  expect(lines).toContain('mcp_tool_calls_total{process="g-1",outcome="success"} 1')
  expect(lines).toContain('mcp_tool_calls_total{process="g-2",outcome="success"} 0')
  // Nothing is lost: twice the series of one.
  const series = (of: string) => of.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
  expect(series(text)).toBe(2 * series(one.render()))
})

/** A parent that answers as long as `alive`. */
function aParent() {
  const state = { alive: true }
  const table = createPermitTable(() => performance.now())
  const sent: ToParent[] = []
  let tell: (message: ToProcess) => void = () => undefined
  const stopped = vi.fn()
  const link = createLink(
    {
      send(message) {
        sent.push(message)
        if (message.kind !== 'ask' || !state.alive) return
        const [wants, refunds] =
          message.question === 'take' ? (message.body as Parameters<typeof table.take>) : [[], []]
        const body = { take: () => table.take(wants, refunds), ping: () => null, leave: () => true, metrics: () => [] }[
          message.question
        ]()
        setImmediate(() => tell({ kind: 'answer', id: message.id, body }))
      },
      onMessage(listener) {
        tell = listener
      },
    },
    { process: 'g-1', leasesPermits: true, onStop: stopped },
  )
  return { state, sent, link, stopped, tell: (message: ToProcess) => tell(message) }
}

it('a parent that does not answer is an outage of shared limits, until it answers again', async () => {
  const { state, link } = aParent()
  const { permits } = link
  if (permits === undefined) throw new Error('Permits are leased here')
  expect(await permits.take([want(1)], [])).toMatchObject({ ok: true })
  state.alive = false
  await expect(permits.take([want(1)], [])).rejects.toThrow('did not answer')
  expect(permits.up()).toBe(false)
  state.alive = true
  await expect.poll(permits.up, { timeout: 20_000 }).toBe(true)
  expect(await permits.take([want(1)], [])).toMatchObject({ ok: true })
})

it('hints, the leader and a stop arrive; metrics of a parent without an answer are those of this process', async () => {
  const { state, link, stopped, tell, sent } = aParent()
  const hints = vi.fn()
  link.onHint({ changes: () => hints('changes'), messages: () => hints('messages') })
  tell({ kind: 'hint', hint: 'messages' })
  expect(hints.mock.calls).toEqual([['messages']])
  expect(link.led()).toBe(false)
  tell({ kind: 'led', led: true })
  expect(link.led()).toBe(true)
  const metricsOf = link.metricsOf(() => '# HELP a b\n# TYPE a gauge\na 1\n')
  tell({ kind: 'render', id: 7, actor: ADMIN })
  expect(sent.at(-1)).toEqual({ kind: 'rendered', id: 7, text: '# HELP a b\n# TYPE a gauge\na 1\n' })
  expect(await link.leave()).toBe(true)
  state.alive = false
  // Without an answer it serves new connections on.
  expect(await link.leave()).toBe(false)
  expect(await metricsOf(ADMIN)).toBe('# HELP a b\n# TYPE a gauge\na{process="g-1"} 1\n')
  expect(link.prove('0'.repeat(32))).toBeUndefined()
  tell({ kind: 'announced', url: 'http://127.0.0.1:1', secret: 'ab' })
  expect(link.prove('0'.repeat(32))).toMatch(/^[0-9a-f]{64}$/)
  tell({ kind: 'stop' })
  expect(stopped).toHaveBeenCalledOnce()
})

it('a process that ends again and again is started less and less often', () => {
  expect([0, 1, 2, 20].map(pauseAfter)).toEqual([100, 200, 400, 30_000])
})
