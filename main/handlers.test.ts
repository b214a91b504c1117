// What the channels do, as plain functions.
import { describe, expect, it } from 'vitest'
import { createHandlers } from './handlers.ts'
import type { Services } from './services.ts'

const STATUS = { state: 'running', url: 'http://127.0.0.1:8790', reason: null } as const
const ANSWER = { status: 200, headers: {}, body: '{}' }
const REQUEST = { method: 'GET', path: '/admin-api/overview', headers: {} } as const

function handlers(): { done: unknown[]; channels: ReturnType<typeof createHandlers> } {
  const done: unknown[] = []
  const note = async <T>(what: unknown, answer: T): Promise<T> => {
    done.push(what)
    return answer
  }
  const services: Services = {
    start: () => note('start', STATUS),
    restart: () => note('restart', STATUS),
    stop: () => note('stop', undefined),
    status: () => STATUS,
    adminRequest: (request) => note(request, ANSWER),
  }
  return { done, channels: createHandlers(services, (url) => note(url, undefined)) }
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

describe('the gateway', () => {
  it('is asked, told of and restarted', async () => {
    const { done, channels } = handlers()
    expect(await channels['admin:request'](REQUEST)).toBe(ANSWER)
    expect(await channels['gateway:status'](undefined)).toBe(STATUS)
    expect(await channels['gateway:restart'](undefined)).toBe(STATUS)
    expect(done).toEqual([REQUEST, 'restart'])
  })
})
