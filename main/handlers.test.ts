// What the channels do, as plain functions.
import { describe, expect, it } from 'vitest'
import type { AppFacts } from '#channels'
import { firstSettings } from './desktop-settings.ts'
import { createHandlers } from './handlers.ts'
import type { Services } from './services.ts'

const STATUS = { state: 'running', url: 'http://127.0.0.1:8790', reason: null, movedFrom: null } as const
const ANSWER = { status: 200, headers: {}, body: '{}' }
const REQUEST = { method: 'GET', path: '/admin-api/overview', headers: {} } as const
const FACTS: AppFacts = {
  version: '1.0.0',
  settings: firstSettings('linux'),
  fixed: [],
  dataFolder: '/data',
  logFolder: '/data/logs',
  keyStore: 'none',
  keyLack: 'no keyring',
  mayChoosePassphrase: true,
  hasTray: true,
  updatesOff: null,
}
const GOOD_PASSPHRASE = 'correct horse battery'

function handlers(): { done: unknown[]; channels: ReturnType<typeof createHandlers> } {
  const done: unknown[] = []
  const note = async <T>(what: unknown, answer: T): Promise<T> => {
    done.push(what)
    return answer
  }
  const services: Services = {
    start: () => note('start', STATUS),
    restart: (mode) => note(mode ?? 'running', STATUS),
    stop: () => note('stop', undefined),
    status: () => STATUS,
    adminRequest: (request) => note(request, ANSWER),
  }
  const channels = createHandlers(services, {
    openExternal: (url) => note(url, undefined),
    showFolder: (which) => note(which, undefined),
    changeSettings: (change) => void done.push(change),
    facts: async () => FACTS,
    agentKey: async () => 'mcp_key',
    givePassphrase: async (passphrase) => passphrase === GOOD_PASSPHRASE,
    checkForUpdate: async () => ({ state: 'no-feed' }),
    takeLink: () => null,
    takePage: () => null,
    askAgents: async () => ({ answer: 'list', agents: [] }),
    servers: {
      add: async () => ({ answer: 'declined' as const }),
      listTools: async () => ({ answer: 'declined' as const }),
      ask: async () => ({ answer: 'declined' as const }),
    },
  })
  return { done, channels }
}

describe('shell:open-external', () => {
  it.each(['http://example.com', 'file:///etc/passwd', 'https://x"&calc', 'javascript:alert(1)'])(
    'refuses %s',
    async (url) => {
      const { done, channels } = handlers()
      await expect(channels['shell:open-external'](url)).rejects.toThrow('only plain https')
      expect(done).toEqual([])
    },
  )

  it('opens the address as the parser writes it', async () => {
    const { done, channels } = handlers()
    await channels['shell:open-external']('https://EXAMPLE.com/a"b')
    expect(done).toEqual(['https://example.com/a%22b'])
  })
})

describe('app:give-passphrase', () => {
  it('starts nothing with the wrong one', async () => {
    const { done, channels } = handlers()
    expect(await channels['app:give-passphrase']('incorrect horse')).toBe(false)
    expect(done).toEqual([])
  })

  it('starts the gateway with the right one', async () => {
    const { done, channels } = handlers()
    expect(await channels['app:give-passphrase'](GOOD_PASSPHRASE)).toBe(true)
    expect(done).toEqual(['running'])
  })
})

describe('the gateway', () => {
  it('is read, reported, restarted, paused and started in safe mode', async () => {
    const { done, channels } = handlers()
    expect(await channels['admin:request'](REQUEST)).toBe(ANSWER)
    expect(await channels['gateway:status'](undefined)).toBe(STATUS)
    for (const verb of ['gateway:restart', 'gateway:pause', 'gateway:safe-mode'] as const)
      expect(await channels[verb](undefined)).toBe(STATUS)
    expect(done).toEqual([REQUEST, 'running', 'paused', 'safe'])
  })
})

it('answers a changed setting with how things are now', async () => {
  const { done, channels } = handlers()
  expect(await channels['app:change-settings']({ notifications: false })).toEqual(FACTS)
  expect(done).toEqual([{ notifications: false }])
})
