// Callers that go on through a fault, and the account of it: what was answered, what ran at the backend, and what the database holds afterwards.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { call, openUpstream, type Result, register, type Upstream } from '../scenarios/data-plane.fixture.ts'
import type { Gateway } from '../scenarios/gateway.fixture.ts'

export type Ledger = {
  readonly upstream: Upstream
  /** Calls from now on, against whichever gateway is given then, until `rest`. */
  readonly work: (gateway: () => Gateway, callers?: number) => void
  readonly rest: () => Promise<void>
  readonly answered: () => number
  /** Throws where an answered call has no row, a call ran twice, or the audit chain is broken. */
  readonly balanced: (gateway: Gateway) => Promise<void>
  readonly close: () => Promise<void>
}

const THINK_MS = 50

const requestIdOf = ({ _meta }: Result): string => String(_meta['gantry/call']?.request_id)

export async function openLedger(): Promise<Ledger> {
  const upstream = await openUpstream()
  const executed = new Map<string, number>()
  upstream.answer = (request, response) => {
    const name = String(request.url)
    // Retries are off, so each call may arrive here once, with any method.
    executed.set(name, (executed.get(name) ?? 0) + 1)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: name }))
  }
  const acknowledged = new Set<string>()
  let nonce = 0
  const until = { over: true }
  let working: Promise<unknown> = Promise.resolve()

  async function caller(gateway: () => Gateway): Promise<void> {
    while (!until.over) {
      nonce += 1
      const mine = nonce
      const result = await call(gateway(), 'getPetById', { id: mine }).catch(() => undefined)
      // No answer, or an answer of the front: nothing was promised.
      if (result === undefined) await pause(20)
      else {
        acknowledged.add(requestIdOf(result))
        if (result.isError !== true) expect(result.structuredContent).toEqual({ url: `/pets/${mine}` })
        // A fault is waited for by the second: callers without a pause would take both processors until then.
        await pause(THINK_MS)
      }
    }
  }

  return {
    upstream,
    work(gateway, callers = 6) {
      until.over = false
      working = Promise.all(Array.from({ length: callers }, () => caller(gateway)))
    },
    async rest() {
      until.over = true
      await working
    },
    answered: () => acknowledged.size,
    async balanced(gateway) {
      const lost = (): string[] => {
        const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
        try {
          const recorded = new Set(database.prepare('SELECT request_id FROM calls').pluck().all())
          return [...acknowledged].filter((id) => !recorded.has(id))
        } finally {
          database.close()
        }
      }
      await expect.poll(lost, { timeout: 20_000 }).toEqual([])
      expect([...executed].filter(([, times]) => times > 1)).toEqual([])
      expect((await gateway.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
    },
    close: upstream.close,
  }
}

/** A shop behind the gateway, and a call that works. */
export async function opened(gateway: Gateway, { upstream }: Ledger): Promise<void> {
  await register(gateway, upstream)
  expect((await call(gateway, 'getPetById', { id: 0 })).isError ?? false).toBe(false)
}
