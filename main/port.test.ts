// The port of the agents stays the same while no other program uses it.
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from './port.ts'

async function held(port = 0): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

it('is the wanted one when it is free, and the next one when it is taken', async () => {
  const port = await held()
  const next = await freePort(port)
  expect(next).toBeGreaterThan(port)
  expect(next).toBeLessThan(port + 20)
  expect(await freePort(next)).toBe(next)
})

it('ends with the last port there is', async () => {
  const last = await freePort(65_535).catch((error: Error) => error.message)
  if (last === 65_535) await held(65_535)
  await expect(freePort(65_535)).rejects.toThrow('every port from 65535 to 65535')
})
