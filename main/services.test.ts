// The gateway's life in the desktop, with a double of the gateway itself: starts, crashes and notices.
import { describe, expect, it } from 'vitest'
import type { GatewayStatus } from '#channels'
import type { Gateway } from '#gateway'
import type { Mode, openGateway } from './open-gateway.ts'
import { createServices, type ServiceOptions } from './services.ts'

const REQUEST = { method: 'GET', path: '/admin-api/overview', headers: {} } as const

type Watched = {
  services: ReturnType<typeof createServices>
  opened: Mode[]
  statuses: GatewayStatus[]
  notices: string[]
  waited: number[]
  closed: () => number
}

function watched(given: Partial<ServiceOptions> = {}, closing: () => Promise<void> = async () => undefined): Watched {
  const opened: Mode[] = []
  const statuses: GatewayStatus[] = []
  const notices: string[] = []
  const waited: number[] = []
  let closed = 0
  const gateway: Gateway = {
    bootstrapped: { username: null, line: null },
    listen: async () => 'http://127.0.0.1:8790',
    adminRequest: async ({ path }, user) => ({ status: 200, headers: {}, body: `${user} ${path}` }),
    subscribe: () => () => undefined,
    async close() {
      closed += 1
      await closing()
      return { forced: false }
    },
  }
  const open: typeof openGateway = async (_prepared, mode) => {
    opened.push(mode)
    return { gateway, url: mode === 'running' ? 'http://127.0.0.1:8790' : null, movedFrom: null }
  }
  const services = createServices({
    prepare: async () => ({ env: {}, portFixed: false, lack: null }),
    readFile: () => '',
    writeLog: () => undefined,
    user: 'someone',
    onChange: (status) => statuses.push(status),
    onEvent: () => undefined,
    onCrash: (what) => notices.push(what),
    now: () => 0,
    open,
    wait: async (ms) => waited.push(ms),
    ...given,
  })
  return { services, opened, statuses, notices, waited, closed: () => closed }
}

describe('a crash', () => {
  it('is followed by another start and a notice', async () => {
    const { services, opened, notices, statuses, closed } = watched()
    await services.start()
    await services.crashed(new Error('out of luck'))
    expect(opened).toEqual(['running', 'running'])
    expect(closed()).toBe(1)
    expect(statuses.map(({ state, reason }) => ({ state, reason }))).toContainEqual({
      state: 'stopped',
      reason: 'The gateway crashed: out of luck',
    })
    expect(services.status().state).toBe('running')
    expect(notices).toEqual(['The gateway crashed and was started again.'])
  })

  it('of a series ends in safe mode, which says why', async () => {
    const { services, opened, notices } = watched()
    await services.start()
    for (let crash = 0; crash < 4; crash++) await services.crashed(new Error('again'))
    expect(opened).toEqual(['running', 'running', 'running', 'running', 'safe'])
    expect(services.status()).toMatchObject({
      state: 'safe',
      url: null,
      reason: expect.stringContaining('crashed: again'),
    })
    expect(notices.at(-1)).toContain('safe mode')
    expect((await services.adminRequest(REQUEST)).status).toBe(200)
  })

  it('in safe mode turns the gateway off, and the application lives on', async () => {
    const { services } = watched()
    await services.start('safe')
    await services.crashed('not even an error')
    expect(services.status()).toMatchObject({ state: 'stopped', reason: expect.stringContaining('not even an error') })
    expect((await services.restart()).state).toBe('running')
  })

  it('does not wait for ever for a gateway that cannot end', async () => {
    const { services } = watched({}, () => new Promise(() => undefined))
    await services.start()
    await services.crashed(new Error('hangs'))
    expect(services.status().state).toBe('running')
  })

  it('of many at once is one', async () => {
    const { services, opened } = watched()
    await services.start()
    await Promise.all(Array.from({ length: 1000 }, () => services.crashed(new Error('storm'))))
    expect(opened).toEqual(['running', 'running'])
  })

  it('on the way out starts nothing', async () => {
    const { services, opened } = watched()
    await services.start()
    await services.stop()
    await services.crashed(new Error('too late'))
    expect(opened).toEqual(['running'])
    expect(services.status().state).toBe('stopped')
  })
})

describe('a start', () => {
  it('waits for the passphrase and reports it', async () => {
    const { services, opened } = watched({ prepare: async () => ({ locked: 'Give the passphrase.' }) })
    expect(await services.start()).toMatchObject({ state: 'locked', reason: 'Give the passphrase.' })
    expect(opened).toEqual([])
    expect((await services.adminRequest(REQUEST)).status).toBe(503)
  })

  it('that fails reports why, and which credentials are missing', async () => {
    const { services } = watched({
      prepare: async () => ({ env: {}, portFixed: false, lack: 'No keyring.' }),
      open: () => Promise.reject(new Error('The disk is full')),
    })
    expect(await services.start()).toMatchObject({ state: 'stopped', reason: 'The disk is full\nNo keyring.' })
  })

  it('for the window alone answers the window', async () => {
    const { services } = watched()
    expect(await services.start('paused')).toMatchObject({ state: 'paused', url: null })
    expect(await services.adminRequest(REQUEST)).toMatchObject({ body: 'someone /admin-api/overview' })
    expect(await services.restart()).toMatchObject({ state: 'running', reason: null })
  })
})
