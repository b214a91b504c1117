// The gateway's life in the desktop, with a double of the gateway itself: starts, crashes and notices.
import { describe, expect, it } from 'vitest'
import type { GatewayStatus } from '#channels'
import { CRASH_CLOSE_MS, type Running, type Watch } from './gateway-child.ts'
import type { Mode } from './gateway-port.ts'
import { createServices, type ServiceOptions } from './services.ts'

const REQUEST = { method: 'GET', path: '/admin-api/overview', headers: {} } as const

type Watched = {
  services: ReturnType<typeof createServices>
  /** The gateway crashes; resolves when what follows is done. */
  crash: (error: Error) => Promise<unknown>
  opened: Mode[]
  statuses: GatewayStatus[]
  notices: string[]
  waited: number[]
  /** The time each had to close. */
  closed: (number | undefined)[]
}

function watched(given: Partial<ServiceOptions> = {}): Watched {
  const opened: Mode[] = []
  const statuses: GatewayStatus[] = []
  const notices: string[] = []
  const waited: number[] = []
  const closed: (number | undefined)[] = []
  let watch: Watch | undefined
  const services = createServices({
    prepare: async () => ({ env: {}, portFixed: false, lack: null }),
    writeLog: () => undefined,
    onChange: (status) => statuses.push(status),
    onEvent: () => undefined,
    onCrash: (what) => notices.push(what),
    monotonic: () => 0,
    async open(_prepared, mode, watching): Promise<Running> {
      opened.push(mode)
      watch = watching
      return {
        url: mode === 'running' ? 'http://127.0.0.1:8790' : null,
        movedFrom: null,
        adminRequest: async ({ path }) => ({ status: 200, headers: {}, body: path }),
        close: async (withinMs) => void closed.push(withinMs),
      }
    },
    wait: async (ms) => waited.push(ms),
    ...given,
  })
  async function crash(error: Error): Promise<void> {
    const before = notices.length
    watch?.onCrash(error)
    await expect.poll(() => notices.length).toBe(before + 1)
  }
  return { services, crash, opened, statuses, notices, waited, closed }
}

describe('a crash', () => {
  it('is followed by another start and a notice', async () => {
    const { services, crash, opened, notices, statuses, closed } = watched()
    await services.start()
    await crash(new Error('out of luck'))
    expect(opened).toEqual(['running', 'running'])
    // A crashed gateway may be unable to close.
    expect(closed).toEqual([CRASH_CLOSE_MS])
    expect(statuses.map(({ state, reason }) => ({ state, reason }))).toContainEqual({
      state: 'stopped',
      reason: 'The gateway crashed: out of luck',
    })
    expect(services.status().state).toBe('running')
    expect(notices).toEqual(['The gateway crashed and was started again.'])
  })

  it('of a series ends in safe mode, which says why', async () => {
    const { services, crash, opened, notices, waited } = watched()
    await services.start()
    for (let count = 0; count < 4; count++) await crash(new Error('again'))
    expect(waited).toEqual([500, 2_000, 8_000])
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
    const { services, crash } = watched()
    await services.start('safe')
    await crash(new Error('even so'))
    expect(services.status()).toMatchObject({ state: 'stopped', reason: expect.stringContaining('even so') })
    expect((await services.restart()).state).toBe('running')
  })

  it('of many at once is one', async () => {
    const { services, crash, opened, notices } = watched()
    await services.start()
    await Promise.all(Array.from({ length: 1000 }, () => crash(new Error('storm'))))
    expect(opened).toEqual(['running', 'running'])
    expect(notices).toHaveLength(1)
  })

  it('on the way out starts nothing', async () => {
    let onCrash: Watch['onCrash'] = () => undefined
    const { services, opened, statuses } = watched({
      async open(_prepared, _mode, watch) {
        onCrash = watch.onCrash
        return {
          url: null,
          movedFrom: null,
          adminRequest: () => Promise.reject(new Error()),
          close: async () => undefined,
        }
      },
    })
    await services.start()
    await services.stop()
    const before = statuses.length
    onCrash(new Error('too late'))
    await services.stop()
    expect(opened).toEqual([])
    expect(statuses.slice(before).map(({ state }) => state)).toEqual(['stopped'])
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
    expect(await services.adminRequest(REQUEST)).toMatchObject({ body: '/admin-api/overview' })
    expect(await services.restart()).toMatchObject({ state: 'running', reason: null })
  })
})
