// Notices outside the window, and when they appear.
import { expect, it } from 'vitest'
import type { GatewayStatus } from '#channels'
import { createWatch } from './watch.ts'

const RUNNING: GatewayStatus = { state: 'running', url: 'http://127.0.0.1:8791', reason: null, movedFrom: null }
const MOVED: GatewayStatus = { ...RUNNING, movedFrom: 'http://127.0.0.1:8790' }

function watched(pending: () => number) {
  const notices: string[] = []
  const leads: unknown[] = []
  const shown: (readonly [string, number])[] = []
  let keys = 0
  const watch = createWatch({
    services: {
      status: () => RUNNING,
      adminRequest: async () => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ approvals: { pending: pending() } }),
      }),
    },
    tray: { show: ({ state }, count) => void shown.push([state, count]) },
    notices: {
      tell(title, _body, page) {
        notices.push(title)
        leads.push(page)
      },
    },
    agentKey: { ensure: async () => void (keys += 1) },
    say: (line) => expect.unreachable(line),
  })
  return { watch, notices, leads, shown, keys: () => keys }
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('reports another address once, and the next one again', async () => {
  const { watch, notices } = watched(() => 0)
  for (const status of [MOVED, MOVED, RUNNING, MOVED]) {
    watch.changed(status)
    await settled()
  }
  expect(notices).toEqual(['Gantry has another address', 'Gantry has another address'])
})

it('sees to the first key only when agents are served', async () => {
  const { watch, keys } = watched(() => 0)
  for (const state of ['starting', 'paused', 'safe', 'locked', 'stopped'] as const) watch.changed({ ...RUNNING, state })
  await settled()
  expect(keys()).toBe(0)
  watch.changed(RUNNING)
  await settled()
  expect(keys()).toBe(1)
})

it('shows the number of pending approvals, and a notice when it grows', async () => {
  let pending = 0
  const { watch, notices, leads, shown } = watched(() => pending)
  for (const next of [2, 2, 1]) {
    pending = next
    watch.received('approvals')
    await settled()
  }
  watch.received('audit')
  await settled()
  expect(notices).toEqual(['A call waits for you'])
  expect(leads).toEqual(['/approvals'])
  expect(shown).toEqual([
    ['running', 0],
    ['running', 2],
    ['running', 1],
  ])
})
